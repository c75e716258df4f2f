"""A model behind a real HTTP server, and answers for it to give."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conversations.stub_llm import StubLlm, stub_llm


@pytest.fixture(scope="module")
def model() -> Iterator[StubLlm]:
    with stub_llm() as stub:
        yield stub


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
