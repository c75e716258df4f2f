"""Every argument of the methods for memories, insights, recall and context is in the request, under its own name."""

import pytest

from holdfast_client.context.model import ConversationName, MemoryPolicy, RecallPolicy
from holdfast_client.memories.model import Source
from holdfast_client.unified_recall.calls import key_of
from tests.sdk.requested import NOON, OTHER, PAGE, PLACE, SENT_NOON, Row, must_send, rows_of

DETAILS = {
    "summary": "her tea",
    "category": "taste",
    "tags": ["drink", "green"],
    "importance": 7,
    "pinned": True,
    "source": "chat",
    "superseded_by": "memory_new",
    "trust": "tool",
}
TIMES = {"expires_at": NOON, "valid_from": NOON, "valid_to": NOON}
SENT_TIMES = dict.fromkeys(TIMES, SENT_NOON)
SAVED = {**DETAILS, **TIMES, "scope": "project", "dedupe": "create"}
SENT_SAVED = {**DETAILS, **SENT_TIMES, "scope": "project", "dedupe": "create"}
SOURCE = Source("url", "https://example.com/tea", "green, please")
SENT_SOURCE = {"kind": "url", "ref": "https://example.com/tea", "quote": "green, please"}
RECALL = {
    "limit": 3,
    "mode": "lexical",
    "min_trust": "user",
    "min_score": 0.25,
    "max_tokens": 500,
    "graph": True,
    "explain": True,
    "ids": ["memory_1"],
}
ONE = "/memories/memory_1"


@rows_of(
    Row(
        "memories.save",
        lambda c: c.memories.save("tea", "green", if_match=3, sources=[SOURCE], **SAVED),
        "POST /memories",
        body={"key": "tea", "value": "green", "sources": [SENT_SOURCE], **SENT_SAVED, **PLACE},
        headers={"If-Match": '"3"'},
    ),
    Row(
        "memories.save",
        lambda c: c.remember("green", "tea", sources=[SOURCE], **SAVED, **OTHER),
        "POST /memories",
        body={"key": "tea", "value": "green", "sources": [SENT_SOURCE], **SENT_SAVED, **OTHER},
    ),
    Row(
        "memories.batch",
        lambda c: c.memories.batch(
            [{"key": "tea", "value": "green", **SAVED}, {"key": "k", "value": "v", **OTHER}]
        ),
        "POST /memories/batch",
        body={
            "memories": [
                {"key": "tea", "value": "green", **SENT_SAVED, **PLACE},
                {"key": "k", "value": "v", **OTHER},
            ]
        },
    ),
    Row(
        "memories.list",
        lambda c: c.memories.list(
            scope="agent",
            category="taste",
            tag="drink",
            source="chat",
            pinned=True,
            min_importance=4,
            min_trust="assistant",
            as_of=NOON,
            include_expired=True,
            include_superseded=True,
            **PAGE,
        ),
        "GET /memories",
        query={
            "scope": "agent",
            "category": "taste",
            "tag": "drink",
            "source": "chat",
            "pinned": True,
            "min_importance": 4,
            "min_trust": "assistant",
            "as_of": SENT_NOON,
            "include_expired": True,
            "include_superseded": True,
            **PAGE,
            **PLACE,
        },
    ),
    Row(
        "memories.get",
        lambda c: c.memories.get("memory_1", include_expired=True, as_of=NOON),
        f"GET {ONE}",
        query={"include_expired": True, "as_of": SENT_NOON, **PLACE},
    ),
    Row(
        "memories.change",
        lambda c: c.memories.change(
            "memory_1", include_expired=True, if_match=2, key="k", value="v", **DETAILS, **TIMES
        ),
        f"PATCH {ONE}",
        query={"include_expired": True, **PLACE},
        body={"key": "k", "value": "v", **DETAILS, **SENT_TIMES},
        headers={"If-Match": '"2"'},
    ),
    Row(
        "memories.recall_post",
        lambda c: c.memories.recall("tea?", now=NOON, category="taste", tag="drink", **RECALL),
        "POST /memories/recall",
        body={
            "q": "tea?",
            "now": SENT_NOON,
            "category": "taste",
            "tag": "drink",
            **RECALL,
            **PLACE,
        },
    ),
    Row(
        "memories.history",
        lambda c: c.memories.history("memory_1", include_expired=True, **PAGE),
        f"GET {ONE}/history",
        query={"include_expired": True, **PAGE, **PLACE},
    ),
    Row(
        "memories.diff",
        lambda c: c.memories.diff("memory_1", 2, NOON, include_expired=True),
        f"GET {ONE}/diff",
        query={"from": 2, "to": SENT_NOON, "include_expired": True, **PLACE},
    ),
    Row(
        "memories.restore",
        lambda c: c.memories.restore("memory_1", 4, include_expired=True, if_match=5),
        f"POST {ONE}/restore",
        query={"include_expired": True, **PLACE},
        body={"version": 4},
        headers={"If-Match": '"5"'},
    ),
    Row(
        "memories.retire",
        lambda c: c.memories.retire("memory_1", if_match=5),
        f"POST {ONE}/retire",
        query=PLACE,
        headers={"If-Match": '"5"'},
    ),
    Row("memories.retire", lambda c: c.forget("memory_1"), f"POST {ONE}/retire", query=PLACE),
    Row(
        "memories.delete",
        lambda c: c.memories.delete("memory_1", include_expired=True, if_match=5),
        f"DELETE {ONE}",
        query={"include_expired": True, **PLACE},
        headers={"If-Match": '"5"'},
    ),
    Row(
        "memories.add_source",
        lambda c: c.memories.add_source("memory_1", SOURCE.kind, SOURCE.ref, quote=SOURCE.quote),
        f"POST {ONE}/sources",
        query=PLACE,
        body=SENT_SOURCE,
    ),
    Row(
        "memories.list_sources",
        lambda c: c.memories.list_sources("memory_1"),
        f"GET {ONE}/sources",
        query=PLACE,
    ),
    Row(
        "memories.remove_sources",
        lambda c: c.memories.remove_sources("memory_1", kind="url", ref=SOURCE.ref),
        f"DELETE {ONE}/sources",
        query={"kind": "url", "ref": SOURCE.ref, **PLACE},
    ),
    Row(
        "memories.upload_asset",
        lambda c: c.memories.upload_asset("memory_1", "a.png", b"\x89", content_type="image/png"),
        f"POST {ONE}/assets",
        query={"name": "a.png", **PLACE},
        body=b"\x89",
        content_type="image/png",
    ),
    Row(
        "memories.list_assets",
        lambda c: c.memories.list_assets("memory_1", **PAGE),
        f"GET {ONE}/assets",
        query={**PAGE, **PLACE},
    ),
    Row(
        "memories.download_asset",
        lambda c: c.memories.download_asset("memory_1", "asset_1"),
        f"GET {ONE}/assets/asset_1",
        query=PLACE,
    ),
    Row(
        "memories.delete_asset",
        lambda c: c.memories.delete_asset("memory_1", "asset_1"),
        f"DELETE {ONE}/assets/asset_1",
        query=PLACE,
    ),
    Row(
        "memories.extract",
        lambda c: c.memories.extract("I take tea", dry_run=True),
        "POST /memories/extract",
        body={"messages": "I take tea", "dry_run": True, "agent_id": "bot", "session_id": "talk"},
    ),
    Row(
        "memories.extract",
        lambda c: c.memories.extract(
            [{"role": "user", "content": "I take tea"}], agent_id="other", session_id="walk"
        ),
        "POST /memories/extract",
        body={
            "messages": [{"role": "user", "content": "I take tea"}],
            "dry_run": False,
            "agent_id": "other",
            "session_id": "walk",
        },
    ),
)
async def test_memories(row):
    await must_send(row)


