"""Many memories in one transaction."""

import asyncio

from tests.memories.calls import ids, save


async def batch(api, *memories):
    answer = await api.post("/memories/batch", json={"memories": list(memories)})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_each_item_has_its_result_in_the_order_given(api):
    held = await save(api, "held")
    answer = await batch(
        api,
        {"key": "new", "value": "1"},
        {"key": "held", "value": "2"},
        {"key": "new", "value": "3"},
        {"key": "new", "value": "4", "dedupe": "create"},
    )
    results = answer["results"]
    assert (answer["stored"], answer["skipped"]) == (4, 0)
    assert [r["index"] for r in results] == [0, 1, 2, 3]
    assert [r["created"] for r in results] == [True, False, False, True]
    assert [r["version"] for r in results] == [1, 2, 2, 1]
    assert results[1]["id"] == held["id"]
    assert results[0]["id"] == results[2]["id"] != results[3]["id"]
    history = (await api.get(f"/memories/{results[0]['id']}/history")).json()["data"]
    assert [e["value"] for e in history] == ["3", "1"]


async def test_an_item_that_cannot_be_stored_is_told_of_and_the_others_are_stored(api):
    answer = await batch(
        api,
        {"key": "a", "value": "v"},
        {"key": "b", "value": "v" * 8001},
        {"key": "c", "value": "v", "typo": 1},
        {"key": "d", "value": "v", "scope": "project", "project_id": "nowhere"},
        "not an object",
        {"key": "e", "value": "v", "superseded_by": "memory_" + "0" * 32},
    )
    statuses = [r["status"] for r in answer["results"]]
    assert statuses == ["stored", "invalid", "invalid", "refused", "invalid", "invalid"]
    assert (answer["stored"], answer["skipped"]) == (1, 5)
    errors = [r["error"] for r in answer["results"]]
    assert (errors[1]["code"], errors[1]["limit"], errors[1]["actual"]) == (
        "limit_exceeded",
        8000,
        8001,
    )
    assert errors[2]["errors"][0]["field"] == "typo"
    assert errors[3]["code"] == "not_found"
    assert await ids(api) == [answer["results"][0]["id"]]


async def test_a_text_that_cannot_be_kept_refuses_its_item_alone(api):
    answer = await batch(
        api,
        {"key": "a", "value": "v"},
        {"key": "b", "value": "a\x00b"},
        {"key": "c", "value": "v", "tags": ["\x00"]},
        {"key": "d", "value": "v", "expires_at": "2001-01-01T00:00:00Z"},
        {"key": "e", "value": "v", "expires_at": 4102444800},
        {"key": "f", "value": "v", "pinned": 1},
    )
    assert [r["status"] for r in answer["results"]] == ["stored", *["invalid"] * 5]
    assert await ids(api) == [answer["results"][0]["id"]]


async def test_a_batch_holds_a_thousand_and_not_one_more(api):
    items = [{"key": f"k{n}", "value": "v"} for n in range(1001)]
    over = await api.post("/memories/batch", json={"memories": items})
    assert (over.json()["code"], over.json()["limit"], over.json()["actual"]) == (
        "limit_exceeded",
        1000,
        1001,
    )
    assert await ids(api) == []
    answer = await batch(api, *items[:1000])
    assert answer["stored"] == 1000
    made = [r["id"] for r in answer["results"]]
    assert len(set(made)) == 1000
    assert await ids(api, limit=3) == made[:-4:-1]
    assert (await api.post("/memories/batch", json={"memories": []})).status_code == 422


async def test_batches_at_once_over_the_same_keys_lose_no_version(api):
    keys = [f"k{n}" for n in range(40)]
    orders = [keys, keys[::-1], keys[20:] + keys[:20], keys, keys[::-1], keys]
    answers = await asyncio.gather(
        *(
            batch(api, *({"key": key, "value": str(n)} for key in order))
            for n, order in enumerate(orders)
        )
    )
    by_key: dict[str, list[int]] = {}
    for answer in answers:
        for result in answer["results"]:
            by_key.setdefault(result["key"], []).append(result["version"])
    assert all(sorted(versions) == [1, 2, 3, 4, 5, 6] for versions in by_key.values())
    assert len(await ids(api, limit=100)) == 40


async def test_an_idempotency_key_stores_a_batch_once(api):
    body = {"memories": [{"key": "a", "value": "v"}]}
    first = await api.post("/memories/batch", json=body, headers={"Idempotency-Key": "k"})
    second = await api.post("/memories/batch", json=body, headers={"Idempotency-Key": "k"})
    assert first.json() == second.json()
    assert (await api.get(f"/memories/{first.json()['results'][0]['id']}")).json()["version"] == 1
