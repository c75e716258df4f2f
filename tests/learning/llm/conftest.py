"""A model behind a real HTTP server, and answers for it to give."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from holdfast.kernel.db import Database
from holdfast.kernel.ledger import MeteredLlm
from holdfast.kernel.llm import ChatCompletions
from holdfast.learning.llm import LlmExtractor
from tests.conversations.stub_llm import StubLlm, stub_llm


@pytest.fixture(scope="module")
def model() -> Iterator[StubLlm]:
    with stub_llm() as stub:
        yield stub


@pytest.fixture
def extractor(db: Database, model: StubLlm) -> LlmExtractor:
    """The extractor on that model, which finds nothing until it is told to."""
    model.status, model.delay_s, model.reply, model.reply_to = 200, 0.0, answer(), None
    model.asked.clear()
    return LlmExtractor(MeteredLlm(db, ChatCompletions("stub-1", model.url, "sk-for-the-stub")))


def lines(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """What a model was sent, line by line."""
    return [json.loads(each) for each in asked["messages"][1]["content"].splitlines()[1:]]


def held(asked: dict[str, Any]) -> dict[str, str]:
    """The ids of the held facts that a model was shown, by their texts."""
    return {each["text"]: each["id"] for each in lines(asked) if each["id"].startswith("k")}


def fact(quote: str, *, message: str = "m1", **more: Any) -> dict[str, Any]:
    """A fact as a model gives it."""
    given = {
        "kind": "fact",
        "text": "The user parks on level 3.",
        "target": "memory",
        "confidence": 0.9,
        "sources": [{"message": message, "quote": quote}],
    }
    return {**given, **more}


def answer(*facts: dict[str, Any], retracted: tuple[str, ...] = ()) -> str:
    """A whole answer."""
    return json.dumps({"facts": list(facts), "retracted": list(retracted)})