@rows_of(
    Row(
        "recall",
        lambda c: c.recall("tea?", now=NOON, kinds=["memory", "summary"], **RECALL),
        "POST /recall",
        body={
            "query": "tea?",
            "now": SENT_NOON,
            "kinds": ["memory", "summary"],
            **RECALL,
            **PLACE,
        },
    ),
    Row(
        "context",
        lambda c: c.context(
            "Which tea?",
            message_id="m1",
            run_id="run_1",
            memory_policy=MemoryPolicy("auto", 4, 0.5, False, False),
            recall=RecallPolicy("auto", ["memory"], 3, 0.1, "user"),
            conversation=ConversationName("support", "k", {"a": 1}),
            max_tokens=900,
            model="gpt-4o",
        ),
        "POST /context",
        body={
            "message": "Which tea?",
            "agent_id": "bot",
            "session_id": "talk",
            "message_id": "m1",
            "run_id": "run_1",
            "memory_policy": {
                "archival_mode": "auto",
                "archival_limit": 4,
                "archival_min_score": 0.5,
                "include_user_core": False,
                "include_agent_core": False,
            },
            "recall": {
                "mode": "auto",
                "kinds": ["memory"],
                "limit": 3,
                "min_score": 0.1,
                "min_trust": "user",
            },
            "conversation": {"resource_id": "support", "key": "k", "variables": {"a": 1}},
            "max_tokens": 900,
            "model": "gpt-4o",
        },
    ),
    Row(
        "context.user_memory",
        lambda c: c.context.user_memory(agent_id="other"),
        "GET /context/user-memory",
        query={"agent_id": "other"},
    ),
    Row(
        "insights.save",
        lambda c: c.insights.save(
            "reads at night", category="habit", source="form", confidence=0.5, metadata={"a": 1}
        ),
        "POST /insights",
        body={
            "insight": "reads at night",
            "category": "habit",
            "source": "form",
            "confidence": 0.5,
            "metadata": {"a": 1},
        },
    ),
    Row(
        "insights.list",
        lambda c: c.insights.list(category="habit", **PAGE),
        "GET /insights",
        query={"category": "habit", **PAGE},
    ),
    Row("insights.get", lambda c: c.insights.get("i1"), "GET /insights/i1"),
    Row("insights.delete", lambda c: c.insights.delete("i1"), "DELETE /insights/i1"),
    Row(
        "insights.wipe",
        lambda c: c.insights.wipe(category="habit"),
        "DELETE /insights",
        query={"category": "habit"},
    ),
)
async def test_recall_context_and_insights(row):
    await must_send(row)


def test_the_same_text_has_the_same_key_and_another_text_another():
    assert key_of("green tea") == key_of("green tea")
    assert key_of("green tea") != key_of("black tea")
    assert key_of("grün").startswith("text-")
    assert len(key_of("x" * 10_000)) == len("text-") + 16


@pytest.mark.parametrize("kind", ["entry", "summary", "block"])
def test_what_is_no_memory_is_not_forgotten_as_one(kind):
    from holdfast_client import Scope
    from holdfast_client.unified_recall.calls import forget
    from holdfast_client.unified_recall.model import RecalledThing

    found = RecalledThing.__new__(RecalledThing)
    object.__setattr__(found, "kind", kind)
    with pytest.raises(ValueError, match=f"no memory but a {kind}"):
        forget(Scope(), found)
