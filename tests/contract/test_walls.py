"""Nothing crosses the walls: between two orgs, and between two users of one org. Every route, with the other's ids."""

import asyncio

import pytest

from holdfast.walls import mcp, surfaces, walk
from holdfast.walls.specimens import CANARY, one_of_everything

# Times of reads are written behind the reads themselves: the user's own last ones may follow.
WRITTEN_LATER = {"conversation_reads"}
PATIENCE_S = 30


async def breaches(document, named, clients):
    """What both walks found, a line each."""
    found = [line async for line in walk.breaches(document, named, clients)]
    return "\n".join([*found, *[line async for line in mcp.breaches(named, clients)]])


async def clients_of(org, user):
    """Every kind of credential that acts for a user."""
    return {
        "service key": org.client(Holdfast_User=user),
        "user key": org.client(await org.mint("user", user_id=user)),
        "agent key": org.client(await org.mint("agent", agent_id="bot", user_id=user)),
        "agent key without a user": org.client(await org.mint("agent", agent_id="bot")),
    }


async def settled(client):
    """Wait for the job that a dropped message asked for: what it writes is no breach."""
    async with asyncio.timeout(PATIENCE_S):
        while (await client.get("/sessions/talk")).json()["settled_at"] is None:
            await asyncio.sleep(0.05)


async def test_no_route_reaches_into_another_org(make_org, anonymous, rows_of):
    theirs, ours = await make_org(), await make_org()
    user = theirs.client(await theirs.mint("user", user_id="ana"))
    named = await one_of_everything(theirs.client(), user)
    document = (await anonymous.get("/openapi.json")).json()
    assert len(await walk.seen(document, named, user)) > 15
    await settled(user)
    before = rows_of(theirs.id)

    clients = await clients_of(ours, "ana")
    assert await breaches(document, named, clients) == ""
    after = rows_of(theirs.id)
    assert {name: rows for name, rows in after.items() if name not in WRITTEN_LATER} == {
        name: rows for name, rows in before.items() if name not in WRITTEN_LATER
    }


async def test_no_route_reaches_what_is_another_users(org, anonymous):
    ana = org.client(await org.mint("user", user_id="ana"))
    named = await one_of_everything(org.client(), ana)
    document = (await anonymous.get("/openapi.json")).json()
    before = await walk.seen(document, named, ana)
    assert len(before) > 15

    clients = await clients_of(org, "ben")
    assert await breaches(document, named, clients) == ""
    assert await walk.seen(document, named, ana) == before
    for who, client in clients.items():
        for path in ("/sessions/talk", "/projects/plan"):
            assert (await client.get(path)).status_code == 404, (who, path)


async def test_lists_of_a_new_org_count_nothing_of_anyone(make_org, anonymous):
    theirs, ours = await make_org(), await make_org()
    await one_of_everything(theirs.client(), theirs.client(Holdfast_User="ana"))
    document = (await anonymous.get("/openapi.json")).json()
    answered = 0
    for template, operations in document["paths"].items():
        if "get" in operations and "{" not in template and template.startswith("/api/v1/"):
            reply = await ours.client().get(template.removeprefix("/api/v1"))
            assert CANARY not in reply.text
            assert theirs.id not in reply.text
            answered += reply.is_success
    assert answered > 15


async def test_the_walk_notices_what_its_own_user_sees(org, anonymous):
    """A walk that can find nothing proves nothing: as the user itself it finds every face (and deletes as it goes)."""
    ana = org.client(await org.mint("user", user_id="ana"))
    named = await one_of_everything(org.client(), ana)
    document = (await anonymous.get("/openapi.json")).json()
    read = await walk.seen(document, named, ana)
    for surface in ("/mem0/v1/memories/", "/anthropic/v1/memory_stores/"):
        assert any(path.startswith(surface) for path in read), surface
    found = [line async for line in walk.breaches(document, named, {"ana": ana})]
    assert not [line for line in found if ": fails: " in line]
    for path in (
        "/memory/blocks",
        "/agents/bot/entries",
        "/conversations/",
        "/memories",
        "/memory-nodes",
        "/memory_stores",
        "/recall",
        "/insights",
        "/projects",
    ):
        assert any(path in line for line in found), path
    assert len([line async for line in mcp.breaches(named, {"ana": ana})]) > 5


async def test_a_route_without_a_specimen_is_refused(anonymous, monkeypatch):
    document = (await anonymous.get("/openapi.json")).json()
    with pytest.raises(LookupError, match="names no"):
        list(walk.asks(document, {}))
    monkeypatch.delitem(surfaces.MEM0, "GET /v1/ping/")
    with pytest.raises(LookupError, match=r"no line for .*/v1/ping/"):
        list(surfaces.operations({"entry_id": "mem_1"}))
