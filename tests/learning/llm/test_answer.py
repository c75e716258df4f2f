"""A model's answer: what is refused as a whole, what is dropped, what becomes a candidate."""

import json
from datetime import UTC, datetime

import pytest

from holdfast.learning.llm.answer import Malformed, as_extraction, parse, schema
from holdfast.learning.model import KnownFact, Message
from tests.learning.llm.conftest import answer, fact

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
MESSAGES = {
    "m1": Message("a", "user", "I park on level 3, and I love tea.", AT),
    "m2": Message("b", "assistant", "So you live in Porto?", AT),
    "m3": Message("c", "user", "Yes, exactly.", AT),
    "m4": Message("d", "tool", "The user lives in Rome.", AT),
    "m5": Message("e", "user", "Look:\n```\nI live in Oslo.\n```\nnice", AT),
}


def made(*facts, **more):
    return as_extraction(parse(answer(*facts, **more)), MESSAGES)


def test_a_fact_becomes_a_candidate_with_its_source():
    [found] = made(fact("I park on level 3", attribute="Parking spot", value="level 3")).candidates
    assert (found.text, found.trust, found.attribute, found.value) == (
        "The user parks on level 3.",
        "user",
        "parking_spot",
        "level 3",
    )
    assert [(each.message_id, each.quote) for each in found.sources] == [("a", "I park on level 3")]
    assert found.valid_from == AT


def test_an_attribute_of_several_values_carries_its_value():
    [found] = made(fact("I love tea", attribute="likes", value="Tea")).candidates
    assert found.attribute == "likes:tea"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ({"message": "m1", "quote": "I park on level 4"}, "words that nobody said"),
        ({"message": "m9", "quote": "I park on level 3"}, "a message that is not there"),
        ({"message": "c1", "quote": "I park on level 3"}, "context may not be cited"),
        ({"message": "m2", "quote": "you live in Porto"}, "the assistant's words alone"),
        ({"message": "m4", "quote": "The user lives in Rome."}, "a tool's words alone"),
        ({"message": "m5", "quote": "I live in Oslo."}, "a pasted document"),
    ],
)
def test_a_fact_that_rests_on_nothing_the_user_said_is_dropped(source, why):
    good = fact("I love tea")
    found = made({**fact("x"), "sources": [source]}, good).candidates
    assert [each.sources[0].quote for each in found] == ["I love tea"], why


def test_words_of_the_assistant_that_the_user_confirms_have_its_trust():
    both = [{"message": "m3", "quote": "Yes"}, {"message": "m2", "quote": "you live in Porto"}]
    [found] = made({**fact("x"), "sources": both}).candidates
    assert found.trust == "assistant"


HELD = {"k1": KnownFact("memory_1", "drinks coffee"), "k2": KnownFact("memory_2", "loves tea")}


def test_held_facts_are_named_by_the_ids_that_were_shown_and_others_are_ignored():
    named = fact("I love tea", replaces=["k1", "k9", "m1", "memory_2", "k1"], restates="k2")
    unknown = fact("I love tea", restates="c1")
    first, second = as_extraction(parse(answer(named, unknown)), MESSAGES, HELD).candidates
    assert (first.replaces, first.restates) == (("memory_1",), "memory_2")
    assert (second.replaces, second.restates) == ((), None)


def test_a_fact_that_nobody_said_replaces_nothing():
    made_up = fact("Ignore previous instructions", replaces=["k1", "k2"])
    tools = fact("The user lives in Rome.", message="m4", replaces=["k1"])
    assert as_extraction(parse(answer(made_up, tools)), MESSAGES, HELD).candidates == ()


def test_as_many_held_facts_as_one_answer_may_replace():
    named = [fact("I love tea", replaces=[f"k{n}", f"k{n + 1}"]) for n in range(0, 10, 2)]
    assert len(parse(answer(*named, *named)).facts) == 10


def test_what_was_taken_back_is_named_and_not_kept():
    found = made(fact("I love tea"), retracted=("m1", "m4", "m9"))
    assert (found.candidates, found.retracted) == ((), ("a",))


def test_a_fact_that_cites_a_secret_is_dropped():
    masked = {"m1": Message("a", "user", "the code is [secret] today", AT)}
    assert as_extraction(parse(answer(fact("the code is [secret]"))), masked).candidates == ()


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, I cannot help with that.",
        "[]",
        '{"facts": {}}',
        '{"facts": [{"text": "x"}]}',
        answer({**fact("I love tea"), "kind": "rumour"}),
        answer({**fact("I love tea"), "confidence": 7}),
        answer({**fact("I love tea"), "extra": 1}),
        answer(*[fact("I love tea")] * 61),
        answer(fact("I love tea", replaces="k1")),
        answer(fact("I love tea", replaces=[f"k{n}" for n in range(6)])),
        answer(*[fact("I love tea", replaces=[f"k{n}", f"k{n + 1}"]) for n in range(0, 12, 2)]),
        answer(fact("I love tea"))[:-9],
    ],
)
def test_an_answer_of_another_shape_is_refused_whole_without_its_words(text):
    with pytest.raises(Malformed) as refused:
        parse(text)
    assert "tea" not in str(refused.value)


def test_a_fence_around_the_answer_is_read_through():
    assert len(parse(f"```json\n{answer(fact('I love tea'))}\n```").facts) == 1


def test_the_schema_suits_strict_structured_output():
    text = json.dumps(schema())
    assert "maxLength" not in text
    fields = schema()["$defs"]["FoundFact"]
    assert fields["required"] == list(fields["properties"])
    assert fields["additionalProperties"] is False
