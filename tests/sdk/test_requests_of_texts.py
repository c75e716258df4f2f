"""Every argument of the methods for entries, blocks and stores is in the request, under its own name."""

from holdfast_client.entries.model import NewEntry
from tests.sdk.requested import NOON, PAGE, SENT_NOON, Row, must_send, rows_of

ENTRY = {"run_id": "run_1", "category": "conversation", "scope": "user"}
OF_AGENT = "/agents/other"
ZIP = b"PK\x05\x06" + bytes(18)
IF_3 = {"If-Match": '"3"'}


@rows_of(
    Row(
        "entries.store",
        lambda c: c.entries.store(
            "a/b", "x", tags=["t"], expected_version=0, agent_id="other", if_match=3, **ENTRY
        ),
        f"PUT {OF_AGENT}/entries/a%2Fb",
        body={"content": "x", "tags": ["t"], "expected_version": 0, **ENTRY},
        headers=IF_3,
    ),
    Row(
        "entries.store",
        lambda c: c.entries.put("k", "x"),
        "PUT /agents/bot/entries/k",
        body={
            "content": "x",
            "category": "core",
            "tags": [],
            "scope": "agent",
            "run_id": None,
            "expected_version": None,
        },
    ),
    Row(
        "entries.recall",
        lambda c: c.entries.recall("k", run_id="run_1", scope="user", agent_id="other", as_of=NOON),
        f"GET {OF_AGENT}/entries/k",
        query={"run_id": "run_1", "scope": "user", "as_of": SENT_NOON},
    ),
    Row(
        "entries.recall",
        lambda c: c.entries.recall_markdown("k", run_id="run_1", scope="user", agent_id="other"),
        f"GET {OF_AGENT}/entries/k",
        query={"run_id": "run_1", "scope": "user"},
        headers={"Accept": "text/markdown"},
        without={"as_of": "markdown is of the present entry"},
    ),
    Row(
        "entries.list",
        lambda c: c.entries.list(
            category="note",
            tags=["a", "b"],
            query="tea",
            updated_after=NOON,
            updated_before=NOON,
            run_id="run_1",
            agent_id="other",
            **PAGE,
        ),
        f"GET {OF_AGENT}/entries",
        query={
            "category": "note",
            "tag": ["a", "b"],
            "query": "tea",
            "updated_after": SENT_NOON,
            "updated_before": SENT_NOON,
            "run_id": "run_1",
            **PAGE,
        },
    ),
    Row(
        "entries.forget",
        lambda c: c.entries.forget("k", agent_id="other", if_match=3, **ENTRY),
        f"DELETE {OF_AGENT}/entries/k",
        query=ENTRY,
        headers=IF_3,
    ),
    Row(
        "entries.history",
        lambda c: c.entries.history("k", agent_id="other", **ENTRY, **PAGE),
        f"GET {OF_AGENT}/history/k",
        query={**ENTRY, **PAGE},
    ),
    Row(
        "entries.diff",
        lambda c: c.entries.diff("k", NOON, 4, agent_id="other", **ENTRY),
        f"GET {OF_AGENT}/diff/k",
        query={"from": SENT_NOON, "to": 4, **ENTRY},
    ),
    Row(
        "entries.restore",
        lambda c: c.entries.restore("k", 2, agent_id="other", if_match=3, **ENTRY),
        f"POST {OF_AGENT}/restore/k",
        query=ENTRY,
        body={"version": 2},
        headers=IF_3,
        without={"scope": "it is in the query, as for the other operations"},
    ),
    Row(
        "entries.store_batch",
        lambda c: c.entries.store_batch(
            [NewEntry("k", "x", "note", ["t"], "user")], run_id="run_1", agent_id="other"
        ),
        f"POST {OF_AGENT}/entries-batch",
        body={
            "entries": [
                {"key": "k", "content": "x", "category": "note", "tags": ["t"], "scope": "user"}
            ],
            "run_id": "run_1",
        },
    ),
    Row(
        "entries.hydrate",
        lambda c: c.entries.hydrate(budget_bytes=99, run_id="run_1", agent_id="other"),
        f"GET {OF_AGENT}/hydration",
        query={"budget_bytes": 99, "run_id": "run_1"},
    ),
    Row(
        "entries.hydrate",
        lambda c: c.entries.hydrate_if_changed("abc", budget_bytes=99, run_id="run_1"),
        "GET /agents/bot/hydration",
        query={"budget_bytes": 99, "run_id": "run_1"},
        headers={"If-None-Match": '"abc"'},
    ),
    Row(
        "entries.start_run",
        lambda c: c.entries.start_run(hydrate=True, budget_bytes=99, agent_id="other"),
        f"POST {OF_AGENT}/runs",
        body={"hydrate": True, "budget_bytes": 99},
    ),
    Row(
        "entries.end_run",
        lambda c: c.entries.end_run("run_1", agent_id="other"),
        f"POST {OF_AGENT}/runs/run_1/end",
    ),
    Row(
        "entries.export",
        lambda c: c.entries.export(scope="user", agent_id="other"),
        f"GET {OF_AGENT}/entries-export",
        query={"scope": "user"},
    ),
    Row(
        "entries.import_zip",
        lambda c: c.entries.import_zip(ZIP, mode="replace", scope="user", agent_id="other"),
        f"POST {OF_AGENT}/entries-import",
        query={"mode": "replace", "scope": "user"},
        body=ZIP,
        content_type="application/zip",
    ),
)
async def test_entries(row):
    await must_send(row)


