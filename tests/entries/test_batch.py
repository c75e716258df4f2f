"""Many entries at once. That a batch stores as single writes would is proved in test_retention.py."""

PATH = "/agents/bot/entries-batch"


async def send(api, *entries, **fields):
    return await api.post(PATH, json={"entries": list(entries), **fields})


async def keys(api):
    data = (await api.get("/agents/bot/entries")).json()["data"]
    return sorted(entry["key"] for entry in data)


async def test_an_invalid_item_is_reported_and_the_others_are_stored(api):
    run = (await api.post("/agents/bot/runs")).json()["run_id"]
    answer = await send(
        api,
        {"key": "a", "content": "x", "category": "daily", "tags": ["t"]},
        {"key": "", "content": "x"},
        {"key": "b"},
        {"key": "c", "content": "x" * 16_385},
        {"key": "d", "content": "x", "colour": "red"},
        "nonsense",
        {"key": 7, "content": "x"},
        {"key": "e", "content": "x", "tags": [""]},
        {"key": "w", "content": "x", "category": "workspace"},
        {"key": "s", "content": "x", "category": "conversation"},
        run_id=run,
    )
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["stored"], body["skipped"], body["evicted"]) == (3, 7, [])
    assert [(r["key"], r["status"]) for r in body["results"]] == [
        ("a", "stored"),
        ("", "invalid"),
        ("b", "invalid"),
        ("c", "invalid"),
        ("d", "invalid"),
        (None, "invalid"),
        (None, "invalid"),
        ("e", "invalid"),
        ("w", "stored"),
        ("s", "stored"),
    ]
    codes = [r["error"] and r["error"]["code"] for r in body["results"]]
    assert codes == [None, "invalid", "invalid", "limit_exceeded", *["invalid"] * 4, None, None]
    assert body["results"][5]["error"]["detail"] == "it: must be a JSON object"
    assert await keys(api) == ["a", "w"]


async def test_a_text_that_cannot_be_kept_concerns_its_item_alone(api):
    nul, half = "a\x00b", "\\ud800"
    items = ",".join(
        [
            '{"key": "a", "content": "x"}',
            '{"key": "b", "content": "a\\u0000b"}',
            f'{{"key": "{half}", "content": "x"}}',
            '{"key": "a\\u0000b", "content": "x"}',
            f'{{"key": "c", "content": "x", "{half}": 1}}',
            '{"key": "d", "content": "x", "tags": ["a\\u0000b"]}',
        ]
    )
    headers = {"Content-Type": "application/json", "Idempotency-Key": "k"}
    for _ in range(2):
        answer = await api.post(PATH, content=f'{{"entries": [{items}]}}', headers=headers)
        assert answer.status_code == 200, answer.text
        assert [(r["key"], r["status"]) for r in answer.json()["results"]] == [
            ("a", "stored"),
            ("b", "invalid"),
            (None, "invalid"),
            (None, "invalid"),
            ("c", "invalid"),
            ("d", "invalid"),
        ]
    assert await keys(api) == ["a"]
    whole = await api.post(PATH, json={"entries": [], "run_id": nul})
    assert (whole.status_code, whole.json()["code"]) == (422, "invalid")


async def test_a_conversation_item_without_a_run_is_invalid(api):
    answer = await send(api, {"key": "s", "content": "x", "category": "conversation"})
    assert answer.json()["results"][0]["status"] == "invalid"


async def test_the_same_batch_again_changes_no_content(api):
    entries = [{"key": f"k{n}", "content": f"c{n}"} for n in range(10)]
    await send(api, *entries)
    again = await send(api, *entries)
    assert (again.json()["stored"], again.json()["evicted"]) == (10, [])
    data = (await api.get("/agents/bot/entries")).json()["data"]
    assert {(e["key"], e["content"]) for e in data} == {(f"k{n}", f"c{n}") for n in range(10)}


async def test_of_two_items_under_one_key_the_last_is_kept(api):
    await send(api, {"key": "k", "content": "one"}, {"key": "k", "content": "two"})
    entry = (await api.get("/agents/bot/entries/k")).json()
    assert (entry["content"], entry["version"]) == ("two", 2)


async def test_a_batch_costs_at_most_262144_bytes(api):
    rest = 262_144 - 15 * (16_384 + len("k00") + len("core")) - len("last") - len("core")
    full = [{"key": f"k{n:02}", "content": "é" * 8_192} for n in range(15)]
    fits = await send(api, *full, {"key": "last", "content": "x" * rest})
    assert fits.status_code == 200, fits.text
    assert fits.json()["stored"] == 16
    over = await send(api, *full, {"key": "more", "content": "x" * (rest + 1)})
    assert (over.status_code, over.json()["code"]) == (413, "payload_too_large")
    assert "more" not in await keys(api)


async def test_a_batch_past_the_cap_keeps_the_last_thousand(api):
    entries = [{"key": f"k{n:04}", "content": "x", "category": "note"} for n in range(1010)]
    answer = (await send(api, *entries)).json()
    assert (answer["stored"], answer["evicted"]) == (1010, [f"k{n:04}" for n in range(10)])
    assert (await api.get("/agents/bot/entries/k0009")).status_code == 404
    assert (await api.get("/agents/bot/entries/k0010")).status_code == 200


async def test_a_batch_that_is_no_list_is_refused(api):
    for body in ({}, {"entries": {}}, {"entries": [], "more": 1}, []):
        answer = await api.post(PATH, json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


async def test_an_idempotency_key_stores_a_batch_once(api):
    headers = {"Idempotency-Key": "once"}
    body = {"entries": [{"key": "k", "content": "x"}]}
    first = await api.post(PATH, json=body, headers=headers)
    second = await api.post(PATH, json=body, headers=headers)
    assert second.headers["idempotency-replayed"] == "true"
    assert first.json() == second.json()
    assert (await api.get("/agents/bot/entries/k")).json()["version"] == 1
