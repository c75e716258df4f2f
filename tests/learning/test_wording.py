"""What a sentence says in full, and what the rules make of it: shared subjects, lists, left-out apostrophes, corrections."""

import pytest

from holdfast.learning.rules.text import Sentence, fold
from holdfast.learning.rules.wording import clauses, understood
from tests.learning.conversations import learned, plain


def sentence(text: str) -> Sentence:
    return Sentence(0, len(text), text, fold(text))


def texts(message: str) -> set[str]:
    return {each.text for each in plain(learned(message))}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("I'm vegan and allergic to nuts.", "I'm vegan and I'm allergic to nuts."),
        ("I like tea but hate coffee.", "I like tea but I hate coffee."),
        ("ive got two kids", "I've got two kids"),
        ("my dogs name is Rex", "my dog's name is Rex"),
        ("- I live in Porto", "I live in Porto"),
        ("My name isn't Anna, it's Ana.", "My name is Ana."),
        ("My wife's name is not Sofia but Sonia.", "My wife's name is Sonia."),
        ("I want to move to Porto and live there.", "I want to move to Porto and live there."),
        ("She is vegan and allergic to nuts.", "She is vegan and allergic to nuts."),
    ],
)
def test_a_sentence_is_brought_into_careful_english(text, meant):
    assert understood(sentence(text)).original == meant


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I'm a nurse and my husband teaches.", ["I'm a nurse", "my husband teaches."]),
        ("Hi, I'm Ana, I live in Porto", ["Hi", "I'm Ana", "I live in Porto"]),
        ("I live in Porto and work in Lisbon", ["I live in Porto", "I work in Lisbon"]),
        ("My wife and I have two kids", ["My wife and I have two kids"]),
    ],
)
def test_a_sentence_has_a_part_for_each_thing_that_the_user_says_of_themselves(text, parts):
    found = clauses(sentence(text))
    assert [each.original for each in found] == parts
    assert all(text[each.start : each.end].endswith(each.original[-4:]) for each in found)


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I'm vegan and allergic to nuts.", {"The user is vegan.", "The user is allergic to nuts."}),
        ("I'm allergic to cats, dogs and pollen.", {f"The user is allergic to {each}." for each in ("cats", "dogs", "pollen")}),
        ("I like running, cycling and swimming.", {f"The user likes {each}." for each in ("running", "cycling", "swimming")}),
        ("I like both cats and dogs.", {"The user likes cats.", "The user likes dogs."}),
        ("I like tea, thanks and bye.", {"The user likes tea."}),
        ("I like tea, I hate coffee but hate milk too.", {"The user likes tea.", "The user dislikes coffee.", "The user dislikes milk."}),
        ("My wife is Sofia and our son is Leo.", {"The user's wife is Sofia.", "The user's son is Leo."}),
        ("I'm a nurse and my husband is a teacher.", {"The user is a nurse.", "The user's husband is a teacher."}),
        ("Guess what, I got engaged!", {"The user got engaged!"}),
        ("My name isn't Anna, it's Ana.", {"The user's name is Ana."}),
        ("I love coffee ☕", {"The user likes coffee."}),
        ("My favourite book is \"My name is Red\".", set()),
        ("The song \"I'm from Barcelona\" is great.", set()),
    ],
)  # fmt: skip
def test_everything_that_a_sentence_says_is_kept(message, kept):
    assert texts(message) == kept


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I'm 34.", "The user is 34 years old."),
        ("I was born on 3 May 1990.", "The user was born on 3 May 1990."),
        ("I'm an AI researcher.", "The user is an AI researcher."),
        ("I'm a UX designer.", "The user is a UX designer."),
        ("I live near Leeds.", "The user lives near Leeds."),
        ("I like my coffee black.", "The user likes their coffee black."),
        ("My doctor is Dr. Patel.", "The user's doctor is Dr. Patel."),
        ("I have a severe allergy to penicillin.", "The user is allergic to penicillin."),
        ("My partner is Alex.", "The user's partner is Alex."),
        ("My wife and I have two kids.", "The user's wife and the user have two kids."),
        ("I stopped drinking coffee.", "The user stopped drinking coffee."),
        ("I have a daughter, Mia.", "The user's daughter is Mia."),
    ],
)
def test_a_sentence_is_kept_once_and_in_good_english(message, kept):
    assert texts(message) == {kept}


def test_who_somebody_works_with_is_no_employer():
    assert "employer" not in {
        each.attribute for each in plain(learned("I work with Sara and Tim."))
    }


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Call me Annie.", "The user wants to be called Annie."),
        ("Please call me Annie, please", "The user wants to be called Annie."),
        ("I go by Sam.", "The user wants to be called Sam."),
        ("i live in porto", "The user lives in Porto."),
        ("hi, i live in new york and i work nights", "The user lives in New York."),
        ("I'm getting married in June.", "The user is getting married in June (2026-06)."),
        ("I got married in June.", "The user got married in June (2025-06)."),
    ],
)
def test_how_to_be_addressed_where_one_lives_and_when_a_plan_is(said, text):
    assert text in texts(said)


@pytest.mark.parametrize(
    "said",
    [
        "Call me tomorrow.",
        "Call me Monday.",
        "Call me an Uber",
        "I prefer Python.",
        "i live in hope",
        "i live in constant fear",
    ],
)
def test_a_call_is_no_name_and_hope_no_place(said):
    found = texts(said)
    assert not any("called" in each or "lives in" in each for each in found)
