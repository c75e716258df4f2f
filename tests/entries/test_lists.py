"""Lists of entries and their histories, from outside."""

from tests.entries.calls import AGENT, at, keys, put, start_run

# --- list ------------------------------------------------------------------------------------------------------------


async def test_the_list_is_newest_first_and_filters_narrow_it(api):
    run = await start_run(api)
    await put(api, "a", "Green tea", tags=["x", "y"])
    marker = await put(api, "b", "black TEA", category="daily", tags=["x"])
    await put(api, "c", "coffee 100% arabica_beans", category="workspace", tags=["y"])
    await put(api, "scratch", "tea?", category="conversation", run_id=run)
    await put(api, "a", "Green tea", tags=["x", "y"])
    assert await keys(api) == ["a", "c", "b"]
    assert await keys(api, run_id=run) == ["a", "scratch", "c", "b"]
    assert await keys(api, category="daily") == ["b"]
    assert await keys(api, tag=["x", "y"]) == ["a"]
    assert await keys(api, tag="y") == ["a", "c"]
    assert await keys(api, query="tEa") == ["a", "b"]
    assert await keys(api, query="B") == ["c", "b"]
    assert await keys(api, query="0%") == ["c"]
    assert await keys(api, query="%") == ["c"]
    assert await keys(api, query="a_b") == ["c"]
    assert await keys(api, query="_") == ["c"]
    assert await keys(api, query="e%t") == []
    assert await keys(api, updated_after=marker["updated_at"]) == ["a", "c"]
    assert await keys(api, updated_before=marker["updated_at"]) == []


async def test_a_search_ignores_case_beyond_ascii(api):
    await put(api, "ÉTÉ", "Größe ДА")
    for query in ("été", "GRÖẞE"[:4], "да"):
        assert await keys(api, query=query) == ["ÉTÉ"]


async def test_a_list_has_100_entries_and_a_search_20(api):
    entries = [{"key": f"k{n}", "content": "word"} for n in range(120)]
    await api.post(f"{AGENT}/entries-batch", json={"entries": entries})
    assert len(await keys(api)) == 100
    assert len(await keys(api, query="word")) == 20
    assert len(await keys(api, query="word", limit=100)) == 100
    for limit in (0, 101):
        answer = await api.get(f"{AGENT}/entries", params={"limit": limit})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


async def test_pages_cover_the_list_without_a_gap_in_both_directions(api):
    for n in range(3):
        await put(api, f"own{n}")
        await put(api, f"daily{n}", category="daily")
        await put(api, f"shared{n}", category="workspace")
    whole = (await api.get(f"{AGENT}/entries")).json()
    ids = [entry["id"] for entry in whole["data"]]
    assert (len(ids), whole["has_more"]) == (9, False)
    assert (whole["first_id"], whole["last_id"]) == (ids[0], ids[-1])
    seen, after = [], None
    while True:
        params = {"limit": 2} | ({"after_id": after} if after else {})
        page = (await api.get(f"{AGENT}/entries", params=params)).json()
        seen += [entry["id"] for entry in page["data"]]
        after = page["last_id"]
        if not page["has_more"]:
            break
    assert seen == ids
    back = await api.get(f"{AGENT}/entries", params={"limit": 2, "before_id": ids[4]})
    assert [entry["id"] for entry in back.json()["data"]] == ids[2:4]
    assert back.json()["has_more"] is True
    for params in ({"after_id": ids[0], "before_id": ids[1]}, {"after_id": "ent_none"}):
        answer = await api.get(f"{AGENT}/entries", params=params)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


