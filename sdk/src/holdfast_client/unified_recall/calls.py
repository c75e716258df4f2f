"""The first verbs: remember, recall, forget."""

import hashlib
from typing import Unpack

from holdfast_client.calls import Call, ask, one
from holdfast_client.memories.calls import retire_memory, save_memory
from holdfast_client.memories.model import Memory, SavedMemory, SaveOptions
from holdfast_client.scope import Scope
from holdfast_client.unified_recall.model import EveryRecallOptions, RecalledThing, RecalledThings
from holdfast_client.values import given


def remember(
    asker: Scope, value: str, key: str | None = None, **options: Unpack[SaveOptions]
) -> Call[SavedMemory]:
    """Save a memory: for the user anywhere, unless `scope` says "project" or "agent".

    Without a `key` it has one of its text, so that the same text is remembered once; with a key, what was remembered
    under it is replaced.
    """
    return save_memory(asker, key or key_of(value), value, **options)


def recall(asker: Scope, query: str, **options: Unpack[EveryRecallOptions]) -> Call[RecalledThings]:
    """What fits a query best, of every kind that the caller may see (or of the `kinds` that are named)."""
    body = given(**{"query": query, **options, **asker.place(options)})
    return ask(asker, "/recall", one(RecalledThings), body)


def forget(asker: Scope, memory: str | Memory | RecalledThing) -> Call[Memory]:
    """End a memory's validity now, so that it is not recalled again: by its id, as a memory, or as it was recalled.

    Its history stays, and restoring an earlier version brings it back. To erase it for good takes a person at a browser.
    Forgetting twice is no error.
    """
    return retire_memory(asker, _id_of(memory))


def key_of(value: str) -> str:
    """The key of a text that was given none."""
    return f"text-{hashlib.sha256(value.encode()).hexdigest()[:16]}"


def _id_of(memory: str | Memory | RecalledThing) -> str:
    if isinstance(memory, RecalledThing) and memory.kind != "memory":
        raise ValueError(f"this is no memory but a {memory.kind}: it goes by its own face")
    return memory if isinstance(memory, str) else memory.id
