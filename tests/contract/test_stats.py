"""How much an org uses the service, as GET /stats tells it."""

from datetime import UTC, datetime, timedelta

from tests.mcp_client import connected


async def stats(api, **query):
    reply = await api.get("/stats", params=query)
    assert reply.status_code == 200, reply.text
    return {each["face"]: each for each in reply.json()["data"]}


async def test_calls_are_counted_by_face(api):
    for n in range(3):
        await api.post("/memories", json={"key": f"k{n}", "value": f"tea number {n} is green"})
    await api.post("/memories", json={"key": "bad"})  # refused: no write
    await api.post("/memories/recall", json={"q": "green tea"})
    await api.post("/memories/recall", json={"q": "quantum chromodynamics lattice"})
    await api.put("/memory/blocks/core", json={"content": "x", "expected_updated_at": None})
    await api.post("/context", json={"message": "which tea is green?"})
    found = await stats(api)
    memories = found["memories"]
    assert set(memories) == {
        *("at", "face", "writes", "recalls", "hit_rate", "tokens", "evictions", "latency_ms")
    }
    assert (memories["writes"], memories["recalls"]) == (3, 2)
    assert memories["hit_rate"] in (0.5, 1.0)
    assert memories["tokens"] > 0
    assert memories["latency_ms"] > 0
    assert found["blocks"]["writes"] == 1
    assert found["context"]["writes"] == 0
    assert found["context"]["tokens"] > 0


async def test_evictions_are_counted(api):
    entries = [{"key": f"k{n}", "content": "x"} for n in range(1000)]
    await api.post("/agents/bot/entries-batch", json={"entries": entries})
    await api.put("/agents/bot/entries/one-more", json={"content": "x"})
    assert (await stats(api))["entries"]["evictions"] == 1


async def test_an_org_sees_its_own_numbers(api, make_org):
    await api.post("/memories", json={"key": "k", "value": "tea"})
    assert (await stats(api))["memories"]["writes"] == 1
    stranger = (await make_org()).client()
    assert "memories" not in await stats(stranger)


async def test_buckets_and_spans(api):
    await api.post("/memories", json={"key": "k", "value": "tea"})
    now = datetime.now(UTC)
    for bucket in ("minute", "hour", "day", "15m"):
        span = {"from": (now - timedelta(hours=1)).isoformat(), "bucket": bucket}
        assert (await stats(api, **span))["memories"]["writes"] == 1
    past = {
        "from": (now - timedelta(days=3)).isoformat(),
        "to": (now - timedelta(days=2)).isoformat(),
    }
    assert await stats(api, **past) == {}
    for wrong in (
        {"bucket": "10s"},
        {"bucket": "week"},
        {"bucket": "minute", "from": (now - timedelta(days=30)).isoformat()},
        {"from": now.isoformat(), "to": (now - timedelta(hours=1)).isoformat()},
    ):
        refused = await api.get("/stats", params=wrong)
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid"), wrong
    assert (await api.get("/stats", params={"from": "yesterday"})).status_code == 400


async def test_tools_are_counted(org, api):
    async with connected(org, tools="entries") as client:
        await client.call_tool("memory_store", {"key": "k", "content": "x"})
    assert (await stats(api))["entries"]["writes"] == 1
