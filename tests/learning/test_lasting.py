"""The weights over the memory model's vector: what is plain and lasting is kept, what is passing is not."""

import base64
import json
from datetime import timedelta

import numpy as np
import pytest
from bench.extract import vector_of
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.caller import operator
from holdfast.kernel.embed import Embedders
from holdfast.kernel.embedding_models import LocalModel
from holdfast.learning.extractor import RulesExtractor
from holdfast.learning.model import Message
from holdfast.learning.rules import extract, lasting, to_weigh
from holdfast.learning.rules.extract import SITTING, _lasts
from holdfast.learning.rules.reading import read
from tests.learning.conversations import MONDAY, said, speaker, talk


def weighed(messages: list[Message], context: tuple[Message, ...] = ()) -> list[str]:
    """What is learned of messages with the model's vectors."""
    vectors = {words: vector_of(words) for words in to_weigh(messages)}
    found = extract(messages, context=context, speaker=speaker(), vectors=vectors)
    return [each.text for each in found.candidates]


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
def test_a_plain_lasting_statement_is_kept_by_its_vector(text):
    assert extract([said(text)], speaker=speaker()).candidates == ()
    vectors = {words: vector_of(words) for words in to_weigh([said(text)])}
    [found] = extract([said(text)], speaker=speaker(), vectors=vectors).candidates
    assert found.rule == "lasting"
    assert found.confidence >= lasting.OPENING
    assert f"({found.confidence:.2f})" in found.reason
    assert text.startswith(found.sources[0].quote)


@pytest.mark.parametrize("text", PASSING)
def test_a_passing_remark_is_not_kept_whatever_its_cues(text):
    assert weighed([said(text)]) == []


def test_a_slot_and_an_order_are_kept_whatever_the_vector_says():
    nothing = lasting.weights().vector * -100  # the farthest from all that lasts
    for text in ("My name is Teodora.", "From now on answer in two sentences."):
        vectors = dict.fromkeys(to_weigh([said(text)]), nothing)
        assert extract([said(text)], speaker=speaker(), vectors=vectors).candidates


def test_within_a_conversation_more_is_asked():
    """Between the two thresholds, it is the message before that makes the difference."""
    remark = next(
        text
        for text in ("My dog died", "I moved to Berlin", "i sold my car", "The deadline is Friday")
        if lasting.OPENING <= _probability(text) < lasting.WITHIN
    )
    [message] = talk(remark)
    before = said("And how was your day?", role="assistant")
    later = Message("m9", "user", remark, MONDAY + SITTING + timedelta(minutes=1))
    assert not _clear(message, before)
    assert _clear(message, None)
    assert _clear(later, before)  # who comes back the next day opens a conversation


def _probability(text: str) -> float:
    stated = read(said(text)).statements
    signs = lasting.signs(stated, beside=(), answers=False, within=False)
    return lasting.probability(signs, vector_of(lasting.words_of(stated)))


def _clear(message: Message, before: Message | None) -> bool:
    reading = read(message)
    vectors = {words: vector_of(words) for words in to_weigh([message])}
    return _lasts(reading, [before] if before else [], vectors).clearly


def test_among_several_people_nothing_is_weighed():
    message = Message("m0", "user", LASTING[1], MONDAY, "Maya")
    assert to_weigh([message]) == []


def test_what_is_weighed_is_what_the_user_states_without_secrets():
    messages = talk(
        "I live in Porto, where can I park?",
        ("assistant", "Behind the station."),
        "my key is sk-live-4eC39HqLyjWDarjtT1zdp7dc",
        "Thanks!",
    )
    assert to_weigh(messages) == ["I live in Porto"]


def test_the_weights_are_those_of_the_bundled_model_and_of_its_size():
    assert lasting.weights().model == LocalModel.name
    assert lasting.weights().vector.shape == vector_of("word").shape
    written = json.loads(lasting.FILE.read_text())
    assert len(base64.b64decode(written["vector"])) == len(lasting.weights().vector)


@given(st.lists(st.sampled_from([*LASTING, *PASSING, "I live in Porto.", "Hm."]), max_size=4))
def test_every_sign_has_a_weight_and_the_sum_is_a_probability(texts):
    stated = [each for text in texts for each in read(said(text)).statements]
    signs = lasting.signs(stated, beside=("joke",), answers=True, within=True)
    assert signs.keys() == lasting.weights().cues.keys()
    chance = lasting.probability(signs, np.zeros_like(lasting.weights().vector))
    assert 0 < chance < 1


async def test_the_extractor_weighs_with_the_bundled_model_alone():
    """With no embedder the patterns and cues decide, as they do with a remote one."""
    message = said(LASTING[1])
    with_model = RulesExtractor(Embedders("local"))
    found = await with_model.extract(operator("org"), [message], speaker=speaker())
    assert len(found.extraction.candidates) == 1
    for spec in ("none", "http://127.0.0.1:9"):
        other = RulesExtractor(Embedders(spec))
        found = await other.extract(operator("org"), [message], speaker=speaker())
        assert found.extraction.candidates == ()
    assert with_model.embedders is not None
    await with_model.embedders.close()
