"""Every rule on its own examples: they stand beside the patterns, and run here."""

import pytest

from holdfast.learning.rules import moods, poison
from holdfast.learning.rules.build import change_of, slot_candidates
from holdfast.learning.rules.families import SHAPES, SLOTS
from holdfast.learning.rules.families.answer import RULES as ANSWERS
from holdfast.learning.rules.families.correction import (
    PUT_RIGHT,
    PUT_RIGHT_EXAMPLES,
    RETRACTION,
    RETRACTION_EXAMPLES,
    RETRACTION_NOT_EXAMPLES,
)
from holdfast.learning.rules.families.correction import RULES as CHANGES
from holdfast.learning.rules.families.explicit import RULES as EXPLICIT
from holdfast.learning.rules.family import match_shape, match_slot
from holdfast.learning.rules.reading import read
from holdfast.learning.rules.text import Sentence, compile_rule, fold
from holdfast.learning.rules.worth import CUES
from tests.learning.conversations import said, speaker


def sentence(text: str) -> Sentence:
    return Sentence(0, len(text), text, fold(text))


def slots_of(text: str) -> dict[str, str]:
    """The rules that fill a slot from a sentence that states something, with their values."""
    found = [read(said(text)).statements, read(said(text)).standing]
    whole = [*found[0], *(each for each, _ in found[1])]
    return {
        candidate.rule.split("/", 1)[1]: candidate.value
        for each in whole
        for _, candidate in slot_candidates(said(text), each, speaker())
    }


@pytest.mark.parametrize(
    ("rule", "text", "value"),
    [(rule, *example) for rule in SLOTS for example in rule.examples],
    ids=lambda each: getattr(each, "name", None) or str(each)[:40],
)
def test_a_slot_rule_finds_the_value_of_its_example(rule, text, value):
    found = match_slot(rule, sentence(text))
    assert found is not None
    assert found.value == value


@pytest.mark.parametrize(
    ("rule", "text"), [(rule, text) for rule in SLOTS for text in rule.not_examples], ids=lambda each: getattr(each, "name", None) or str(each)[:40]
)  # fmt: skip
def test_a_slot_rule_stays_silent_where_nothing_is_said(rule, text):
    assert rule.name not in slots_of(text)


@pytest.mark.parametrize("rule", SHAPES, ids=lambda rule: rule.name)
def test_a_shape_rule_knows_its_examples(rule):
    assert [text for text in rule.examples if not match_shape(rule, sentence(text))] == []
    assert [text for text in rule.not_examples if match_shape(rule, sentence(text))] == []


@pytest.mark.parametrize("rule", [*SLOTS, *SHAPES], ids=lambda rule: f"{rule.kind}: {rule.name}")
def test_every_rule_has_an_example(rule):
    assert rule.examples


@pytest.mark.parametrize("rule", CHANGES, ids=lambda rule: rule.name)
def test_a_rule_of_change_knows_its_examples(rule):
    found = [(text, change_of(sentence(text))) for text, _ in rule.examples]
    assert [(text, change, old or "") for text, (change, old) in found] == [
        (text, rule.change, old) for text, old in rule.examples
    ]


def test_a_retraction_is_known_by_its_words():
    pattern = compile_rule(RETRACTION)
    assert [text for text in RETRACTION_EXAMPLES if not pattern.search(text)] == []
    assert [text for text in RETRACTION_NOT_EXAMPLES if pattern.search(text)] == []


@pytest.mark.parametrize(
    ("text", "value"), [example for rule in EXPLICIT for example in rule.examples]
)
def test_a_request_to_remember_is_found_in_ten_languages(text, value):
    assert [each.sentence.original for each in read(said(text)).asked] == [value]


@pytest.mark.parametrize("text", [text for rule in EXPLICIT for text in rule.not_examples])
def test_speaking_of_remembering_is_no_request(text):
    assert read(said(text)).asked == ()


@pytest.mark.parametrize(
    "mood",
    [*moods.SENTENCE_MOODS, moods.REQUEST, moods.FICTION, moods.PRIVATE],
    ids=lambda mood: mood.name,
)
def test_a_mood_knows_its_examples(mood):
    found = moods.matcher(mood)
    assert [text for text in mood.examples if not found(fold(text))] == []
    assert [text for text in mood.not_examples if found(fold(text))] == []


@pytest.mark.parametrize("cue", CUES, ids=lambda cue: cue.name)
def test_a_cue_knows_its_example(cue):
    assert compile_rule(cue.pattern, ignore_case=cue.ignore_case).search(fold(cue.example))


def test_orders_about_memory_are_told_from_plain_text():
    assert [text for text in poison.EXAMPLES if not poison.find_orders(fold(text))] == []
    assert [text for text in poison.NOT_EXAMPLES if poison.find_orders(fold(text))] == []


@pytest.mark.parametrize("rule", ANSWERS, ids=lambda rule: rule.name)
def test_an_answer_rule_knows_its_questions_and_answers(rule):
    asks, answers = compile_rule(rule.question), compile_rule(rule.answer)
    unless = compile_rule(rule.unless) if rule.unless else None

    def fits(question: str, answer: str) -> bool:
        means_it = unless is None or not unless.search(fold(question))
        return means_it and bool(asks.search(fold(question)) and answers.search(fold(answer)))

    assert [each for each in rule.examples if not fits(*each)] == []
    assert [each for each in rule.not_examples if fits(*each)] == []


@pytest.mark.parametrize(("text", "old", "new"), PUT_RIGHT_EXAMPLES)
def test_putting_right_names_both_values(text, old, new):
    (match,) = compile_rule(PUT_RIGHT).finditer(fold(text))
    assert {old, new} <= set(match.groups())
