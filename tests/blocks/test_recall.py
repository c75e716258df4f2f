"""Archives searched by line, over HTTP."""

import pytest

ARCHIVE = "Drinks sencha in the morning\n\nHas a dog called Rex\r\nFlew to Lisbon in May\n"


async def put(api, content, expected=None, **query):
    reply = await api.put(
        "/memory/blocks/archival",
        params=query,
        json={"content": content, "expected_updated_at": expected},
    )
    assert reply.status_code in (200, 201), reply.text
    return reply.json()


async def recall(api, query, **more):
    reply = await api.post("/memory/recall", json={"query": query, **more})
    assert reply.status_code == 200, reply.text
    return reply.json()["data"]


async def test_a_query_finds_lines_best_first_with_their_numbers(api):
    block = await put(api, ARCHIVE)
    found = await recall(api, "what is the dog called?")
    score = found[0].pop("score")
    assert 0 < score <= 1
    assert found[0] == {
        "content": "Has a dog called Rex",
        "block_type": "archival",
        "scope": "user",
        "agent_id": None,
        "line_number": 3,
        "updated_at": block["updated_at"],
    }
    scores = [each["score"] for each in found[1:]]
    assert all(score >= each for each in scores)
    assert scores == sorted(scores, reverse=True)


async def test_core_is_not_searched(api):
    await api.put("/memory/blocks/core", json={"content": "sencha", "expected_updated_at": None})
    assert await recall(api, "sencha") == []
    assert await recall(api, "") == []


async def test_an_empty_query_lists_lines_up_to_the_limit(api):
    await put(api, ARCHIVE)
    await put(api, "\nasked about tea", agent_id="bot")
    listed = await recall(api, " ", agent_id="bot")
    assert [(each["line_number"], each["scope"], each["score"]) for each in listed] == [
        (1, "user", None),
        (3, "user", None),
        (4, "user", None),
        (2, "agent", None),
    ]
    assert len(await recall(api, "", agent_id="bot", limit=2)) == 2
    assert len(await recall(api, "")) == 3


async def test_an_agents_archive_is_searched_where_the_agent_is_named(org, api):
    await put(api, "likes sencha")
    await put(api, "asked twice about sencha", agent_id="bot")
    await put(api, "sencha is a secret of another agent", agent_id="other")
    alone = await recall(api, "sencha")
    assert [each["scope"] for each in alone] == ["user"]
    both = await recall(api, "sencha", agent_id="bot")
    assert {each["agent_id"] for each in both} == {None, "bot"}

    key = org.client(await org.mint("agent", agent_id="bot", user_id="owner"))
    assert len(await recall(key, "sencha", agentId="bot")) == 2
    denied = await key.post("/memory/recall", json={"query": "sencha", "agent_id": "other"})
    assert denied.json()["code"] == "MEM-001"
    unknown = await api.post("/memory/recall", json={"query": "sencha", "agent_id": "nobody"})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "MEM-002")
    assert await recall(org.client(holdfast_user="ana"), "sencha", agent_id="bot") == []


async def test_what_is_written_is_found_at_once_and_what_is_replaced_no_more(api):
    async def contents(word):
        """The lines with that word; what is found by its meaning alone is not asked about here."""
        return [each["content"] for each in await recall(api, word) if word in each["content"]]

    first = await put(api, "keeps a canoe\nowns a zeppelin")
    assert await contents("zeppelin") == ["owns a zeppelin"]
    second = await put(api, "keeps a canoe\nowns a glider", first["updated_at"])
    assert await contents("zeppelin") == []
    assert await contents("glider") == ["owns a glider"]
    assert await contents("canoe") == ["keeps a canoe"]

    # a line that moves is found where it is now
    await put(api, "new on top\n\nkeeps a canoe", second["updated_at"])
    moved = (await recall(api, "canoe"))[0]
    assert (moved["content"], moved["line_number"]) == ("keeps a canoe", 3)
    assert (await api.delete("/memory/blocks/archival")).status_code == 204
    assert await contents("canoe") == []
    restored = await api.post(
        "/memory/blocks/archival/restore", json={"version": 1, "expected_updated_at": None}
    )
    assert restored.status_code == 200
    assert await contents("zeppelin") == ["owns a zeppelin"]
    again = await put(api, "", restored.json()["updated_at"])
    assert again["entries"] == 0
    assert await contents("zeppelin") == []


async def test_a_lost_write_leaves_the_index_as_it_was(api):
    await put(api, "owns a zeppelin")
    lost = await api.put(
        "/memory/blocks/archival", json={"content": "owns a glider", "expected_updated_at": None}
    )
    assert lost.status_code == 409
    assert [each["content"] for each in await recall(api, "zeppelin glider")] == ["owns a zeppelin"]


@pytest.mark.parametrize(
    ("line", "query"),
    [
        ("ticket ERR-4521 was closed", "ERR-4521"),
        ("東京タワーに行きたい", "東京タワー"),
        ("  trimmed \t", "trimmed"),
        ("loves 🍵 matcha", "matcha"),
    ],
)
async def test_lines_of_every_script_are_found_whole(api, line, query):
    await put(api, f"something else\n{line}")
    found = (await recall(api, query))[0]
    assert (found["content"], found["line_number"]) == (line, 2)


async def test_the_same_line_twice_is_found_once_at_its_first_place(api):
    await put(api, "x\nlikes sencha\nlikes sencha")
    found = [each["line_number"] for each in await recall(api, "sencha")]
    assert (found[0], 3 in found) == (2, False)


async def test_a_floor_keeps_weak_lines_out(api):
    await put(api, ARCHIVE)
    best = (await recall(api, "dog called Rex"))[0]["score"]
    kept = await recall(api, "dog called Rex", min_score=best)
    assert [each["score"] for each in kept] == [best]
    assert await recall(api, "dog called Rex", min_score=1) == []


async def test_limits_of_a_recall_hold_at_the_edge_and_one_past_it(api):
    await put(api, "\n".join(f"sencha number {number}" for number in range(60)))
    assert len(await recall(api, "sencha")) == 10
    assert len(await recall(api, "sencha", limit=50)) == 50
    assert len(await recall(api, "sencha", limit=1)) == 1
    for wrong in ({"limit": 0}, {"limit": 51}, {"min_score": 1.1}, {"agent": "bot"}):
        refused = await api.post("/memory/recall", json={"query": "sencha", **wrong})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert (await api.post("/memory/recall", json={})).status_code == 422
    await recall(api, "x" * 4_000)
    over = await api.post("/memory/recall", json={"query": "x" * 4_001})
    assert (over.status_code, over.json()["code"]) == (422, "limit_exceeded")


async def test_what_another_user_keeps_is_never_found(org):
    ana, bo = org.client(holdfast_user="ana"), org.client(holdfast_user="bo")
    await put(ana, "owns a zeppelin")
    await put(bo, "owns a glider")
    assert [each["content"] for each in await recall(ana, "zeppelin")] == ["owns a zeppelin"]
    assert all("zeppelin" not in each["content"] for each in await recall(bo, "zeppelin"))
    assert [each["content"] for each in await recall(bo, "")] == ["owns a glider"]