AT_OTHER = {"scope": "agent", "agent_id": "other"}


@rows_of(
    Row(
        "blocks.list",
        lambda c: c.blocks.list(**AT_OTHER),
        "GET /memory/blocks",
        query=AT_OTHER,
    ),
    Row(
        "blocks.read",
        lambda c: c.blocks.read("core", as_of=NOON, **AT_OTHER),
        "GET /memory/blocks/core",
        query={"as_of": SENT_NOON, **AT_OTHER},
    ),
    Row(
        "blocks.write",
        lambda c: c.blocks.write(
            "core", "tea", expected_updated_at=NOON, scope="agent", if_match=3
        ),
        "PUT /memory/blocks/core",
        query={"scope": "agent", "agent_id": "bot"},
        body={"content": "tea", "expected_updated_at": SENT_NOON},
        headers=IF_3,
    ),
    Row(
        "blocks.edit_line",
        lambda c: c.blocks.edit_line(
            "archival", old_line="tea", new_line="coffee", if_match=3, **AT_OTHER
        ),
        "PATCH /memory/blocks/archival",
        query=AT_OTHER,
        body={"old_line": "tea", "new_line": "coffee"},
        headers=IF_3,
    ),
    Row(
        "blocks.delete",
        lambda c: c.blocks.delete("core", expected_updated_at=NOON, if_match=3, **AT_OTHER),
        "DELETE /memory/blocks/core",
        query={"expected_updated_at": SENT_NOON, **AT_OTHER},
        headers=IF_3,
    ),
    Row(
        "blocks.history",
        lambda c: c.blocks.history("core", **AT_OTHER, **PAGE),
        "GET /memory/blocks/core/history",
        query={**AT_OTHER, **PAGE},
    ),
    Row(
        "blocks.diff",
        lambda c: c.blocks.diff("core", 1, NOON, **AT_OTHER),
        "GET /memory/blocks/core/diff",
        query={"from": 1, "to": SENT_NOON, **AT_OTHER},
    ),
    Row(
        "blocks.restore",
        lambda c: c.blocks.restore("core", 2, expected_updated_at=None, if_match=3, **AT_OTHER),
        "POST /memory/blocks/core/restore",
        query=AT_OTHER,
        body={"version": 2, "expected_updated_at": None},
        headers=IF_3,
    ),
    Row(
        "blocks.recall",
        lambda c: c.blocks.recall("tea", agent_id="other", limit=3, min_score=0.5),
        "POST /memory/recall",
        body={"query": "tea", "agent_id": "other", "limit": 3, "min_score": 0.5},
    ),
)
async def test_blocks(row):
    await must_send(row)


STORE = "/memory_stores/s1"
SHOWN = {"name": "notes", "description": "d", "visibility": "private", "read_only": True}
BETWEEN = {"created_since": NOON, "created_until": NOON}
SENT_BETWEEN = {"created_at[gte]": SENT_NOON, "created_at[lte]": SENT_NOON}


