"""Answers of tools in few tokens: `[{id, text, when, from}]`, as many as fit a budget."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from holdfast.edge.toolbox import Worded
from holdfast.edge.wire import as_wire, plain
from holdfast.kernel.tokens import Tokenizer


def line(id: str, text: str, when: datetime, source: str, **more: Any) -> dict[str, Any]:
    """One thing as a model reads it: its id, what it says, the day it is of, and where it comes from."""
    return {"id": id, **more, "text": text, "when": when.date().isoformat(), "from": source}


def stamped(id: str, text: str, when: datetime, source: str) -> dict[str, Any]:
    """The same with the whole time, for what a write has to name it by."""
    return {"id": id, "text": text, "when": as_wire(when), "from": source}


def listed(found: Sequence[Any], max_tokens: int | None = None) -> Worded:
    """A list as the text of an answer, cut after the last that fits the budget; the structure has it as `data`."""
    data = [plain(each) for each in found]
    text = _json(data)
    while data and max_tokens is not None and Tokenizer().count(text) > max_tokens:
        data = data[: _most(data, max_tokens)]
        text = _json(data)
    return Worded({"data": data}, text)


def _most(data: list[Any], max_tokens: int) -> int:
    """How many of these could fit, one fewer than there are at most: each costs at least its own text."""
    total = 0
    for number, each in enumerate(data[:-1]):
        total += Tokenizer().count(_json(each))
        if total > max_tokens:
            return number
    return len(data) - 1


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
