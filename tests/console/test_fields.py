"""What forms and query strings hold, how it is read, and how values are written on pages: no service is needed."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.console import render
from holdfast.console.fields import MAX_FIELDS, Fields
from holdfast.console.link_previews import is_opened_by_a_person
from holdfast.console.visit import local_path
from holdfast.kernel import clock
from holdfast.kernel.errors import HoldfastError, Malformed


def fields(**given):
    return Fields({name: [value] for name, value in given.items()})


def test_a_form_is_read_as_browsers_send_it():
    form = Fields.parse("a=1&b=two+words&b=again&c=&d=line%0D%0Abreak&e=%C3%A9")
    assert form.raw("a") == "1"
    assert form.values["b"] == ["two words", "again"]
    assert form.text("c") is None
    assert form.raw("d") == "line\nbreak"  # a text area's line ends become ours
    assert form.raw("e") == "é"
    assert form.raw("missing") == ""
    assert fields(_csrf="x", key="k").typed() == {"key": "k"}


@pytest.mark.parametrize(
    "encoded",
    ["a=%FF", "a=%00", "%00=a", "a=\ud800", "&".join(f"f{n}=1" for n in range(MAX_FIELDS + 1))],
)
def test_a_form_that_cannot_be_kept_is_refused(encoded):
    with pytest.raises(HoldfastError):
        Fields.parse(encoded)


@pytest.mark.parametrize(
    ("read", "given", "value"),
    [
        ("must", " a ", "a"),
        ("text", "  ", None),
        ("words", "a, b,,a , c", ["a", "b", "c"]),
        ("flag", "1", True),
        ("flag", "0", False),
        ("flag", "", False),
        ("share", "0.25", 0.25),
        ("share", "", None),
        ("name", "ana@example.com", "ana@example.com"),
        ("instant", "2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("instant", "2026-01-31T12:00+02:00", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        ("instant", "", None),
    ],
)
def test_a_field_is_read(read, given, value):
    assert getattr(fields(x=given), read)("x") == value


@pytest.mark.parametrize(
    ("read", "given", "word"),
    [
        ("must", " ", "required"),
        ("share", "1.1", "0 to 1"),
        ("share", "nan", "0 to 1"),
        ("share", "a", "0 to 1"),
        ("name", "a/b", "128"),
        ("name", "a" * 129, "128"),
        ("instant", "tomorrow", "2026-01-31"),
        ("instant", "9999-12-31T23:59-10:00", "2026-01-31"),
    ],
)
def test_a_wrong_field_says_what_is_right(read, given, word):
    with pytest.raises(Malformed, match=word):
        getattr(fields(x=given), read)("x")


@given(st.text(max_size=12))
def test_a_number_is_within_its_bounds_or_refused(text):
    number, refusal = None, None
    try:
        number = fields(x=text).number("x", 1, 10)
    except Malformed as error:
        refusal = error.detail
    if refusal is None:
        assert number is None or 1 <= number <= 10
    else:
        assert "1 to 10" in refusal


def test_a_choice_is_one_of_some_words():
    assert fields(x="b").choice("x", ("a", "b")) == "b"
    assert fields(x="").choice("x", ("a", "b")) is None
    with pytest.raises(Malformed, match="one of a, b"):
        fields(x="c").choice("x", ("a", "b"))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/memories?x=1", "/memories?x=1"),
        (None, "/"),
        ("", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("/a\nb", "/"),
    ],
)
def test_only_a_path_of_this_site_is_gone_to(text, path):
    assert local_path(text) == path


@pytest.mark.parametrize(
    ("headers", "is_person"),
    [
        ({}, True),
        ({"sec-fetch-mode": "navigate", "user-agent": "Mozilla/5.0"}, True),
        ({"sec-fetch-mode": "cors"}, False),
        ({"sec-purpose": "prefetch"}, False),
        ({"purpose": "prefetch"}, False),
        ({"user-agent": "Slackbot-LinkExpanding 1.0"}, False),
        ({"user-agent": "WhatsApp/2.2"}, False),
        ({"user-agent": "facebookexternalhit/1.1"}, False),
    ],
)
def test_what_looks_ahead_uses_no_link_up(headers, is_person):
    assert is_opened_by_a_person(headers) is is_person


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1_500, "1.5 kB"), (2_000_000, "2.0 MB")]
)
def test_sizes_are_written_for_people(count, text):
    assert render.size(count) == text


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=5), "5 hours ago"),
        (timedelta(days=400), "1 year ago"),
        (timedelta(days=-2, minutes=-1), "in 2 days"),
    ],
)
def test_instants_are_written_for_people(before, text):
    at = clock.now() - before
    shown = render.ago(at)
    assert f">{text}</time>" in shown
    assert f'datetime="{render.rfc3339(at)}"' in shown


def test_what_is_shown_of_an_id_is_escaped():
    assert render.short("<b>") == '<code title="&lt;b&gt;">&lt;b&gt;</code>'
    made = "memory_" + "0123456789abcdef" * 2
    assert "…abcdef</code>" in render.short(made)
    assert f'title="{made}"' in render.short(made)
    assert (render.when(None), render.ago(None)) == ("—", "—")
    assert (render.plural(1, "entry", "entries"), render.plural(1_000, "row")) == (
        "1 entry",
        "1,000 rows",
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "—"),
        (True, "yes"),
        (12_345, "12,345"),
        (0.5, "0.5"),
        ([], "none"),
        ({}, "none"),
        (["a", 2], "a, 2"),
        ({"waited_for": False, "erased": {"users": 1}}, "waited for no, erased users 1"),
        ("<b>", "<b>"),  # escaped where it is written on a page
    ],
)
def test_values_of_json_are_written_in_words(value, text):
    assert render.plain(value) == text


def test_an_asset_changes_its_path_with_its_content():
    for name in render.ASSETS:
        path = render.asset_path(name)
        assert path.startswith("/console/")
        assert path.endswith(f"/{name}")
        assert render.asset(name)
    assert len({render.asset_path(name).split("/")[2] for name in render.ASSETS}) == len(
        render.ASSETS
    )
