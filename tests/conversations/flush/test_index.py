"""Summaries in recall: found by those whose conversation it is, as it stands now, in every backend."""

import asyncio
import time

import pytest

from tests.conversations.conftest import Talk
from tests.conversations.test_routes import said

EXTRACTIVE = {"type": "hybrid_summary", "fallback": "extractive", "summary_tokens": 60}
SMALL = {"type": "message_count_based", "max_messages": 6, "flushing": EXTRACTIVE}


async def found(client, query: str = "zebra", **more):
    reply = await client.post("/recall", json={"query": query, "kinds": ["summary"], **more})
    assert reply.status_code == 200, reply.text
    return reply.json()["data"]


async def fill(it: Talk, text: str = "The zebra lives in Bergen.", **more) -> dict:
    """Enough for a flush that summarises the text."""
    await it.append([{"role": "user", "content": text}], **more)
    done = await it.append(said(4), **more)
    assert done["flush"]["summary_generated"] is True
    return done


async def test_a_summary_is_found_as_soon_as_it_is_written(talk, api):
    it = await talk(**SMALL)
    await fill(it)
    [one] = await found(api, mode="lexical")
    [summary, *_] = (await it.get("read"))["messages"]
    assert (one["kind"], one["object"]["id"]) == ("summary", one["id"])
    assert one["text"] in summary["content"]
    assert one["object"]["content"] == summary["content"]
    assert one["object"]["message_id"] == summary["id"]
    assert (one["object"]["resource_id"], one["object"]["key"]) == (it.resource_id, it.key)
    assert await found(api, "where does the striped animal live", mode="hybrid")


async def test_nobody_else_finds_it(talk, org, make_org):
    it = await talk(**SMALL)
    ana = Talk(org.client(holdfast_user="ana"), it.resource_id)
    await fill(ana)
    assert len(await found(ana.api)) == 1
    assert await found(org.client(holdfast_user="bob")) == []
    assert await found(org.client(await org.mint("user", user_id="bob"))) == []
    assert await found((await make_org()).client()) == []
    assert len(await found(org.client(await org.mint("user", user_id="ana")))) == 1


async def test_it_names_the_owners_latest_session(talk, org):
    it = await talk(**SMALL)
    hers = Talk(org.client(holdfast_user="ana"), it.resource_id)
    await hers.append("Good morning.", session_id="talk-1")
    await hers.append("Good evening.", session_id="talk-2")
    await Talk(org.client(holdfast_user="bob"), it.resource_id).append("x", session_id="talk-bob")
    await fill(hers)
    [one] = await found(hers.api)
    assert one["object"]["session_id"] == "talk-2"
    assert await found(org.client(holdfast_user="bob")) == []


async def test_an_agent_finds_what_it_says_with_nobody(talk, org):
    it = await talk(**SMALL)
    bot = org.client(await org.mint("agent", agent_id="bot"))
    await fill(Talk(bot, it.resource_id))
    assert len(await found(bot)) == 1
    assert await found(org.client(await org.mint("agent", agent_id="other"))) == []


async def test_a_fold_leaves_one_and_it_says_what_is_so_now(talk, api):
    it = await talk(**SMALL)
    await fill(it)
    first = await found(api, mode="lexical")
    done = await it.append([{"role": "user", "content": "A heron came too."}, *said(3, 10)])
    assert done["flush"]["summary_generated"] is True
    [now] = await found(api, mode="lexical")
    assert now["id"] != first[0]["id"]
    [summary, *_] = (await it.get("read"))["messages"]
    assert now["object"]["content"] == summary["content"]


@pytest.mark.parametrize("operation", ["clear", "delete", "write"])
async def test_it_is_gone_with_its_message(talk, api, operation):
    it = await talk(**SMALL)
    await fill(it)
    body = {"clear": {"confirm": True}, "write": {"messages": ["nothing of that"]}}
    await it.call(operation, **body.get(operation, {}))
    assert await found(api, mode="lexical") == []
    await it.append("nothing of that either")
    assert await found(api, mode="lexical") == []


async def test_it_is_back_with_a_restored_copy(talk, api):
    it = await talk(**SMALL)
    await fill(it)
    cleared = await it.call("clear", confirm=True, backup=True)
    assert await found(api, mode="lexical") == []
    await it.call("restore", backup_id=cleared["backup_id"])
    assert len(await found(api, mode="lexical")) == 1


async def test_it_is_gone_when_it_is_popped_or_flushed_without_a_successor(talk, api):
    it = await talk(**SMALL)
    await fill(it)
    while (await it.call("pop"))["total_count"]:
        pass
    assert await found(api, mode="lexical") == []
    it = Talk(api, it.resource_id, "another")
    await fill(it)
    assert len(await found(api, mode="lexical")) == 1
    for _ in range(9):
        await it.append({"role": "system", "content": "Stay calm."})
        await it.call("flush", strategy="simple_fifo", force=True)
    [first, *_] = (await it.get("read"))["messages"]
    assert not first["metadata"].get("summary")
    assert await found(api, mode="lexical") == []


async def test_it_is_gone_when_the_time_of_its_instance_is_over_and_a_write_keeps_it(talk, api):
    for ttl_s in (2, 8, 32):  # longer where the machine was too slow to write, or to look, in time
        it = await talk(persistence={"ttl": f"{ttl_s}s"}, **SMALL)
        begun = time.monotonic()
        await fill(it)
        filled = time.monotonic()
        await asyncio.sleep(ttl_s / 2)
        written = time.monotonic()
        await it.append({"role": "system", "content": "Still here."})
        in_time = time.monotonic() < begun + ttl_s
        await asyncio.sleep(max(0, filled + ttl_s + 0.05 - time.monotonic()))
        kept = await found(api, mode="lexical")
        if in_time and time.monotonic() < written + ttl_s:
            break
    assert len(kept) == 1
    while await found(api, mode="lexical"):
        await asyncio.sleep(0.2)


async def test_what_is_redacted_is_not_found(talk, api, org, owner_connection):
    it = await talk(privacy_policy={"redact_patterns": ["xyzzy-[0-9]+"]}, **SMALL)
    await fill(it, "The zebra's number is xyzzy-42.")
    [one] = await found(api, mode="lexical")
    assert "[REDACTED]" in one["object"]["content"]
    assert await found(api, "xyzzy", mode="lexical") == []
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    for table in ("passages", "postings", "recall_vocabulary", "conversation_summaries"):
        rows = owner_connection.execute(
            f"SELECT count(*) FROM {table} t WHERE org_id = %s AND t::text LIKE '%%xyzzy%%'",
            [org.id],
        ).fetchone()
        assert rows == (0,), table
