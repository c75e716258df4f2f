"""Folding and cutting into sentences, with offsets that hold in the original."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.learning.rules.text import fold, sentences


def cut(text: str) -> list[str]:
    return [each.original for each in sentences(text)]


def test_sentences_end_where_they_end():
    assert cut("Dr. Etchegaray has raised it. It's the 3rd today… Good!\nNext?") == [
        "Dr. Etchegaray has raised it.",
        "It's the 3rd today…",
        "Good!",
        "Next?",
    ]


def test_a_number_at_the_end_ends_a_sentence():
    assert cut("I was 22. We met later.") == ["I was 22.", "We met later."]


@settings(deadline=None)
@given(st.text())
def test_folding_keeps_every_offset(text):
    assert len(fold(text)) == len(text)


@settings(deadline=None)
@given(st.text())
def test_sentences_are_parts_of_the_text_in_order(text):
    found = sentences(text)
    assert all(text[each.start : each.end] == each.original for each in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert "".join("".join(cut(text)).split()) == "".join(text.split())