@rows_of(
    Row(
        "stores.create",
        lambda c: c.stores.create(metadata={"a": "b"}, **SHOWN),
        "POST /memory_stores",
        body={"metadata": {"a": "b"}, **SHOWN},
    ),
    Row(
        "stores.list_stores",
        lambda c: c.stores.list_stores(include_archived=True, name="no", **BETWEEN, **PAGE),
        "GET /memory_stores",
        query={"include_archived": True, "name": "no", **SENT_BETWEEN, **PAGE},
    ),
    Row("stores.open", lambda c: c.stores.open("s1"), f"GET {STORE}"),
    Row(
        "stores.change",
        lambda c: c.stores.change("s1", metadata={"a": None}, if_match=3, **SHOWN),
        f"PATCH {STORE}",
        body={"metadata": {"a": None}, **SHOWN},
        headers=IF_3,
    ),
    Row(
        "stores.delete_store",
        lambda c: c.stores.delete_store("s1", if_match=3),
        f"DELETE {STORE}",
        headers=IF_3,
    ),
    Row(
        "stores.archive",
        lambda c: c.stores.archive("s1", if_match=3),
        f"POST {STORE}/archive",
        headers=IF_3,
    ),
    Row(
        "stores.create_entry",
        lambda c: c.stores.create_entry("s1", "a/b.md", "x", metadata={"a": "b"}),
        f"POST {STORE}/memories",
        body={"path": "a/b.md", "content": "x", "metadata": {"a": "b"}},
    ),
    Row(
        "stores.list",
        lambda c: c.stores.list(
            "s1", path_prefix="a/", depth=2, limit=7, after_path="a/b", as_of=NOON
        ),
        f"GET {STORE}/memories",
        query={
            "path_prefix": "a/",
            "depth": 2,
            "limit": 7,
            "after_path": "a/b",
            "as_of": SENT_NOON,
        },
    ),
    Row(
        "stores.read_entry",
        lambda c: c.stores.read_entry("s1", "e1", as_of=NOON),
        f"GET {STORE}/memories/e1",
        query={"as_of": SENT_NOON},
    ),
    Row(
        "stores.get",
        lambda c: c.stores.get("s1", "a/b.md", as_of=NOON),
        f"GET {STORE}/memories/by-path/a%2Fb.md",
        query={"as_of": SENT_NOON},
    ),
    Row(
        "stores.update_entry",
        lambda c: c.stores.update_entry(
            "s1", "e1", "y", version=2, path="c.md", metadata={"a": "b"}, if_match=3
        ),
        f"PUT {STORE}/memories/e1",
        body={"content": "y", "version": 2, "path": "c.md", "metadata": {"a": "b"}},
        headers=IF_3,
    ),
    Row(
        "stores.delete_entry",
        lambda c: c.stores.delete_entry("s1", "e1", version=2, if_match=3),
        f"DELETE {STORE}/memories/e1",
        query={"version": 2},
        headers=IF_3,
    ),
    Row(
        "stores.restore_entry",
        lambda c: c.stores.restore_entry("s1", "e1", version_id="v1", version=2),
        f"POST {STORE}/memories/e1/restore",
        body={"version_id": "v1", "version": 2},
    ),
    Row(
        "stores.list_versions",
        lambda c: c.stores.list_versions(
            "s1", entry_id="e1", path="a.md", action="updated", **BETWEEN, **PAGE
        ),
        f"GET {STORE}/versions",
        query={"entry_id": "e1", "path": "a.md", "action": "updated", **SENT_BETWEEN, **PAGE},
    ),
    Row(
        "stores.read_version",
        lambda c: c.stores.read_version("s1", "v1"),
        f"GET {STORE}/versions/v1",
    ),
    Row(
        "stores.redact_version",
        lambda c: c.stores.redact_version("s1", "v1"),
        f"POST {STORE}/versions/v1/redact",
    ),
    Row(
        "stores.diff",
        lambda c: c.stores.diff("s1", "v1", NOON),
        f"GET {STORE}/diff",
        query={"from": "v1", "to": SENT_NOON},
    ),
    Row(
        "stores.recall",
        lambda c: c.stores.recall(
            "s1",
            "tea",
            limit=3,
            mode="semantic",
            min_score=0.5,
            max_tokens=9,
            explain=True,
            ids=["e1"],
            now=NOON,
        ),
        f"POST {STORE}/recall",
        body={
            "query": "tea",
            "limit": 3,
            "mode": "semantic",
            "min_score": 0.5,
            "max_tokens": 9,
            "explain": True,
            "ids": ["e1"],
            "now": SENT_NOON,
        },
    ),
    Row("stores.export", lambda c: c.stores.export("s1"), f"GET {STORE}/export"),
    Row(
        "stores.import_zip",
        lambda c: c.stores.import_zip("s1", ZIP, mode="replace"),
        f"POST {STORE}/import",
        query={"mode": "replace"},
        body=ZIP,
        content_type="application/zip",
    ),
)
async def test_stores(row):
    await must_send(row)
