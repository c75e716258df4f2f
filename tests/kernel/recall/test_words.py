import re

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
