"""The extractive summary: which sentences it keeps, and for how long."""

import pytest

from holdfast.conversations.flush.extract import HEADING, extract
from holdfast.conversations.model import Draft
from holdfast.kernel import clock
from holdfast.kernel.tokens import tokenizer_for

TOKENIZER = tokenizer_for(None)
CHATTER = "Well, that sounds lovely and really makes for a pleasant sort of conversation"


def said(*texts: str, role: str = "user") -> list[Draft]:
    return [Draft(text, role, text, 5, "short_term", clock.now()) for text in texts]  # type: ignore[arg-type]


def lines(summary: str) -> list[str]:
    return [line.removeprefix("- ") for line in summary.removeprefix(HEADING).splitlines()]


def test_it_prefers_names_numbers_dates_and_decisions_to_chatter():
    facts = [
        "We meet at 17:30.",
        "My sister Ingrid moved.",
        "The deadline is on Friday.",
        "We decided on the blue one.",
    ]
    messages = said(*(text for fact in facts for text in (f"{CHATTER}, {fact[3:6]}.", fact)))
    kept = lines(extract(messages, None, TOKENIZER, 56))
    assert kept == [f"user: {fact}" for fact in facts]


def test_tool_payloads_questions_and_repetitions_are_left_out():
    messages = [
        *said('{"rows": [1, 2, 3], "id": "Z-99"}', role="tool"),
        *said('{"call": "lookup", "n": 12}', role="assistant"),
        *said("The code is 4711.", "The code is 4711!", "the code is 4711"),
        *said("What is the code of Ana?"),
    ]
    assert lines(extract(messages, None, TOKENIZER, 30))[0] == "user: the code is 4711"
    kept = extract(messages, None, TOKENIZER, 400)
    assert kept.lower().count("the code is 4711") == 1
    assert "Z-99" not in kept
    assert "lookup" not in kept


def test_the_newest_part_has_at_least_half_of_the_room():
    earlier = HEADING + "\n".join(f"- user: Earlier fact number {n} of Ana." for n in range(40))
    new = [f"Newer fact number {n} of Bob." for n in range(40)]
    summary = extract(said(*new), earlier, TOKENIZER, 200)
    kept = lines(summary)
    of_new = [line for line in kept if "Newer" in line]
    assert TOKENIZER.count(summary) <= 200
    assert len(of_new) >= len(kept) // 2  # by tokens; a line may not fit
    assert len(kept) - len(of_new) > 0
    assert [line for line in kept if "Earlier" in line] + of_new == kept  # in their order


def test_what_the_new_ones_leave_free_goes_to_the_earlier_summary():
    earlier = HEADING + "\n".join(f"- user: Earlier fact number {n} of Ana." for n in range(10))
    kept = lines(extract(said("Bob is 41."), earlier, TOKENIZER, 400))
    assert len(kept) == 11


def test_it_does_not_freeze_after_the_first_flush():
    summary = None
    for flush in range(12):
        facts = said(*(f"Fact {flush}.{n} is about Ana." for n in range(6)))
        summary = extract(facts, summary, TOKENIZER, 90)
        assert f"Fact {flush}." in summary
        assert TOKENIZER.count(summary) <= 90


@pytest.mark.parametrize("room", [1, 5, 12, 40])
def test_it_fits_whatever_the_room(room):
    summary = extract(said("word " * 500, "Ana is 41."), None, TOKENIZER, room)
    assert summary
    assert TOKENIZER.count(summary) <= max(room, 1)
    assert extract([], None, TOKENIZER, room) == ""
    assert extract(said("[1, 2]", role="tool"), None, TOKENIZER, room) == ""
