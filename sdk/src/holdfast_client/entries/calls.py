"""The operations on an agent's entries. The agent is the given one, else the client's."""

from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus

from holdfast_client.calls import (
    Call,
    Query,
    Reply,
    at,
    field_of,
    get,
    one,
    page_of,
    post,
    put,
    raw,
    remove,
)
from holdfast_client.diffs import Point, TextDiff
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
    """Store an entry under a key, or replace the present one. `conversation` entries need the `run_id` of their run.

    With scope `user` the entry belongs to the user that the client acts for, and no other user sees it. With
    `expected_version` it is stored only if that is the entry's version (0: there is none yet); otherwise Conflict, with the
    present entry as `current`.
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
    as_of: datetime | None = None,
) -> Call[Entry]:
    """The entry under a key: the run's, else the user's with the agent, the agent's, the workspace's; else NotFound.

    Scope `user` looks only for the user's entry, scope `agent` only for the others. `as_of`: as it stood at an instant.
    """
    asked: Query = {"run_id": run_id, "scope": scope, "as_of": as_of}
    return get(asker, _path(asker, agent_id, "entries", key), one(Entry), asked)


def recall_markdown(
    asker: Scope,
    key: str,
    *,
    run_id: str | None = None,
    scope: EntryScope | None = None,
    agent_id: str | None = None,
) -> Call[str]:
    """The entry under a key as markdown: front matter, and the content unchanged."""
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
    """The entries of the run, of the user with the agent, of the agent and of its workspace, last stored first.

    Only entries with all of the `tags`, and with `query` in their key or content. The default page size is 100, and 20 with a
    query.
    """
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


def search(
    asker: Scope,
    query: str,
    *,
    limit: int = 20,
    run_id: str | None = None,
    agent_id: str | None = None,
) -> Call[Page[Entry]]:
    """The entries with `query` in their key or content, last stored first."""
    return list_entries(asker, query=query, limit=limit, run_id=run_id, agent_id=agent_id)


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
    """Delete the entry that `recall` would return; returns whether there was one. Its history stays."""
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
    limit: int = 1000,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[EntryRevision]]:
    """Revisions under a key, newest first, including forgotten, evicted and expired entries.

    The cursors are their `version_id`.
    """
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    asked: Query = {**page, "run_id": run_id, "category": category, "scope": scope}
    return get(asker, _path(asker, agent_id, "history", key), page_of(EntryRevision), asked)


def diff(
    asker: Scope,
    key: str,
    since: Point,
    until: Point,
    *,
    run_id: str | None = None,
    category: str | None = None,
    scope: EntryScope | None = None,
    agent_id: str | None = None,
) -> Call[TextDiff]:
    """What changed under a key between two versions or times, in either order."""
    asked: Query = {"run_id": run_id, "category": category, "scope": scope}
    path = _path(asker, agent_id, "diff", key)
    return get(asker, path, one(TextDiff), {**asked, "from": since, "to": until})


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
    """Store the content of an earlier version again; Conflict if that version has no content."""
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
    """Store many entries in one transaction. An invalid one is reported in `results` and skipped."""
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
    """The entries that the agent sees at the start of a run, within a byte budget."""
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
    """The entries that the agent sees; None if their etag is still `etag`."""
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
    """Start a run; with `hydrate`, its `hydration` has the entries that the agent sees."""
    body = given(hydrate=hydrate, budget_bytes=budget_bytes)
    return post(asker, _path(asker, agent_id, "runs"), one(Run), body)


def end_run(asker: Scope, run_id: str, *, agent_id: str | None = None) -> Call[Run]:
    """End a run and delete its `conversation` entries; later writes under it raise RunEnded."""
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
    """Store every page of a zip, or none; `replace` also deletes entries that are not in it."""
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
