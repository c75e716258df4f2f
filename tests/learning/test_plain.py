"""Plain messages to an assistant: the files are well formed, and most are learned from as they should be."""

import re

import pytest
from bench.extract import InProcess
from bench.plain import (
    BOTH,
    CHANGED,
    NOTHING,
    OTHER,
    SAME,
    STATED,
    measure_plain,
    read_nothing,
    read_pairs,
    read_statements,
)

from holdfast.learning.model import Speaker

FLOORS = {STATED: 0.85, CHANGED: 0.42, BOTH: 0.48, SAME: 0.5, OTHER: 0.9}
MOST = {NOTHING: 0.13}


def test_most_plain_statements_are_learned_and_most_passing_remarks_are_not():
    shares = measure_plain(lambda: InProcess(Speaker()))
    found = {(part, name): share.value for part, of in shares.items() for name, share in of.items()}
    assert {
        key: value
        for key, value in found.items()
        if value < FLOORS.get(key[1], 0.0) or value > MOST.get(key[1], 1.0)
    } == {}
    assert {name for _, name in found} >= {*FLOORS, *MOST}


def words_of(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


def test_no_message_stands_twice():
    said = [words_of(each.text) for each in (*read_statements(), *read_nothing())]
    assert len(set(said)) == len(said)
    pairs = [words_of(text) for each in read_pairs() for text in (each.before, each.now)]
    assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize("kind", ["change", "same", "other"])
def test_half_of_the_pairs_of_each_kind_are_set_aside(kind):
    aside = [each.aside for each in read_pairs() if each.kind == kind]
    assert sum(aside) * 2 == len(aside) > 0


def test_a_word_that_is_looked_for_stands_in_its_message():
    for said in read_statements():
        assert said.word in said.text.lower()
    for pair in read_pairs():
        assert pair.before_word in pair.before.lower()
        assert pair.now_word in pair.now.lower()
