import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.recall import words


def lexemes(literal: str) -> set[str]:
    return {found.replace("''", "'") for found in re.findall(r"'((?:[^']|'')*)':", literal)}


def test_an_identifier_is_kept_whole_and_by_its_parts_with_digits():
    assert lexemes(words.of_text("see ERR-4521.").literal) == {"err-4521", "4521"}
    assert lexemes(words.of_text("mail ana@example.com").literal) == {"ana@example.com"}
    assert lexemes(words.of_text("in src/app.py_v2").literal) >= {"src/app.py_v2"}


def test_plain_and_hyphenated_words_are_left_to_the_language():
    assert lexemes(words.of_text("a well-known tea shop, isn't it?").literal) == set()


def test_scripts_without_spaces_become_characters_and_pairs():
    text = words.of_text("東京タワー")
    assert {"東", "京", "東京", "京タ", "ワー"} <= lexemes(text.literal)
    assert text.plain.strip() == ""
    assert lexemes(words.of_query("東京").literal) == {"東京"}
    assert lexemes(words.of_query("京").literal) == {"京"}


@given(st.text(alphabet="abcxyz0123456789-_./:@#", min_size=2, max_size=30))
def test_whatever_is_stored_inside_a_sentence_is_asked_for_alone(token: str):
    stored = lexemes(words.of_text(f"the code ({token}) was given").literal)
    assert lexemes(words.of_query(token).literal) <= stored


@given(st.text(max_size=200))
def test_any_text_is_taken_apart_without_losing_its_form(text: str):
    taken = words.of_text(text)
    assert "\x00" not in taken.plain + taken.literal


def test_names_are_taken_out_with_their_possessive():
    assert words.without("When did Caroline's group meet?", {"caroline"}) == "When did group meet?"


def test_a_query_that_is_a_name_stays_whole():
    assert words.without("Caroline?", {"caroline"}) == "Caroline?"


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Café", "Cafe"),
        ("naïve façade", "naive facade"),
        ("Łódź", "Lodz"),
        ("smørrebrød", "smorrebrod"),
        ("Straße", "Strasse"),
        ("œuvre", "oeuvre"),
        ("Ελλάδα", "Ελλαδα"),
        ("ёлка", "елка"),
        ("مُحَمَّد", "محمد"),
        ("Việt Nam", "Viet Nam"),
    ],
)
def test_accents_do_not_part_words(stored, asked):
    assert words.plain(stored).lower() == words.plain(asked).lower()


@pytest.mark.parametrize("text", ["がか", "ข้าวผัด", "हिन्दी", "한국어", "йод"])
def test_marks_that_make_another_word_stay(text):
    assert words.fold(text) == text


def test_names_are_found_whatever_their_accents():
    assert words.spoken("What did José say?") == words.spoken("what did jose SAY")
    assert words.without("When did José's band meet?", {"jose"}) == "When did band meet?"


@pytest.mark.parametrize(
    ("query", "identifiers"),
    [
        ("status of INV-1777?", {"inv-1777"}),
        ("mail ana@example.com about user_id", {"ana@example.com", "user_id"}),
        ("src/holdfast/app.py", {"src/holdfast/app.py"}),
        ("release v1.2.3 on 10.0.0.1", {"v1.2.3", "10.0.0.1"}),
        ("order 1234567", {"1234567"}),
        ("on 2024-05-01 at 10:30, the 3rd time in 2023, he/she ran 10km for 3.5 h", set()),
    ],
)
def test_identifiers_are_told_from_amounts_and_dates(query, identifiers):
    assert words.of_query(query).identifiers == identifiers
