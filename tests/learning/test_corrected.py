"""Values that are put right: "No, it's Ana, not Anna."."""

import pytest

from holdfast.learning.compare import compare
from holdfast.learning.model import KnownFact
from tests.learning.conversations import learned


@pytest.mark.parametrize(
    ("said", "now"),
    [
        (("My name is Anna.", "No, it's not Anna, it's Ana."), "The user's name is Ana."),
        (("My name is Anna.", "Sorry, it's Ana, not Anna."), "The user's name is Ana."),
        (("My name is Anna. Sorry, Ana, not Anna!",), "The user's name is Ana."),
        (("I live in Berlin.", "No wait, I meant Bern, not Berlin."), "The user lives in Bern."),
        (("My meeting is on Tuesday.", "Correction: it's on Wednesday, not Tuesday."), "The user's meeting is on Wednesday."),
        (("My dentist is Dr. Lind.", "How late is it?", "Oh, it's Dr. Lund, not Dr. Lind."), "The user's dentist is Dr. Lund."),
    ],
)  # fmt: skip
def test_a_value_that_is_put_right_fills_its_slot_again(said, now):
    was, *_, is_now = learned(*said).candidates
    assert (is_now.text, is_now.attribute, is_now.change) == (now, was.attribute, "replaces")
    assert is_now.text == was.text.replace(is_now.replaced_value, is_now.value.removeprefix("on "))
    assert compare(is_now, [KnownFact("was", was.text, was.subject, was.attribute, was.value)]).outcome == "supersede"  # fmt: skip


@pytest.mark.parametrize(
    ("said", "attribute"),
    [
        (("I speak French.", "Sorry, German, not French."), "speaks:german"),
        (("I'm allergic to peanuts.", "No, it's cashews, not peanuts."), "allergic_to:cashew"),
    ],
)
def test_a_slot_with_its_value_in_its_name_gets_another_name(said, attribute):
    was, now = learned(*said).candidates
    assert now.attribute == attribute
    held = KnownFact("was", was.text, was.subject, was.attribute, was.value)
    other = KnownFact("other", "The user speaks Greek.", "user", "speaks:greek", "Greek")
    found = compare(now, [held, other])
    assert (found.outcome, found.fact_id) == ("supersede", "was")


def test_a_value_gets_the_article_that_it_needs():
    _, now = learned("I'm a nurse.", "Not a nurse but an engineer, sorry.").candidates
    assert (now.text, now.value) == ("The user is an engineer.", "engineer")


def test_a_whole_statement_is_not_a_value():
    _, now = learned(
        "I live in Porto.", "Correction: I live in Braga now, not in Porto."
    ).candidates
    assert now.text == "The user lives in Braga."


def test_a_value_that_nobody_named_is_not_put_right():
    assert learned("I live in Berlin.", "It's raining, not snowing.").candidates == learned("I live in Berlin.").candidates  # fmt: skip
    assert learned(("assistant", "Your name is Anna."), "It's Ana, not Anna.").candidates == ()
