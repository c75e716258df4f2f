"""Every argument of the methods for conversations is in the request, under its own name."""

import json

import pytest

from holdfast_client import AsyncClient, Client
from holdfast_client.transport import with_key
from tests.sdk.requested import PAGE, PLACE, Row, must_send, rows_of, sent_by

AT = "/conversations/support"
NAMED = {"variables": {"session_id": "42"}, "agent_id": "other"}
IN_BODY = {"key": None, **NAMED}
IN_QUERY = {"variables": json.dumps(NAMED["variables"]), "agent_id": "other"}
# Without a name, the instance of the session that the client is bound to.
OF_SESSION = {"key": None, "variables": {"session_id": "talk"}, "agent_id": "bot"}
SAID = [{"role": "user", "content": "tea"}]
IF_3 = {"If-Match": '"3"'}
KEY_OR_NAME = {"key": "an instance has a key or variables"}
OTHER_PLACE = {"session_id": "walk", "project_id": "moon"}


@rows_of(
    Row(
        "conversations.list_resources",
        lambda c: c.conversations.list_resources(**PAGE),
        "GET /memory-resources",
        query=PAGE,
    ),
    Row(
        "conversations.read_resource",
        lambda c: c.conversations.read_resource("support"),
        "GET /memory-resources/support",
    ),
    Row(
        "conversations.delete_resource",
        lambda c: c.conversations.delete_resource("support", force=True, if_match=3),
        "DELETE /memory-resources/support",
        query={"force": True},
        headers=IF_3,
    ),
    Row(
        "conversations.read_schema",
        lambda c: c.conversations.read_schema(),
        "GET /memory-resources/schema",
    ),
    Row(
        "conversations.resolve",
        lambda c: c.conversations.resolve("support", {"session_id": "42"}, agent_id="other"),
        f"POST {AT}/resolve",
        body=NAMED,
    ),
    Row(
        "conversations.read",
        lambda c: c.conversations.read(
            "support", limit=7, offset=2, tail=3, include_flushed=True, **NAMED
        ),
        f"GET {AT}/read",
        query={"limit": 7, "offset": 2, "tail": 3, "include_flushed": True, **IN_QUERY},
        without=KEY_OR_NAME,
    ),
    Row(
        "conversations.read",
        lambda c: c.conversations.read("support", key="k"),
        f"GET {AT}/read",
        query={"limit": 50, "offset": 0, "include_flushed": False, "key": "k", "agent_id": "bot"},
        without={"variables": "the key is given", "tail": "only where it is asked for"},
    ),
    Row(
        "conversations.stats",
        lambda c: c.conversations.stats("support", **NAMED),
        f"GET {AT}/stats",
        query=IN_QUERY,
        without=KEY_OR_NAME,
    ),
    Row(
        "conversations.health",
        lambda c: c.conversations.health("support", **NAMED),
        f"GET {AT}/health",
        query=IN_QUERY,
        without=KEY_OR_NAME,
    ),
    Row(
        "conversations.list_instances",
        lambda c: c.conversations.list_instances("support", every_owner=True, **PAGE),
        f"GET {AT}/instances",
        query={"all": True, **PAGE},
    ),
    Row(
        "conversations.append",
        lambda c: c.conversations.append("support", SAID, **NAMED, **OTHER_PLACE),
        f"POST {AT}/append",
        body={"messages": SAID, **IN_BODY, **OTHER_PLACE},
    ),
    Row(
        "conversations.append",
        lambda c: c.conversations.append("support", "tea"),
        f"POST {AT}/append",
        body={"messages": "tea", **OF_SESSION, "session_id": "talk", "project_id": "plan"},
    ),
    Row(
        "conversations.write",
        lambda c: c.conversations.write("support", SAID, **NAMED, **OTHER_PLACE),
        f"POST {AT}/write",
        body={"messages": SAID, **IN_BODY, **OTHER_PLACE},
    ),
    Row(
        "conversations.flush",
        lambda c: c.conversations.flush(
            "support", strategy="lru", dry_run=True, force=True, **NAMED
        ),
        f"POST {AT}/flush",
        body={"strategy": "lru", "dry_run": True, "force": True, **IN_BODY},
    ),
    Row(
        "conversations.clear",
        lambda c: c.conversations.clear("support", confirm=True, backup=True, **NAMED),
        f"POST {AT}/clear",
        body={"confirm": True, "backup": True, **IN_BODY},
    ),
    Row(
        "conversations.restore",
        lambda c: c.conversations.restore("support", "backup_1", **NAMED),
        f"POST {AT}/restore",
        body={"backup_id": "backup_1", **IN_BODY},
    ),
    Row(
        "conversations.delete",
        lambda c: c.conversations.delete("support", **NAMED),
        f"POST {AT}/delete",
        body=IN_BODY,
    ),
    Row(
        "conversations.pop",
        lambda c: c.conversations.pop("support"),
        f"POST {AT}/pop",
        body=OF_SESSION,
    ),
)
async def test_conversations(row):
    await must_send(row)


CONFIG = {"resource": "memory", "id": "support"}


@pytest.mark.parametrize(
    ("config", "body"), [(CONFIG, CONFIG), ("id: support", {"yaml": "id: support"})]
)
async def test_a_memory_resource_is_sent_as_it_is_or_as_yaml(config, body):
    for kind in (Client, AsyncClient):
        put = await sent_by(
            kind, lambda c: c.conversations.put_resource("support", config, if_match=3)
        )
        assert (put.method, put.path, put.json) == ("PUT", "/memory-resources/support", body)
        assert put.headers["If-Match"] == '"3"'
        checked = await sent_by(kind, lambda c: c.conversations.validate_resource(config))
        assert (checked.path, checked.json) == ("/memory-resources/validate", body)
        assert checked.only_asks  # nothing is stored, so no answer is kept for a repeat


async def test_a_search_asks_for_summaries_and_flushed_messages():
    for kind in (Client, AsyncClient):
        call = await sent_by(kind, lambda c: c.conversations.search("tea", limit=3))
        assert (call.method, call.path) == ("POST", "/recall")
        assert call.json == {"query": "tea", "kinds": ["summary", "flushed"], "limit": 3, **PLACE}


async def test_what_a_dry_run_answers_is_not_kept_for_a_repeat():
    for kind in (Client, AsyncClient):
        for dry_run in (True, False):
            call = await sent_by(
                kind, lambda c, dry=dry_run: c.conversations.flush("s", dry_run=dry)
            )
            assert call.only_asks is dry_run
            assert ("Idempotency-Key" in with_key(call).headers) is not dry_run
