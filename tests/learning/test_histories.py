"""Statements weeks apart: which of the earlier ones still hold."""

from datetime import timedelta

import pytest
from bench.extract import InProcess

from holdfast.learning.model import Message, Speaker
from tests.learning.conversations import MONDAY


def held(*said: str) -> set[str]:
    """The texts that hold after these messages, nine days apart."""
    learner = InProcess(Speaker())
    for number, text in enumerate(said):
        message = Message(f"m{number}", "user", text, MONDAY + timedelta(days=9 * number))
        learner._learn([message], learner.said)
        learner.said.append(message)
    return {row.fact.text for row in learner.rows if not row.superseded}


@pytest.mark.parametrize(
    ("first", "then", "ended"),
    [
        ("My girlfriend is Joana.", "I have a new girlfriend, Marta.", "The user's girlfriend is Joana."),
        ("My girlfriend is Joana.", "My girlfriend and I broke up.", "The user's girlfriend is Joana."),
        ("I have a dog named Rex.", "My dog died.", "The user's dog is Rex."),
        ("My manager is Tom.", "My manager is Eva now.", "The user's manager is Tom."),
        ("I prefer tea to coffee.", "I prefer coffee now.", "The user prefers tea."),
    ],
)  # fmt: skip
def test_what_a_newer_statement_ends(first, then, ended):
    assert ended in held(first)
    after = held(first, then)
    assert after
    assert ended not in after


@pytest.mark.parametrize(
    ("first", "then", "stays"),
    [
        ("My manager is Tom.", "My manager moved the meeting to Friday.", "The user's manager is Tom."),
        ("My wife is Sofia.", "My wife started a new job in May.", "The user's wife is Sofia."),
        ("I like coffee.", "I also like tea.", "The user likes coffee."),
        ("My car is a blue Golf.", "My car is at the garage.", "The user's car is a blue Golf."),
    ],
)  # fmt: skip
def test_what_a_newer_statement_leaves_alone(first, then, stays):
    after = held(first, then)
    assert stays in after
    assert len(after) > 1


def test_how_a_thing_is_at_the_moment_does_not_replace_what_it_is():
    assert "The user's car is a blue Golf." in held("My car is a blue Golf.", "My car is broken.")


def test_a_second_job_does_not_replace_the_first():
    assert "The user is a nurse." in held("I'm a nurse.", "I'm also a yoga teacher.")
