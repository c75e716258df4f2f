"""A statement beside a question or a request in one sentence: each is read by itself."""

import pytest

from holdfast.learning.rules.joined import parted
from holdfast.learning.rules.text import sentences
from tests.learning.conversations import learned, plain


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I'm vegan, what should I cook?", ["I'm vegan", "what should I cook?"]),
        ("my flat has no oven, any ideas for dinner", ["my flat has no oven", "any ideas for dinner"]),
        ("Our landlord is Mr Petrov, draft him a note.", ["Our landlord is Mr Petrov", "draft him a note."]),
        ("The frontend is in Svelte - any style guide?", ["The frontend is in Svelte", "any style guide?"]),
        ("can you find me a recipe, I am vegetarian", ["can you find me a recipe", "I am vegetarian"]),
        ("Recommend a place because I'm celiac.", ["Recommend a place", "I'm celiac."]),
        ("born in 1987, so which scheme is mine?", ["born in 1987", "which scheme is mine?"]),
    ],
)  # fmt: skip
def test_a_statement_and_what_is_asked_are_cut_apart(text, parts):
    [sentence] = sentences(text)
    found = [each.sentence for each in parted(sentence)]
    assert [each.original for each in found] == parts
    assert [text[each.start : each.end] for each in found] == parts


@pytest.mark.parametrize(
    "text",
    [
        "If it rains, what do we do?",
        "Should I take the red, the blue, or the green one?",
        "Hi Ana, how are you?",
        "It's cold, isn't it?",
        "You live in Porto, right?",
        "For my wife, which one is better?",
        "I joined a club, which is the best thing I did.",
        "She won, would you believe, and then she slept.",
        "Quick question, is the bank open?",
        "I live in Porto, and my brother lives in Faro.",
    ],
)
def test_a_question_with_its_circumstances_stays_whole(text):
    [sentence] = sentences(text)
    assert [each.sentence.original for each in parted(sentence)] == [text]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I live in Porto, where can I park?", "The user lives in Porto."),
        ("What should I cook, I'm allergic to nuts", "The user is allergic to nuts."),
        (
            "Is an induction hob safe for me, I'm allergic to nickel?",
            "The user is allergic to nickel.",
        ),
        ("My sister Anna lives in Oslo, any gift ideas?", "The user's sister Anna lives in Oslo"),
    ],
)
def test_what_stands_beside_a_question_is_learned_without_it(text, kept):
    found = plain(learned(text))
    assert kept in {each.text for each in found}
    assert not any(
        word in each.text for each in found for word in ("?", "park", "cook", "hob", "gift")
    )
    assert all(text.find(each.sources[0].quote) >= 0 for each in found)
