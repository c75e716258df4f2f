"""The operations on an agent's entries. The agent is the scope's own unless another is named."""

from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus

from holdfast_client.calls import (
    Call,
    Query,
    Reply,
    at,
    data_of,
    field_of,
    get,
    one,
    page_of,
    post,
    put,
    raw,
    remove,
)
from holdfast_client.entries.model import (
    BatchResult,
    Entry,
    EntryRevision,
    EntryScope,
    Hydration,
    ImportMode,
    ImportResult,
    NewEntry,
    Run,
    StoredEntry,
)
from holdfast_client.scope import Scope
from holdfast_client.values import Page, given

DEFAULT_BUDGET_BYTES = 262_144
MARKDOWN = "text/markdown"
ZIP = "application/zip"
ZIP_TIMEOUT_S = 300.0


# --- by key ----------------------------------------------------------------------------------------------------------


def store(
    asker: Scope,
    key: str,
    content: str,
    *,
    category: str = "core",
    tags: Sequence[str] = (),
    scope: EntryScope = "agent",
    run_id: str | None = None,
    expected_version: int | None = None,
    agent_id: str | None = None,
    if_match: int | None = None,
) -> Call[StoredEntry]:
    """Store a fact under a key, or refresh what is there. `conversation` entries need the run they belong to.

    With scope `user` it belongs to the user that the client acts for, and nobody else sees it.
    With `expected_version` only if that is the entry's version (0: there is none yet); Conflict otherwise, with the entry
    as it is now as `current`.
    """
    body = given(
        content=content,
        category=category,
        tags=list(tags),
        scope=scope,
        run_id=run_id,
        expected_version=expected_version,
    )
    path = _path(asker, agent_id, "entries", key)
    return put(asker, path, one(StoredEntry), body, if_match=if_match, conflict_as=Entry)


def recall(
    asker: Scope,
    key: str,
    *,
    run_id: str | None = None,
    scope: EntryScope | None = None,
    agent_id: str | None = None,
) -> Call[Entry]:
    """The entry under a key: of the run, else the user's with the agent, the agent's, its workspace's; else NotFound.

    With scope `user` only the user's, with `agent` only the others.
    """
    asked: Query = {"run_id": run_id, "scope": scope}
    return get(asker, _path(asker, agent_id, "entries", key), one(Entry), asked)


def recall_markdown(
    asker: Scope,
    key: str,
    *,
    run_id: str | None = None,
    scope: EntryScope | None = None,
    agent_id: str | None = None,
) -> Call[str]:
    """The entry under a key as a markdown page: its front matter, and the content verbatim."""
    path = _path(asker, agent_id, "entries", key)
    asked: Query = {"run_id": run_id, "scope": scope}
    return get(asker, path, _text, asked, headers={"Accept": MARKDOWN})


def list_entries(
    asker: Scope,
    *,
    category: str | None = None,
    tags: Sequence[str] = (),
    query: str | None = None,
    updated_after: datetime | None = None,
    updated_before: datetime | None = None,
    run_id: str | None = None,
    limit: int | None = None,
    after_id: str | None = None,
    before_id: str | None = None,
    agent_id: str | None = None,
) -> Call[Page[Entry]]:
    """The run's entries, the user's with the agent, the agent's and its workspace's, last stored first: those that have all
    the `tags`, and `query` in key or content. A page is of 100, with a query of 20, unless told otherwise."""
    asked: Query = {
        "category": category,
        "tag": list(tags),
        "query": query,
        "updated_after": updated_after,
        "updated_before": updated_before,
        "run_id": run_id,
        "limit": limit,
        "after_id": after_id,
        "before_id": before_id,
    }
    return get(asker, _path(asker, agent_id, "entries"), page_of(Entry), asked)


def forget(
    asker: Scope,
    key: str,
    *,
    run_id: str | None = None,
    category: str | None = None,
    scope: EntryScope | None = None,
    agent_id: str | None = None,
    if_match: int | None = None,
) -> Call[bool]:
    """Forget what `recall` would have found: whether there was anything. Its history stays."""
    asked: Query = {"run_id": run_id, "category": category, "scope": scope}
    path = _path(asker, agent_id, "entries", key)
    return remove(asker, path, field_of("forgotten", bool), query=asked, if_match=if_match)


