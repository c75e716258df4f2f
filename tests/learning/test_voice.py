"""From the user's words to a sentence for a prompt."""

import pytest

from holdfast.learning.model import Speaker
from holdfast.learning.rules.dates import find_dates
from holdfast.learning.rules.text import fold
from holdfast.learning.rules.voice import third_person, to_sentence
from tests.learning.conversations import MONDAY


def turned(text: str, name: str | None = None) -> str:
    return to_sentence(text, find_dates(fold(text), MONDAY), Speaker(name))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("I passed the exam.", "The user passed the exam."),
        ("I tick the box and I don't look back.", "The user ticks the box and the user doesn't look back."),
        ("My sister came yesterday.", "The user's sister came yesterday (2026-03-01)."),
        ("I've bought a van", "The user has bought a van"),
        ("Bríd eats fish but no meat.", "Bríd eats fish but no meat."),
        ("Oh and btw, I sold the car.", "The user sold the car."),
        ("I no longer work at Acme.", "The user no longer works at Acme."),
        ("im a nurse", "The user is a nurse"),
        ("No, I live in Porto.", "The user lives in Porto."),
        ("no i live in Porto", "The user lives in Porto"),
        ("No more meat on Fridays.", "No more meat on Fridays."),  # without "no" it would say the opposite
        ("No Sundays at the shop for Maya.", "No Sundays at the shop for Maya."),
        ("Good bread matters.", "Good bread matters."),
    ],
)  # fmt: skip
def test_the_first_person_becomes_the_third(text, sentence):
    assert turned(text) == sentence


@pytest.mark.parametrize(
    "text", ["we booked Sardinia", "your plan worked for me", "booked for the 5th"]
)
def test_what_cannot_be_turned_without_guessing_is_quoted(text):
    assert turned(text, "Maya").startswith('Maya said: "')


def test_a_name_takes_the_place_of_the_user():
    assert turned("I swim on Tuesdays.", "Maya") == "Maya swims on Tuesdays."


@pytest.mark.parametrize(
    ("verb", "form"), [("go", "goes"), ("carry", "carries"), ("play", "plays"), ("have", "has"), ("went", "went"), ("miss", "misses"), ("can", "can"), ("walked", "walked")]
)  # fmt: skip
def test_verbs_take_their_ending(verb, form):
    assert third_person(verb) == form
