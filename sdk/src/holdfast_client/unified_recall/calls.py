"""The operations remember, recall and forget."""

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
    """Save a memory, visible to the user everywhere unless `scope` is "project" or "agent".

    Without a `key`, the key is made from the text, so the same text is saved once. With a key, the memory that has this key is
    updated.
    """
    return save_memory(asker, key or key_of(value), value, **options)


def recall(asker: Scope, query: str, **options: Unpack[EveryRecallOptions]) -> Call[RecalledThings]:
    """Search every kind of memory that the caller may see (or only `kinds`), best first."""
    body = given(**{"query": query, **options, **asker.place(options)})
    return ask(asker, "/recall", one(RecalledThings), body)


def forget(asker: Scope, memory: str | Memory | RecalledThing) -> Call[Memory]:
    """End a memory's validity now, so that it is not recalled again: by its id, as a memory, or as it was recalled.

    Its history stays, and restoring an earlier version makes it valid again. Erasing it needs a person at a browser.
    Forgetting twice is no error.
    """
    return retire_memory(asker, _id_of(memory))


def key_of(value: str) -> str:
    """The key for a text that is saved without one: `text-` and the start of its SHA-256."""
    return f"text-{hashlib.sha256(value.encode()).hexdigest()[:16]}"


def _id_of(memory: str | Memory | RecalledThing) -> str:
    if isinstance(memory, RecalledThing) and memory.kind != "memory":
        raise ValueError(f"this is no memory but a {memory.kind}: it goes by its own face")
    return memory if isinstance(memory, str) else memory.id
