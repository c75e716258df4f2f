"""What a message is worth by its cues and by what the model reads in it."""

from datetime import timedelta

import pytest
from bench.extract import chance_of
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.caller import operator
from holdfast.learning.extractor import RulesExtractor
from holdfast.learning.judge import Judge
from holdfast.learning.model import Message, Said
from holdfast.learning.rules import extract, lasting, to_weigh
from holdfast.learning.rules.extract import SITTING
from tests.learning.conversations import MONDAY, said, speaker, talk


def learned(*messages: Message, context: tuple[Message, ...] = ()) -> list[str]:
    """What is learned of messages with what the model reads in them."""
    chances = {each: chance_of(each) for each in to_weigh(messages, context)}
    found = extract(messages, context=context, speaker=speaker(), chances=chances)
    return [each.text for each in found.candidates if not each.only_as_change]


LASTING = (
    "the basement flooded two weeks ago and we lost the washing machine, whats a good cheap one",
    "our band plays in Ghent on the 5th of September",
    "the team voted for two week sprints",
    "In two weeks Svetlana takes over my clients, write a handover list",
)
PASSING = (
    "my formula in C4 gives #REF! since I dropped the column",
    "I bought a croissant at the station and it was stale",
    "I had toast this morning and my coffee got cold",
    "I like the second version better",
)


@pytest.mark.parametrize("text", LASTING)
def test_a_plain_lasting_statement_is_kept(text):
    assert extract([said(text)], speaker=speaker()).candidates == ()
    chances = {each: chance_of(each) for each in to_weigh([said(text)])}
    [found] = extract([said(text)], speaker=speaker(), chances=chances).candidates
    assert found.confidence >= lasting.KEEP_OPENING
    assert found.reason.startswith("likely to be worth keeping (")
    assert text.startswith(found.sources[0].quote)


@pytest.mark.parametrize("text", PASSING)
def test_a_passing_remark_is_not_kept_whatever_its_cues(text):
    assert learned(said(text)) == []


def test_a_slot_and_an_order_are_kept_whatever_the_model_says():
    for text in ("My name is Teodora.", "From now on answer in two sentences."):
        chances = dict.fromkeys(to_weigh([said(text)]), 0.0)
        assert extract([said(text)], speaker=speaker(), chances=chances).candidates


def message_of(text: str, name: str | None = None, minutes: float = 1) -> Message:
    return Message("m9", "user", text, MONDAY + timedelta(minutes=minutes), name)


def outcome(message: Message, chance: float, *context: Message) -> str:
    """Kept, kept if it replaces something, or left, where the model gives it this chance."""
    chances = dict.fromkeys(to_weigh([message], context), chance)
    assert len(chances) == 1
    found = extract([message], context=context, speaker=speaker(), chances=chances).candidates
    if not found:
        return "left"
    return "if it replaces" if found[0].only_as_change else "kept"


def test_within_a_conversation_more_is_asked_and_less_for_a_change():
    asked = said("And how was your day?", role="assistant")
    plain, change = "Otto repaired the fence", "Otto no longer repairs the fence"
    assert outcome(message_of(plain), 0.9) == "kept"
    assert outcome(message_of(plain), 0.9, asked) == "if it replaces"
    assert outcome(message_of(plain), 0.9999, asked) == "kept"
    assert outcome(message_of(change), 0.9, asked) == "kept"
    assert outcome(message_of(plain), 0.01, asked) == "left"
    next_day = (SITTING + timedelta(minutes=1)).total_seconds() / 60
    assert outcome(message_of(plain, minutes=next_day), 0.9, asked) == "kept"
    assert outcome(message_of(plain, name="Maya"), 0.9) == "if it replaces"


def test_a_short_answer_is_kept_with_its_question():
    asked = said("So how many guests is it now?", role="assistant")
    [found] = extract(
        [message_of("a hundred and five")],
        context=[asked],
        speaker=speaker(),
        chances={Said("a hundred and five", asked.content): 0.9999},
    ).candidates
    assert found.text == (
        'Asked "So how many guests is it now?", The user said: "a hundred and five"'
    )
    assert found.sources[0].quote == "a hundred and five"


def test_what_is_weighed_is_what_the_user_states_behind_what_was_said_before_without_secrets():
    messages = talk(
        "I live in Porto, where can I park?",
        ("assistant", "Behind the station."),
        "I work in Gaia. my key is sk-live-4eC39HqLyjWDarjtT1zdp7dc",
        "Thanks!",
        ("assistant", "Which floor?"),
        "the third, since May",
    )
    weighed = to_weigh(messages)
    assert [each.before for each in weighed] == ["", "Behind the station.", "Which floor?"]
    assert weighed[0].text == "I live in Porto, where can I park?"
    assert "[secret]" in weighed[1].text
    assert weighed[2].text == "the third, since May"


chances = st.floats(0, 1)


@given(chances, chances, chances)
def test_the_probability_rises_with_the_cues_and_with_the_chance(worth, chance, more):
    now = lasting.probability(worth, chance)
    assert 0 <= now <= 1
    assert lasting.probability(max(worth, more), chance) >= now
    assert lasting.probability(worth, max(chance, more)) >= now


async def test_without_the_model_patterns_and_cues_decide():
    message = said(LASTING[1])
    found = await RulesExtractor(Judge()).extract(operator("org"), [message], speaker=speaker())
    assert len(found.extraction.candidates) == 1
    for judge in (None, Judge(is_used=False)):
        found = await RulesExtractor(judge).extract(operator("org"), [message], speaker=speaker())
        assert found.extraction.candidates == ()
