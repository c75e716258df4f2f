"""The lines of a text."""

import pytest

from holdfast.blocks.lines import Line, count_entries, entries_of


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("", 0),
        ("\n", 0),
        ("\r\n", 0),
        (" \t \n\u3000", 0),
        ("one", 1),
        ("one\n", 1),
        ("one\r\ntwo\r\n", 2),
        ("one\n\n \n\ntwo", 2),
        ("one\rstill one", 1),
        ("one\u2028still one\x0bstill\x85one", 1),
    ],
)
def test_an_entry_is_a_line_that_is_not_blank(text, entries):
    assert count_entries(text) == entries


def test_blank_lines_count_in_the_numbers():
    assert list(entries_of("\none\r\n\r\n  two \n")) == [Line(2, "one"), Line(4, "  two ")]
