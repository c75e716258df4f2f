"""Blocks over HTTP: every line of their page."""

import asyncio

import pytest


async def put(api, content, expected=None, block_type="core", **query):
    return await api.put(
        f"/memory/blocks/{block_type}",
        params=query,
        json={"content": content, "expected_updated_at": expected},
    )


async def test_a_block_is_made_read_and_replaced(api):
    made = await put(api, "likes tea\n\nlikes 🍵")
    assert made.status_code == 201
    block = made.json()
    assert block["id"].startswith("blk_")
    assert {k: v for k, v in block.items() if k not in ("id", "created_at", "updated_at")} == {
        "type": "memory_block",
        "block_type": "core",
        "scope": "user",
        "agent_id": None,
        "content": "likes tea\n\nlikes 🍵",
        "entries": 2,
        "characters": 18,
        "version": 1,
    }
    read = await api.get("/memory/blocks/core")
    assert (read.json(), read.headers["etag"]) == (block, '"1"')

    replaced = await put(api, "", block["updated_at"])
    assert (replaced.status_code, replaced.headers["etag"]) == (200, '"2"')
    after = replaced.json()
    assert (after["content"], after["entries"], after["characters"]) == ("", 0, 0)
    assert (after["id"], after["created_at"]) == (block["id"], block["created_at"])
    assert after["updated_at"] > block["updated_at"]


async def test_there_is_one_block_per_user_scope_agent_and_type(api, org):
    ana, bo = org.client(holdfast_user="ana"), org.client(holdfast_user="bo")
    for client in (ana, bo):
        for block_type in ("core", "archival"):
            assert (await put(client, "u", block_type=block_type)).status_code == 201
            for agent in ("a1", "a2"):
                made = await put(client, agent, block_type=block_type, agent_id=agent)
                assert (made.status_code, made.json()["scope"]) == (201, "agent")

    async def listed(client, **query):
        data = (await client.get("/memory/blocks", params=query)).json()["data"]
        return [(each["scope"], each["agent_id"], each["block_type"]) for each in data]

    users = [("user", None, "core"), ("user", None, "archival")]
    of_a1 = [("agent", "a1", "core"), ("agent", "a1", "archival")]
    of_a2 = [("agent", "a2", "core"), ("agent", "a2", "archival")]
    assert await listed(ana) == users == await listed(ana, scope="user")
    assert (
        await listed(ana, agent_id="a1") == of_a1 == await listed(ana, scope="agent", agent_id="a1")
    )
    assert await listed(ana, scope="agent") == of_a1 + of_a2
    assert await listed(ana, scope="all", agent_id="a1") == users + of_a1
    assert await listed(ana, scope="all") == users + of_a1 + of_a2
    assert (await bo.get("/memory/blocks/core", params={"agent_id": "a2"})).json()[
        "content"
    ] == "a2"
    assert await listed(org.client(holdfast_user="eve"), scope="all") == []


async def test_none_is_404(api):
    assert (await api.get("/memory/blocks/core")).json()["code"] == "not_found"
    assert (await api.get("/memory/blocks/other")).status_code == 404
    assert (await api.get("/memory/blocks/core/history")).status_code == 404
    assert (await api.delete("/memory/blocks/core")).status_code == 404


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"scope": "agent"}, "agent_id"),
        ({"scope": "user", "agent_id": "a"}, "agent_id"),
        ({"scope": "all"}, "scope"),
        ({"agent": "a"}, "agent"),
    ],
)
async def test_a_place_that_makes_no_sense_is_refused(api, query, field):
    refused = await api.get("/memory/blocks/core", params=query)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert refused.json()["errors"][0]["field"] == field


