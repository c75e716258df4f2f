"""How people say that something changed: the forms of data/memchat/changes.json, and what a short answer needs its question for."""

from datetime import timedelta

import pytest
from bench.changes import measure_forms
from bench.extract import InProcess

from holdfast.learning.model import Candidate, Message, Speaker
from holdfast.learning.rules import extract
from tests.learning.conversations import said

FLOORS = {
    "change: new one held, old one not": {"tuned on": 0.8, "set aside": 0.5},
    "other: old one left alone": {"tuned on": 0.5, "set aside": 0.85},
}


def test_most_forms_of_change_end_the_earlier_statement_and_nothing_else():
    shares = measure_forms(lambda: InProcess(Speaker()))
    below = {
        (part, name): share.value
        for part, of_part in shares.items()
        for name, share in of_part.items()
        if share.value < FLOORS[name][part]
    }
    assert below == {}


def answered(question: str, answer: str, *, role: str = "assistant") -> list[Candidate]:
    at = said("x").created_at
    before = Message("q", role, question, at)  # type: ignore[arg-type]
    found = extract([before, Message("a", "user", answer, at)], speaker=Speaker())
    return list(found.candidates)


def test_a_short_answer_is_kept_with_its_question_and_cites_the_user_alone():
    [found] = answered("And the rent?", "780 since January.")
    assert found.text.startswith('Asked "And the rent?", The user said: "780 since January')
    assert ([each.message_id for each in found.sources], found.trust) == (["a"], "user")
    assert found.change == "replaces"


@pytest.mark.parametrize(
    ("question", "answer", "role"),
    [
        ("And the film?", "Lovely, thanks.", "assistant"),  # says nothing
        ("And the rent?", "Do you mean 780 since January?", "assistant"),  # a question back
        ("And the rent?", "780 since January.", "tool"),  # a tool asks nobody
        ("x" * 200 + "? And " + "the rent " * 30 + "?", "780 since then.", "assistant"),
    ],
)
def test_an_answer_without_a_statement_or_without_a_plain_question_is_not_kept(
    question, answer, role
):
    assert answered(question, answer, role=role) == []


@pytest.mark.parametrize(
    "text",
    ["It starts on 7 September. Is that right?", "The shop closes at six. Are you sure?"],
)
def test_a_statement_that_is_asked_about_at_once_is_not_kept(text):
    assert extract([said(text)], speaker=Speaker()).candidates == ()


def test_what_comes_on_top_replaces_nothing():
    learner = InProcess(Speaker())
    for number, text in enumerate(("I bought a bicycle in March.", "I bought a helmet too.")):
        at = said("x").created_at
        learner._learn([Message(f"m{number}", "user", text, at)], [])
    assert len(learner.current()) == len(learner.rows)


def settled(*texts: str) -> InProcess:
    """A learner after these messages, each two months after the one before."""
    learner = InProcess(Speaker())
    for number, text in enumerate(texts):
        at = said("x").created_at + timedelta(days=60 * number)
        learner._learn([Message(f"m{number}", "user", text, at)], [])
    return learner


def test_too_may_be_about_what_somebody_else_said():
    learner = settled(
        "My boss has moved me to the night desk until Easter because of my wrist.",
        "I got the night desk job too, permanent, from September, said my boss.",
    )
    [was, now] = learner.rows
    assert (was.superseded, now.superseded) == (True, False)


def test_a_word_of_change_may_stand_in_another_sentence_than_its_topic():
    learner = settled(
        "Remember that the doctor says no aeroplane for me until a year has passed. Remember that we booked Denmark for two weeks in August.",
        "I have asked about the aeroplane. From January it is allowed.",
    )
    assert ["aeroplane" in row.fact.text for row in learner.rows if row.superseded] == [True]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("sugar?", "121. doc was tickled."), ("😂 and the endoscopy?", "got it. and said no")],
)
def test_an_answer_to_a_question_of_one_word_is_kept_with_it(question, answer):
    [found] = answered(question, answer)
    assert found.text.startswith(f'Asked "{question}", The user said: "')


@pytest.mark.parametrize("question", ["Really?", "ok when?", "and then?"])
def test_a_question_that_names_nothing_is_no_topic(question):
    assert answered(question, "It was 121.") == []
