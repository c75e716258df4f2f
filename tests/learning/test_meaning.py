"""Comparison by meaning: which earlier statement a word of change ends, with the real embedder."""

from dataclasses import replace
from datetime import timedelta

import pytest

from holdfast.kernel.embed import open_embedder
from holdfast.learning import meaning
from holdfast.learning.compare import compare
from holdfast.learning.model import Candidate, KnownFact
from tests.learning.conversations import learned, plain

BUDGET = "€180 a week for everything, lunches included."
CLOSE = meaning.Near(quote=0.5, in_context=0.5, message=0.5, message_in_context=0.5)
SHARED = meaning.Words(share=0.3, beside=0.0, around=0.5)
SWIMMING = "Tadhg swims at the Westbad and his coach is Mrs Doyle."


def candidate(text: str) -> Candidate:
    return plain(learned(f"Remember that {text}"))[0]


def known(text: str, name: str, *, days_ago: int) -> KnownFact:
    of = candidate(text)
    return KnownFact(
        name, of.text, said=of.sources[0].quote, said_at=of.valid_from - timedelta(days=days_ago)
    )


async def decided(
    said: str, *, days_ago: int = 60, with_vectors: bool = True
) -> tuple[str, str | None]:
    new = candidate(said)
    facts = [
        known(BUDGET, "budget", days_ago=days_ago),
        known(SWIMMING, "swimming", days_ago=days_ago),
    ]
    embedder = open_embedder("local")
    assert embedder is not None
    words = [new.sources[0].quote, *(fact.said for fact in facts)]
    vectors = await meaning.embed_words(embedder, words) if with_vectors else meaning.NONE
    await embedder.close()
    result = compare(new, facts, vectors)
    return result.outcome, result.fact_id


async def test_a_word_of_change_ends_the_closest_earlier_statement_in_other_words():
    assert await decided("the weekly food money is 200 euros from now on.") == (
        "supersede",
        "budget",
    )


async def test_without_vectors_other_words_are_something_new():
    assert await decided("the weekly food money is 200 euros from now on.", with_vectors=False) == (
        "add",
        None,
    )


@pytest.mark.parametrize(
    "said",
    [
        "the school canteen costs little and the food is good.",  # close, but nothing says that it changed
        "the cat sleeps on the radiator these days.",  # a word of change, but about nothing that is known
    ],
)
async def test_closeness_alone_or_a_word_of_change_alone_ends_nothing(said):
    assert (await decided(said))[0] == "add"


async def test_what_was_said_in_the_same_sitting_is_likelier_kept():
    new, fact = (
        candidate("the weekly food money is 200 euros now."),
        known(BUDGET, "budget", days_ago=30),
    )
    just_said = replace(fact, said_at=new.valid_from)
    chances = [
        meaning.probability(meaning.features(new, each, near=CLOSE, rank=0, words=SHARED))
        for each in (fact, just_said)
    ]
    assert chances[0] > chances[1]


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("Remember that the cat is ill.", "the cat is ill."),
        ("The cat is ill.", "The cat is ill."),
    ],
)
def test_a_request_to_remember_is_not_part_of_what_is_compared(quote, words):
    assert meaning.without_request(quote) == words


async def test_no_embedder_and_no_words_give_no_vectors():
    assert await meaning.embed_words(None, ["x"]) == {}
    embedder = open_embedder("local")
    assert await meaning.embed_words(embedder, ["", ""]) == {}


async def test_the_message_before_helps_to_find_what_is_replaced():
    new = replace(
        candidate("it is 200 from now on."),
        context="And what do you spend on food and lunches in a week?",
    )
    facts = [
        known(BUDGET, "budget", days_ago=60),
        known(SWIMMING, "swimming", days_ago=60),
    ]
    embedder = open_embedder("local")
    words = [
        new.sources[0].quote,
        meaning.in_context(new),
        *(fact.said for fact in facts),
    ]
    vectors = await meaning.embed_words(embedder, words)
    without = {each: vectors[each] for each in words if each != meaning.in_context(new)}
    assert compare(new, facts, vectors).score > compare(new, facts, without).score


async def test_the_other_sentences_of_a_message_help_to_find_what_is_replaced():
    new = replace(
        candidate("it is 200 from now on."),
        message="We talked about what food and lunches cost us. It is 200 from now on.",
    )
    facts = [known(BUDGET, "budget", days_ago=60), known(SWIMMING, "swimming", days_ago=60)]
    embedder = open_embedder("local")
    words = [*meaning.compared_by(new), *(fact.said for fact in facts)]
    vectors = await meaning.embed_words(embedder, words)
    found, alone = (compare(each, facts, vectors) for each in (new, replace(new, message="")))
    assert (found.outcome, found.fact_id) == ("supersede", "budget")
    assert found.score > alone.score


def test_a_candidate_is_compared_by_its_quote_and_its_message_with_and_without_what_was_before():
    new = replace(
        candidate("it is 200 now."), context="And the rent?", message="Well. It is 200 now."
    )
    assert meaning.compared_by(new) == (
        new.sources[0].quote,
        "And the rent? it is 200 now.",
        "Well. It is 200 now.",
        "And the rent? Well. It is 200 now.",
    )
    assert meaning.whole(replace(new, message="")) == "it is 200 now."


def test_every_sign_has_a_weight():
    found = meaning.features(
        candidate("the rent is 200 now."),
        known(BUDGET, "budget", days_ago=3),
        near=CLOSE,
        rank=3,
        words=SHARED,
    )
    assert found.keys() == meaning.WEIGHTS.keys()