@pytest.mark.parametrize(
    ("block_type", "content", "limit", "actual"),
    [
        ("core", "é" * 4_000, None, None),
        ("core", "🍵" * 4_000, None, None),
        ("core", "🍵" * 4_001, 4_000, 4_001),
        ("core", "\n".join("x" * 20), None, None),
        ("core", "\r\n\r\n".join("x" * 20), None, None),
        ("core", "\n".join("x" * 21), 20, 21),
        ("core", "\r\n".join("x" * 21), 20, 21),
        ("archival", "\n" * 8_000, None, None),
        ("archival", "x\n" * 4_000, None, None),
        ("archival", "x\n" * 4_000 + "x", 8_000, 8_001),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 9 else None,
)
async def test_limits_hold_at_the_edge_and_one_past_it(api, block_type, content, limit, actual):
    reply = await put(api, content, block_type=block_type)
    if limit is None:
        assert reply.status_code == 201, reply.text
        assert reply.json()["content"] == content
        assert reply.json()["characters"] == len(content)
        return
    assert (reply.status_code, reply.json()["code"]) == (422, "limit_exceeded")
    assert (reply.json()["limit"], reply.json()["actual"]) == (limit, actual)
    assert (await api.get(f"/memory/blocks/{block_type}")).status_code == 404


async def test_a_write_over_a_limit_changes_nothing(api):
    first = (await put(api, "one")).json()
    assert (await put(api, "x" * 4_001, first["updated_at"])).status_code == 422
    assert (await api.get("/memory/blocks/core")).json() == first


async def test_the_stamp_is_required_and_may_be_written_in_camel_case(api):
    refused = await api.put("/memory/blocks/core", json={"content": "x"})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert refused.json()["errors"] == [{"field": "expected_updated_at", "message": "is required"}]
    camel = {"content": "x", "expectedUpdatedAt": None}
    assert (await api.put("/memory/blocks/core", json=camel)).status_code == 201


async def test_a_lost_compare_and_set_says_what_there_is(api):
    against_none = await put(api, "x", "2026-01-31T12:00:00.000000Z")
    assert (against_none.status_code, against_none.json()["code"]) == (409, "conflict")
    assert against_none.json()["current"] is None

    first = (await put(api, "one")).json()
    again = await put(api, "two")
    assert (again.status_code, again.json()["current"]) == (409, first)
    second = (await put(api, "two", first["updated_at"])).json()
    stale = await put(api, "three", first["updated_at"])
    assert (stale.status_code, stale.json()["current"]) == (409, second)

    merged = await put(api, "two and three", stale.json()["current"]["updated_at"])
    assert (merged.status_code, merged.json()["version"]) == (200, 3)


async def test_a_lost_write_registers_no_agent(api):
    lost = await put(api, "x", "2026-01-31T12:00:00.000000Z", agent_id="nobody")
    assert lost.status_code == 409
    unknown = await api.get("/memory/blocks/core", params={"agent_id": "nobody"})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "MEM-002")


@pytest.mark.parametrize("exists", [False, True])
async def test_of_64_writers_with_one_stamp_one_wins(org, api, exists):
    stamp = (await put(api, "start")).json()["updated_at"] if exists else None
    clients = [org.client() for _ in range(64)]
    replies = await asyncio.gather(
        *(put(client, f"writer {number}", stamp) for number, client in enumerate(clients))
    )
    won = [reply for reply in replies if reply.status_code in (200, 201)]
    lost = [reply for reply in replies if reply.status_code == 409]
    assert (len(won), len(lost)) == (1, 63)
    now = (await api.get("/memory/blocks/core")).json()
    assert now == won[0].json()
    assert all(reply.json()["current"] == now for reply in lost)
    assert len((await api.get("/memory/blocks/core/history")).json()["data"]) == 1 + exists


async def test_if_match_is_honoured_beside_the_stamp(api):
    first = (await put(api, "one")).json()
    body = {"content": "two", "expected_updated_at": first["updated_at"]}
    refused = await api.put("/memory/blocks/core", json=body, headers={"If-Match": '"9"'})
    assert (refused.status_code, refused.json()["code"]) == (412, "precondition_failed")
    taken = await api.put("/memory/blocks/core", json=body, headers={"If-Match": '"1"'})
    assert taken.status_code == 200
    stale = await api.put("/memory/blocks/core", json=body, headers={"If-Match": '"2"'})
    assert stale.status_code == 409

    none = {"content": "x", "expected_updated_at": None}
    absent = await api.put("/memory/blocks/archival", json=none, headers={"If-Match": '"1"'})
    assert absent.status_code == 412
    kept = await api.delete("/memory/blocks/core", headers={"If-Match": '"1"'})
    assert kept.status_code == 412
    gone = await api.delete("/memory/blocks/core", headers={"If-Match": '"2"'})
    assert gone.status_code == 204


async def test_a_delete_is_guarded_where_it_is_asked_for(api):
    first = (await put(api, "one")).json()
    second = (await put(api, "two", first["updated_at"])).json()
    stale = {"expected_updated_at": first["updated_at"]}
    lost = await api.delete("/memory/blocks/core", params=stale)
    assert (lost.status_code, lost.json()["current"]) == (409, second)
    done = await api.delete(
        "/memory/blocks/core", params={"expected_updated_at": second["updated_at"]}
    )
    assert (done.status_code, done.content) == (204, b"")
    assert (await api.get("/memory/blocks/core")).status_code == 404
    assert (await api.get("/memory/blocks", params={"scope": "all"})).json() == {"data": []}


