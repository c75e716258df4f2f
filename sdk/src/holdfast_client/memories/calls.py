"""The operations on memories.

Agent, project and session are the client's unless the call names others. A call about one memory always uses the client's
scope.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

from holdfast_client.calls import (
    Call,
    Query,
    ask,
    at,
    data_of,
    delete,
    get,
    one,
    page_of,
    patch,
    post,
    raw,
)
from holdfast_client.diffs import Point, TextDiff
from holdfast_client.memories.model import (
    Asset,
    Batch,
    Change,
    Filters,
    Memory,
    MemoryRecallOptions,
    NewMemory,
    PastMemory,
    Recalled,
    SavedMemory,
    SaveOptions,
    Source,
    SourceKind,
)
from holdfast_client.scope import Scope
from holdfast_client.values import Page, given

ROOT = "memories"
ASSET_TIMEOUT_S = 300.0


def save_memory(
    asker: Scope,
    key: str,
    value: str,
    *,
    if_match: int | None = None,
    **options: Unpack[SaveOptions],
) -> Call[SavedMemory]:
    """Save a memory: a new one, or an update of the one that has the key in the same scope."""
    body = _located(asker, {"key": key, "value": value, **options})
    return post(asker, "/memories", one(SavedMemory), body, if_match=if_match)


def save_batch(asker: Scope, memories: Sequence[NewMemory]) -> Call[Batch]:
    """Save up to 1,000 memories in one transaction; each has its own result."""
    items = [_located(asker, each) for each in memories]
    return post(asker, "/memories/batch", one(Batch), {"memories": items})


def list_memories(
    asker: Scope,
    *,
    limit: int = 20,
    after_id: str | None = None,
    before_id: str | None = None,
    **filters: Unpack[Filters],
) -> Call[Page[Memory]]:
    """Memories, newest first, filtered by the agent, project and session of the call."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    query: dict[str, Any] = {**filters, **asker.place(filters)}
    return get(asker, "/memories", page_of(Memory), {**page, **query})


def read_memory(
    asker: Scope, memory_id: str, *, include_expired: bool = False, as_of: datetime | None = None
) -> Call[Memory]:
    """One memory, now or as it stood at an instant."""
    query: Query = {**_about_one(asker, include_expired), "as_of": as_of}
    return get(asker, at(ROOT, memory_id), one(Memory), query)


def change_memory(
    asker: Scope,
    memory_id: str,
    *,
    include_expired: bool = False,
    if_match: int | None = None,
    **changes: Unpack[Change],
) -> Call[Memory]:
    """Change the given fields; None removes an optional one."""
    return patch(
        asker,
        at(ROOT, memory_id),
        one(Memory),
        given(**changes),
        query=_about_one(asker, include_expired),
        if_match=if_match,
    )


def recall_memories(
    asker: Scope, query: str, **options: Unpack[MemoryRecallOptions]
) -> Call[Recalled]:
    """Find memories by word and by meaning, best first."""
    body = _located(asker, {"q": query, **options})
    return ask(asker, "/memories/recall", one(Recalled), body)


def history(
    asker: Scope,
    memory_id: str,
    *,
    include_expired: bool = False,
    limit: int = 1000,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[PastMemory]]:
    """Versions of a memory, newest first, including the present one. The cursors are their `version_id`."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    asked: Query = {**page, **_about_one(asker, include_expired)}
    return get(asker, at(ROOT, memory_id, "history"), page_of(PastMemory), asked)


def diff(
    asker: Scope, memory_id: str, since: Point, until: Point, *, include_expired: bool = False
) -> Call[TextDiff]:
    """What changed in a memory's value between two versions or times, in either order."""
    query: Query = {**_about_one(asker, include_expired), "from": since, "to": until}
    return get(asker, at(ROOT, memory_id, "diff"), one(TextDiff), query)


def restore_memory(
    asker: Scope,
    memory_id: str,
    version: int,
    *,
    include_expired: bool = False,
    if_match: int | None = None,
) -> Call[Memory]:
    """Write an earlier version again, as the newest."""
    return post(
        asker,
        at(ROOT, memory_id, "restore"),
        one(Memory),
        {"version": version},
        query=_about_one(asker, include_expired),
        if_match=if_match,
    )


def retire_memory(asker: Scope, memory_id: str, *, if_match: int | None = None) -> Call[Memory]:
    """End a memory's validity now, so that it is not recalled or listed again; its history stays."""
    path = at(ROOT, memory_id, "retire")
    return post(asker, path, one(Memory), query=asker.place(), if_match=if_match)


def delete_memory(
    asker: Scope, memory_id: str, *, include_expired: bool = False, if_match: int | None = None
) -> Call[None]:
    """Erase a memory. Needs a person at a browser: with any API key it raises StepUpRequired."""
    query = _about_one(asker, include_expired)
    return delete(asker, at(ROOT, memory_id), query=query, if_match=if_match, repeatable=True)


# --- sources and assets of a memory ------------------------------------------------------------------------------------------


def add_source(
    asker: Scope, memory_id: str, kind: SourceKind, ref: str, *, quote: str | None = None
) -> Call[Source]:
    """Link a memory to what produced it."""
    body = given(kind=kind, ref=ref, quote=quote)
    path = at(ROOT, memory_id, "sources")
    return post(asker, path, one(Source), body, query=asker.place())


def list_sources(asker: Scope, memory_id: str) -> Call[list[Source]]:
    """What produced a memory."""
    return get(asker, at(ROOT, memory_id, "sources"), data_of(Source), asker.place())


def remove_sources(
    asker: Scope, memory_id: str, *, kind: SourceKind | None = None, ref: str | None = None
) -> Call[None]:
    """Remove the links with this kind, this ref, or both."""
    query: Query = {**asker.place(), "kind": kind, "ref": ref}
    return delete(asker, at(ROOT, memory_id, "sources"), query=query)


def upload_asset(
    asker: Scope,
    memory_id: str,
    name: str,
    content: bytes,
    *,
    content_type: str = "application/octet-stream",
) -> Call[Asset]:
    """Attach a file of at most 25 MiB."""
    return post(
        asker,
        at(ROOT, memory_id, "assets"),
        one(Asset),
        content=content,
        content_type=content_type,
        query={**asker.place(), "name": name},
        timeout_s=ASSET_TIMEOUT_S,
    )


def list_assets(
    asker: Scope,
    memory_id: str,
    *,
    limit: int = 20,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[Asset]]:
    """The files attached to a memory, newest first."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    path = at(ROOT, memory_id, "assets")
    return get(asker, path, page_of(Asset), {**page, **asker.place()})


def download_asset(asker: Scope, memory_id: str, asset_id: str) -> Call[bytes]:
    """The bytes of a file."""
    return get(asker, at(ROOT, memory_id, "assets", asset_id), raw, asker.place())


def delete_asset(asker: Scope, memory_id: str, asset_id: str) -> Call[None]:
    """Erase a file. Needs a person at a browser: with any API key it raises StepUpRequired."""
    path = at(ROOT, memory_id, "assets", asset_id)
    return delete(asker, path, query=asker.place(), repeatable=True)


def _located(asker: Scope, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A body with the agent, project and session of the call."""
    return given(**{**fields, **asker.place(fields)})


def _about_one(asker: Scope, include_expired: bool) -> Query:
    return {**asker.place(), "include_expired": include_expired or None}