async def test_pages_go_on_where_the_last_entry_of_a_page_has_gone_since(api, org):
    for n in range(6):
        await put(api, f"k{n}", category="workspace" if n == 4 else "note")
    ids = [entry["id"] for entry in (await api.get(f"{AGENT}/entries")).json()["data"]]

    async def listed(**params):
        answer = await api.get(f"{AGENT}/entries", params=params)
        assert answer.status_code == 200, answer.text
        return [entry["id"] for entry in answer.json()["data"]]

    for gone in ("k4", "k3"):
        assert (await api.delete(f"{AGENT}/entries/{gone}")).json()["forgotten"] is True
    assert await listed(after_id=ids[1]) == ids[3:]  # ids[1] was k4, ids[2] was k3
    assert await listed(after_id=ids[2], limit=2) == ids[3:5]
    assert await listed(before_id=ids[2]) == ids[:1]
    await put(api, "k3")  # comes back under its id, on top
    assert await listed() == [ids[2], ids[0], *ids[3:]]
    assert await listed(after_id=ids[2]) == [ids[0], *ids[3:]]

    run = (await api.post(f"{AGENT}/runs")).json()["run_id"]
    scratch = await put(api, "s", category="conversation", run_id=run)
    await api.post(f"{AGENT}/runs/{run}/end")
    assert await listed(after_id=scratch["id"], run_id=run) == [ids[2], ids[0], *ids[3:]]

    await api.put("/agents/other/entries/k", json={"content": "x"})
    for stranger in (ids[1], ids[2], scratch["id"]):
        answer = await api.get("/agents/other/entries", params={"after_id": stranger})
        # What lies in the workspace lies before both; what is another agent's does not tell where.
        assert answer.status_code == (200 if stranger == ids[1] else 400)
    nul = await api.get(f"{AGENT}/entries", params={"after_id": "ent_\0"})
    assert (nul.status_code, nul.json()["code"]) in ((400, "invalid"), (422, "invalid"))


async def test_a_filter_that_does_not_exist_is_refused(api):
    await put(api, "k")
    for params in ({"tags": "x"}, {"updated_after": "yesterday"}):
        assert (await api.get(f"{AGENT}/entries", params=params)).status_code == 400


# --- history ---------------------------------------------------------------------------------------------------------


async def test_history_spans_the_lives_of_a_key_and_any_version_comes_back(api):
    first = await put(api, "k", "one", tags=["t"])
    await put(api, "k", "two", category="daily")
    await api.delete(at("k"))
    again = await put(api, "k", "three")
    assert (again["id"], again["version"], again["created"]) == (first["id"], 4, True)
    assert again["created_at"] > first["created_at"]
    history = (await api.get(f"{AGENT}/history/k")).json()["data"]
    assert [(h["version"], h["action"], h["content"], h["category"]) for h in history] == [
        (4, "created", "three", "core"),
        (3, "forgotten", None, None),
        (2, "updated", "two", "daily"),
        (1, "created", "one", "core"),
    ]
    assert history[0]["actor"]["type"] == "api_key"
    await api.delete(at("k"))
    back = await api.post(f"{AGENT}/restore/k", json={"version": 1})
    assert back.status_code == 201
    restored = back.json()
    assert (restored["id"], restored["version"], restored["content"], restored["tags"]) == (
        first["id"],
        6,
        "one",
        ["t"],
    )
    assert restored["created_at"] == first["created_at"]
    over = await api.post(f"{AGENT}/restore/k", json={"version": 2})
    assert (over.status_code, over.json()["content"], over.json()["created"]) == (200, "two", False)


async def test_a_version_without_content_or_that_never_was_is_not_restored(api):
    await put(api, "k")
    await api.delete(at("k"))
    removal = await api.post(f"{AGENT}/restore/k", json={"version": 2})
    assert (removal.status_code, removal.json()["code"]) == (409, "conflict")
    for path, version in ((f"{AGENT}/restore/k", 9), (f"{AGENT}/restore/never", 1)):
        answer = await api.post(path, json={"version": version})
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert (await api.get(f"{AGENT}/history/never")).status_code == 404


async def test_histories_of_agent_workspace_and_run_are_apart(api):
    run = await start_run(api)
    await put(api, "k", "ws", category="workspace")
    await put(api, "k", "scratch", category="conversation", run_id=run)
    path = f"{AGENT}/history/k"

    async def contents(**params):
        data = (await api.get(path, params=params)).json()["data"]
        return [each["content"] for each in data]

    assert await contents() == ["ws"]
    assert await contents(run_id=run) == ["scratch"]
    await put(api, "k", "own")
    assert await contents() == ["own"]
    assert await contents(category="workspace") == ["ws"]
