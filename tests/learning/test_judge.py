"""The judge among words and meaning: what people say over time, in plain words."""

from dataclasses import replace
from datetime import timedelta

import pytest
from bench.extract import InProcess, vector_of

from holdfast.learning import judge, meaning
from holdfast.learning.compare import compare
from holdfast.learning.judge import Judge, Pair, Verdict, pair_of, pairs_of
from holdfast.learning.model import KnownFact, Message, Speaker
from tests.learning.conversations import MONDAY, learned, plain


def held(*texts: str) -> list[str]:
    """The statements that hold after these messages, nine days apart."""
    learner = InProcess(Speaker())
    for number, text in enumerate(texts):
        at = MONDAY + timedelta(days=9 * number)
        learner._learn([Message(f"m{number}", "user", f"Remember that {text}", at)], learner.said)
    return [row.fact.said for row in learner.rows if not row.superseded]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("we heat with gas", "the heat pump went in on Monday, the gas meter is out"),
        ("my bike has a flat tyre", "I put a new inner tube in the bike"),
        ("I share an office with Farah", "Farah sits on the fourth floor, I share with Wim now"),
        ("we are looking for a tenant for the attic", "a cellist signed for the attic yesterday"),
        ("always answer in German", "always answer in English"),
    ],
)
def test_an_outcome_ends_what_came_before(first, then):
    assert not any(first in each for each in held("we have two cats", first, then))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("we heat with gas", "my parents heat with wood"),
        ("my daughter has football on Tuesdays", "my son has piano on Tuesdays"),
        ("my flight to Oslo leaves at 9:10", "my flight to Rome leaves at 7:40"),
    ],
)
def test_what_stands_beside_leaves_the_other_alone(first, then):
    after = held("we have two cats", first, then)
    assert any(first in each for each in after)
    assert any(then in each for each in after)


def test_a_fact_said_again_in_other_words_is_one_row():
    rows = held(
        "penicillin makes me ill, I am allergic to it", "an allergy to penicillin is what I have"
    )
    assert len(rows) == 1


def candidate(text: str):
    return plain(learned(f"Remember that {text}"))[0]


def fact(said: str, number: int = 0, attribute: str = "") -> KnownFact:
    return KnownFact(f"fact-{number}", said, "user" if attribute else "", attribute, "", said)


def outcome(of, known, verdict: Verdict):
    return compare(of, [known], {}, {pair_of(of, known.said): verdict}).outcome


def test_verdicts_decide_from_their_thresholds_on():
    plainly, changed = candidate("the attic is let to a cellist"), candidate("the attic is let now")
    earlier = fact("we look for somebody who wants our rooms upstairs")
    assert changed.change is not None
    assert plainly.change is None
    answer = replace(plainly, context="So the attic?")
    assert outcome(plainly, earlier, Verdict(judge.REPLACES_OPENING, 0.0)) == "supersede"
    assert outcome(plainly, earlier, Verdict(judge.REPLACES_OPENING - 0.01, 0.0)) == "add"
    assert outcome(answer, earlier, Verdict(judge.REPLACES, 0.0)) == "supersede"
    assert outcome(answer, earlier, Verdict(judge.REPLACES - 0.01, 0.0)) == "add"
    assert outcome(changed, earlier, Verdict(judge.REPLACES_CHANGED, 0.0)) == "supersede"
    assert outcome(changed, earlier, Verdict(judge.REPLACES_CHANGED - 0.01, 0.0)) == "add"
    assert outcome(plainly, earlier, Verdict(0.1, judge.REPEATS)) == "same"
    assert outcome(answer, earlier, Verdict(0.6, judge.REPEATS)) == "supersede"  # the likelier one


def test_a_slot_is_changed_only_by_a_statement_of_change_and_only_where_it_is_nearly_certain():
    plainly, changed = candidate("the attic is let to a cellist"), candidate("the attic is let now")
    slot = fact("I live in Lyon", attribute="lives_in")
    assert outcome(plainly, slot, Verdict(0.99, 0.0)) == "add"
    assert outcome(changed, slot, Verdict(0.89, 0.0)) == "add"
    assert outcome(changed, slot, Verdict(0.9, 0.0)) == "supersede"


def test_the_judge_ends_several_facts_at_once_but_nobody_elses():
    of = candidate("I passed, I drive alone now")
    known = [
        fact("my driving test is on the 24th", 1),
        fact("I have a lesson with Bo every Monday", 2),
        fact("my sister's driving test is in May", 3),
        fact("we have two cats", 4),
    ]
    sure, unsure = Verdict(0.97, 0.0), Verdict(judge.REPLACES_TOO - 0.01, 0.0)
    verdicts = {pair_of(of, each.said): sure for each in known[:3]}
    verdicts[pair_of(of, known[0].said)] = Verdict(0.99, 0.0)
    verdicts[pair_of(of, known[3].said)] = unsure
    found = compare(of, known, {}, verdicts)
    assert (found.outcome, found.fact_id, found.further) == ("supersede", "fact-1", ("fact-2",))


def test_what_two_statements_name_keeps_them_apart_unless_the_judge_is_certain():
    of = candidate("the back room is let to a cellist")
    named = fact("the attic is empty since May")
    assert outcome(of, named, Verdict(judge.CERTAIN - 0.01, 0.0)) == "add"
    assert outcome(of, named, Verdict(judge.CERTAIN, 0.0)) == "supersede"
    numbered, other = candidate("box 3 is full"), fact("box 4 is empty")
    assert outcome(numbered, other, Verdict(1.0, 0.0)) == "add"


def test_where_the_judge_spoke_no_other_sign_makes_a_change():
    of = candidate("the weekly food money is 200 from now on")
    earlier = fact("we spend 180 euros a week on groceries")
    vectors = {each: vector_of(each) for each in (*meaning.compared_by(of), earlier.said)}
    pair = pair_of(of, earlier.said)
    assert compare(of, [earlier], vectors).outcome == "supersede"
    assert compare(of, [earlier], vectors, {pair: Verdict(0.05, 0.0)}).outcome == "add"


def test_the_closest_are_judged_and_nothing_without_vectors():
    of = candidate("the attic is let to a cellist")
    said = [f"room {number} is let" for number in range(30)] + ["I am allergic to walnuts"]
    vectors = {each: vector_of(each) for each in (*meaning.compared_by(of), *said)}
    pairs = pairs_of(of, said, vectors)
    assert len(pairs) == judge.MOST
    assert all("room" in each.earlier for each in pairs)
    assert pairs_of(of, said, {}) == []


def test_what_was_said_right_before_is_not_read_twice():
    of = plain(learned("We look for a tenant.", "Remember that the attic is let."))[-1]
    assert pair_of(of, "the cellar is wet").before == "We look for a tenant."
    assert pair_of(of, "We look for a tenant.").before == ""


async def test_each_pair_is_judged_once_and_without_the_package_none(monkeypatch):
    pair = Pair("sold the car last week", "", "I drive a Golf")
    found = await Judge().verdicts([pair, pair])
    assert list(found) == [pair]
    assert found[pair].replaces > 0.5
    assert await Judge().verdicts([]) == {}
    monkeypatch.setitem(__import__("sys").modules, "holdfast_minilm", None)
    assert await Judge().verdicts([pair]) == {}


async def test_without_its_file_learning_goes_on(monkeypatch):
    import holdfast_minilm

    def damaged():
        raise holdfast_minilm.ModelUnavailable("judge.onnx of the model is damaged")

    monkeypatch.setattr(holdfast_minilm, "Judge", damaged)
    assert await Judge().verdicts([Pair("a", "", "b")]) == {}