async def test_a_block_made_again_goes_on_counting(api):
    first = (await put(api, "one")).json()
    assert (await api.delete("/memory/blocks/core")).status_code == 204
    # A stamp from before the deletion matches nothing any more.
    stale = await put(api, "two", first["updated_at"])
    assert (stale.status_code, stale.json()["current"]) == (409, None)
    again = await put(api, "two")
    assert again.status_code == 201
    assert (again.json()["id"], again.json()["version"]) == (first["id"], 3)
    # It is there since now, not since the first time.
    assert again.json()["created_at"] == again.json()["updated_at"] > first["updated_at"]
    assert again.json()["updated_at"] > first["updated_at"]


async def test_history_tells_every_change_newest_first(org, api):
    ana = org.client(holdfast_user="ana")
    first = (await put(ana, "one")).json()
    await put(ana, "two\nlines", first["updated_at"])
    await ana.delete("/memory/blocks/core")
    data = (await ana.get("/memory/blocks/core/history")).json()["data"]
    assert [
        (r["version"], r["action"], r["content"], r["entries"], r["characters"]) for r in data
    ] == [
        (3, "deleted", None, None, None),
        (2, "updated", "two\nlines", 2, 9),
        (1, "created", "one", 1, 3),
    ]
    assert {r["actor"]["type"] for r in data} == {"api_key"}
    assert {r["user_id"] for r in data} == {"ana"}  # for whom the key acted
    assert all(r["id"].startswith("memver_") and r["request_id"] for r in data)
    # and nobody else's
    assert (await api.get("/memory/blocks/core/history")).status_code == 404


async def test_restore_is_a_new_revision_under_the_same_compare_and_set(api):
    async def restore(version, expected):
        return await api.post(
            "/memory/blocks/core/restore",
            json={"version": version, "expected_updated_at": expected},
        )

    first = (await put(api, "one")).json()
    second = (await put(api, "two", first["updated_at"])).json()
    lost = await restore(1, first["updated_at"])
    assert (lost.status_code, lost.json()["current"]) == (409, second)
    restored = await restore(1, second["updated_at"])
    assert (restored.status_code, restored.headers["etag"]) == (200, '"3"')
    assert (restored.json()["content"], restored.json()["version"]) == ("one", 3)
    assert (await restore(9, restored.json()["updated_at"])).status_code == 404

    await api.delete("/memory/blocks/core")
    assert (await restore(4, None)).status_code == 404  # the deletion itself
    back = await restore(2, None)
    assert (back.json()["content"], back.json()["version"]) == ("two", 5)
    actions = [r["action"] for r in (await api.get("/memory/blocks/core/history")).json()["data"]]
    assert actions == ["restored", "deleted", "restored", "updated", "created"]


async def test_keys_reach_their_own_blocks_only(org, api):
    await put(api, "of the owner")
    await put(org.client(holdfast_user="ana"), "of ana", agent_id="bot")
    await put(org.client(holdfast_user="ana"), "of ana with other", agent_id="other")

    user = org.client(await org.mint("user", user_id="ana"))
    assert (await user.get("/memory/blocks/core")).status_code == 404
    assert (await user.get("/memory/blocks/core?agent_id=bot")).json()["content"] == "of ana"
    named = org.client(await org.mint("user", user_id="ana"), holdfast_user="owner")
    assert (await named.get("/memory/blocks/core")).json()["code"] == "MEM-001"

    agent = org.client(await org.mint("agent", agent_id="bot", user_id="ana"))
    assert (await agent.get("/memory/blocks/core?scope=agent")).json()["content"] == "of ana"
    assert (await agent.get("/memory/blocks/core?agent_id=other")).json()["code"] == "MEM-001"
    assert (await put(agent, "x", agent_id="other")).json()["code"] == "MEM-001"
    listed = (await agent.get("/memory/blocks?scope=all")).json()["data"]
    assert [each["agent_id"] for each in listed] == ["bot"]

    nobody = org.client(await org.mint("agent", agent_id="bot"))
    assert (await nobody.get("/memory/blocks/core")).json()["code"] == "MEM-001"


async def test_an_agent_of_another_workspace_is_not_there(org, api):
    await api.put("/workspaces/far", json={})
    far = org.client(holdfast_workspace="far")
    await put(far, "there", agent_id="bot")
    assert (await put(api, "here", agent_id="bot")).json()["code"] == "MEM-002"
    assert (await api.get("/memory/blocks/core?agent_id=bot")).json()["code"] == "MEM-002"
    assert (await api.get("/memory/blocks?scope=all")).json()["data"] == []
    assert len((await far.get("/memory/blocks?scope=all")).json()["data"]) == 1


async def test_an_idempotent_write_is_applied_once(api):
    body = {"content": "one", "expected_updated_at": None}
    replies = [
        await api.put("/memory/blocks/core", json=body, headers={"Idempotency-Key": "k"})
        for _ in range(2)
    ]
    assert [reply.status_code for reply in replies] == [201, 201]
    assert replies[1].headers["idempotency-replayed"] == "true"
    assert replies[0].json() == replies[1].json()