def history(
    asker: Scope,
    key: str,
    *,
    run_id: str | None = None,
    category: str | None = None,
    scope: EntryScope | None = None,
    agent_id: str | None = None,
) -> Call[list[EntryRevision]]:
    """Every revision under a key, newest first; also of what was forgotten, evicted or has expired."""
    asked: Query = {"run_id": run_id, "category": category, "scope": scope}
    return get(asker, _path(asker, agent_id, "history", key), data_of(EntryRevision), asked)


def restore(
    asker: Scope,
    key: str,
    version: int,
    *,
    run_id: str | None = None,
    category: str | None = None,
    scope: EntryScope | None = None,
    agent_id: str | None = None,
    if_match: int | None = None,
) -> Call[StoredEntry]:
    """Store again what stood under a key at a version; Conflict where that has no content."""
    return post(
        asker,
        _path(asker, agent_id, "restore", key),
        one(StoredEntry),
        {"version": version},
        query={"run_id": run_id, "category": category, "scope": scope},
        if_match=if_match,
        conflict_as=Entry,
    )


def store_batch(
    asker: Scope,
    entries: Sequence[NewEntry],
    *,
    run_id: str | None = None,
    agent_id: str | None = None,
) -> Call[BatchResult]:
    """Store many in one transaction. One that is wrong is reported in `results` and skipped, the others are stored."""
    body = given(entries=list(entries), run_id=run_id)
    return post(asker, _path(asker, agent_id, "entries-batch"), one(BatchResult), body)


# --- runs ------------------------------------------------------------------------------------------------------------


def hydrate(
    asker: Scope,
    *,
    budget_bytes: int = DEFAULT_BUDGET_BYTES,
    run_id: str | None = None,
    agent_id: str | None = None,
) -> Call[Hydration]:
    """What the agent sees at the start of a run, within a budget of bytes."""
    asked: Query = {"budget_bytes": budget_bytes, "run_id": run_id}
    return get(asker, _path(asker, agent_id, "hydration"), one(Hydration), asked)


def hydrate_if_changed(
    asker: Scope,
    etag: str,
    *,
    budget_bytes: int = DEFAULT_BUDGET_BYTES,
    run_id: str | None = None,
    agent_id: str | None = None,
) -> Call[Hydration | None]:
    """What the agent sees, unless that is still what had this `etag`: then None."""
    asked: Query = {"budget_bytes": budget_bytes, "run_id": run_id}
    path = _path(asker, agent_id, "hydration")
    return get(asker, path, _unless_the_same, asked, headers={"If-None-Match": f'"{etag}"'})


def start_run(
    asker: Scope,
    *,
    hydrate: bool = False,
    budget_bytes: int = DEFAULT_BUDGET_BYTES,
    agent_id: str | None = None,
) -> Call[Run]:
    """Start a run; with `hydrate`, also what the agent sees, as its `hydration`."""
    body = given(hydrate=hydrate, budget_bytes=budget_bytes)
    return post(asker, _path(asker, agent_id, "runs"), one(Run), body)


def end_run(asker: Scope, run_id: str, *, agent_id: str | None = None) -> Call[Run]:
    """End a run and drop its `conversation` entries; writing under it is RunEnded from then on."""
    return post(asker, _path(asker, agent_id, "runs", run_id, "end"), one(Run))


# --- zip in and out --------------------------------------------------------------------------------------------------


def export_entries(
    asker: Scope, *, scope: EntryScope = "agent", agent_id: str | None = None
) -> Call[bytes]:
    """The agent's own entries as a zip of markdown pages; with scope `user`, the user's with the agent."""
    return get(asker, _path(asker, agent_id, "entries-export"), raw, {"scope": scope})


def import_entries(
    asker: Scope,
    content: bytes,
    *,
    mode: ImportMode = "upsert",
    scope: EntryScope = "agent",
    agent_id: str | None = None,
) -> Call[ImportResult]:
    """Store every page of a zip, or nothing of it; `replace` also forgets what is not in it."""
    return post(
        asker,
        _path(asker, agent_id, "entries-import"),
        one(ImportResult),
        content=content,
        content_type=ZIP,
        query={"mode": mode, "scope": scope},
        timeout_s=ZIP_TIMEOUT_S,
    )


def _path(asker: Scope, agent_id: str | None, *parts: str) -> str:
    return at("agents", asker.must_agent(agent_id), *parts)


def _text(reply: Reply) -> str:
    return reply.content.decode()


def _unless_the_same(reply: Reply) -> Hydration | None:
    return None if reply.status == HTTPStatus.NOT_MODIFIED else one(Hydration)(reply)
