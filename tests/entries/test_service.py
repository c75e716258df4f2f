"""Store, recall, list, forget, history and restore, from outside."""

from urllib.parse import quote

import pytest

AGENT = "/agents/bot"


def at(key: str) -> str:
    """A key in a path; dots too, since clients take `..` for a step up."""
    return f"{AGENT}/entries/{quote(key, safe='').replace('.', '%2E')}"


async def put(api, key, content="text", **fields):
    answer = await api.put(at(key), json={"content": content, **fields})
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def get(api, key, **params):
    return await api.get(at(key), params=params)


async def keys(api, **params):
    answer = await api.get(f"{AGENT}/entries", params=params)
    assert answer.status_code == 200, answer.text
    return [entry["key"] for entry in answer.json()["data"]]


async def start_run(api, **body):
    answer = await api.post(f"{AGENT}/runs", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["run_id"]


# --- store -----------------------------------------------------------------------------------------------------------


async def test_storing_makes_an_entry_and_storing_again_refreshes_it(api):
    first = await api.put(at("likes"), json={"content": "tea", "tags": ["drinks", "été"]})
    assert (first.status_code, first.headers["etag"]) == (201, '"1"')
    made = first.json()
    assert made["id"].startswith("ent_")
    assert made | {"id": 0, "created_at": 0, "updated_at": 0} == {
        "id": 0,
        "type": "memory_entry",
        "agent_id": "bot",
        "workspace_id": "default",
        "run_id": None,
        "scope": "agent",
        "user_id": None,
        "key": "likes",
        "category": "core",
        "content": "tea",
        "tags": ["drinks", "été"],
        "size": len("likes") + len("tea") + len("core") + len("drinks") + len("été".encode()),
        "version": 1,
        "expires_at": None,
        "created_at": 0,
        "updated_at": 0,
        "created": True,
        "evicted": [],
    }
    second = await api.put(at("likes"), json={"content": "coffee", "category": "habits"})
    assert (second.status_code, second.headers["etag"]) == (200, '"2"')
    changed = second.json()
    assert (changed["id"], changed["created_at"]) == (made["id"], made["created_at"])
    assert changed["updated_at"] > made["updated_at"]
    assert (changed["content"], changed["category"], changed["tags"], changed["created"]) == (
        "coffee",
        "habits",
        [],
        False,
    )
    read = await get(api, "likes")
    assert read.headers["etag"] == '"2"'
    assert read.json() == {k: v for k, v in changed.items() if k not in ("created", "evicted")}


@pytest.mark.parametrize(
    ("field", "limit"), [("key", 255), ("content", 16_384), ("category", 64), ("tag", 64)]
)
async def test_each_text_is_bounded_in_bytes(api, field, limit):
    def body(text):
        key = text if field == "key" else "k"
        fields = {"content": "c"}
        if field == "tag":
            fields["tags"] = [text]
        elif field != "key":
            fields[field] = text
        return api.put(at(key), json=fields)

    two_bytes = "é"
    fits = two_bytes * (limit // 2) + "x" * (limit % 2)
    assert (await body(fits)).status_code == 201
    over = await body(fits + "x")
    assert over.status_code == 422, over.text
    problem = over.json()
    assert (problem["code"], problem["limit"], problem["actual"]) == (
        "limit_exceeded",
        limit,
        limit + 1,
    )
    if field != "key":
        empty = await body("")
        assert (empty.status_code, empty.json()["code"]) == (422, "invalid")


async def test_an_entry_has_at_most_32_tags(api):
    assert (await put(api, "k", tags=[f"t{n}" for n in range(32)]))["tags"][31] == "t31"
    answer = await api.put(at("k"), json={"content": "c", "tags": ["t"] * 33})
    assert (answer.json()["code"], answer.json()["limit"]) == ("limit_exceeded", 32)


async def test_an_empty_key_is_refused(api):
    answer = await api.put(f"{AGENT}/entries/", json={"content": "c"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


async def test_an_unknown_field_is_named(api):
    answer = await api.put(at("k"), json={"content": "c", "catgory": "daily"})
    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"field": "catgory", "message": "there is no such field"}]


@pytest.mark.parametrize(
    "key",
    ["a/b", "/", "//", "/a/", "..", ".", "../..", "a%2Fb", "%", "a b", " ", "ключ/日本", "?x=1#y",
     "entries", "a+b", "end/", "\n", "a\n", "a\nb\r\n", "-batch", "emoji 🦀", "a;b=c", "a:b@c", "\\"],
)  # fmt: skip
async def test_any_text_is_a_key(api, key):
    await put(api, "other", "not this")
    made = await put(api, key, f"content of {key}")
    assert made["key"] == key
    read = (await get(api, key)).json()
    assert (read["key"], read["content"]) == (key, f"content of {key}")
    history = await api.get(at(key).replace("/entries/", "/history/"))
    assert [each["action"] for each in history.json()["data"]] == ["created"]
    assert (await api.delete(at(key))).json() == {"forgotten": True}
    assert (await get(api, key)).status_code == 404
    restored = await api.post(at(key).replace("/entries/", "/restore/"), json={"version": 1})
    assert (restored.status_code, restored.json()["key"]) == (201, key)


async def test_a_slash_in_a_key_may_also_stand_plain(api):
    await put(api, "a/b", "both")
    assert (await api.get(f"{AGENT}/entries/a/b")).json()["content"] == "both"


async def test_a_key_that_cannot_be_kept_is_refused_everywhere(api):
    await put(api, "k")
    for key in ("%FF", "a%00b"):
        for method, path, body in (
            ("PUT", f"entries/{key}", {"content": "c"}),
            ("GET", f"entries/{key}", None),
            ("DELETE", f"entries/{key}", None),
            ("GET", f"history/{key}", None),
            ("POST", f"restore/{key}", {"version": 1}),
        ):
            answer = await api.request(method, f"{AGENT}/{path}", json=body)
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid"), path
    assert await keys(api) == ["k"]


# --- compare and set -------------------------------------------------------------------------------------------------


async def test_expected_version_guards_a_write_and_a_conflict_shows_what_there_is(api):
    made = await put(api, "k", "one", expected_version=0)
    answer = await api.put(at("k"), json={"content": "two", "expected_version": 0})
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert answer.json()["current"]["id"] == made["id"]
    assert answer.json()["current"]["content"] == "one"
    assert (await put(api, "k", "two", expected_version=1))["version"] == 2
    stale = await api.put(at("k"), json={"content": "three", "expectedVersion": 1})
    assert (stale.status_code, stale.json()["current"]["version"]) == (409, 2)
    missing = await api.put(at("none"), json={"content": "x", "expected_version": 1})
    assert (missing.status_code, missing.json()["current"]) == (409, None)
    assert (await get(api, "k")).json()["content"] == "two"


async def test_if_match_is_honoured_by_put_delete_and_restore(api):
    await put(api, "k", "one")
    for stale in ('"2"', '"7", "9"', 'W/"1"'):
        answer = await api.put(at("k"), json={"content": "x"}, headers={"If-Match": stale})
        assert (answer.status_code, answer.json()["code"]) == (412, "precondition_failed")
    fresh = await api.put(at("k"), json={"content": "two"}, headers={"If-Match": '"1"'})
    assert fresh.json()["version"] == 2
    absent = await api.put(at("n"), json={"content": "x"}, headers={"If-Match": '"1"'})
    assert absent.status_code == 412
    restore = at("k").replace("/entries/", "/restore/")
    assert (
        await api.post(restore, json={"version": 1}, headers={"If-Match": '"1"'})
    ).status_code == 412
    assert (await api.delete(at("k"), headers={"If-Match": '"1"'})).status_code == 412
    assert (await api.delete(at("k"), headers={"If-Match": '"2"'})).json() == {"forgotten": True}
    assert (await api.delete(at("k"), headers={"If-Match": '"2"'})).status_code == 412


# --- places ----------------------------------------------------------------------------------------------------------


async def test_recall_looks_in_the_run_then_the_agent_then_the_workspace(api):
    run = await start_run(api)
    await put(api, "k", "of the workspace", category="workspace")
    assert (await get(api, "k", run_id=run)).json()["content"] == "of the workspace"
    await put(api, "k", "of the agent")
    assert (await get(api, "k", run_id=run)).json()["content"] == "of the agent"
    scratch = await put(api, "k", "of the run", category="conversation", run_id=run)
    assert scratch["run_id"] == run
    assert (await get(api, "k", run_id=run)).json()["content"] == "of the run"
    assert (await get(api, "k")).json()["content"] == "of the agent"
    for content in ("of the run", "of the agent", "of the workspace"):
        assert (await get(api, "k", run_id=run)).json()["content"] == content
        assert (await api.delete(at("k"), params={"run_id": run})).json() == {"forgotten": True}
    assert (await api.delete(at("k"), params={"run_id": run})).json() == {"forgotten": False}


async def test_forgetting_can_name_the_category(api):
    await put(api, "k", "shared", category="workspace")
    await put(api, "k", "own", category="daily")
    no = await api.delete(at("k"), params={"category": "core"})
    assert no.json() == {"forgotten": False}
    yes = await api.delete(at("k"), params={"category": "workspace"})
    assert yes.json() == {"forgotten": True}
    assert (await get(api, "k")).json()["content"] == "own"


async def test_a_workspace_entry_is_shared_and_an_agents_own_is_not(api):
    await put(api, "shared", "ours", category="workspace")
    await put(api, "own", "mine")
    await api.put("/agents/other/entries/theirs", json={"content": "x"})
    listed = (await api.get("/agents/other/entries")).json()["data"]
    assert [entry["key"] for entry in listed] == ["theirs", "shared"]
    refreshed = await api.put(
        "/agents/other/entries/shared", json={"content": "all of ours", "category": "workspace"}
    )
    assert (refreshed.status_code, refreshed.json()["version"]) == (200, 2)
    assert (await get(api, "shared")).json()["content"] == "all of ours"
    assert (await api.get("/agents/other/entries/own")).status_code == 404


async def test_only_core_is_core(api):
    await put(api, "loud", "x", category="CORE")
    assert (await get(api, "loud")).json()["category"] == "CORE"
    assert await keys(api, category="core") == []


async def test_daily_entries_say_when_they_expire(api):
    made = await put(api, "k", category="daily")
    assert made["expires_at"] is not None
    assert made["expires_at"][:10] > made["updated_at"][:10]
    assert (await put(api, "k", category="core"))["expires_at"] is None


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


# --- markdown, identity ----------------------------------------------------------------------------------------------


async def test_an_entry_as_markdown(api):
    made = await put(api, "a/b", "# Tea\r\nno sugar ", tags=["x y", "z"])
    page = await api.get(at("a/b"), headers={"Accept": "text/markdown"})
    assert page.headers["content-type"].startswith("text/markdown")
    assert page.headers["etag"] == '"1"'
    assert page.content.decode() == (
        "---\nagent_id: bot\nkey: a/b\ncategory: core\n"
        'tags: ["x y", "z"]\n'
        f"created_at: {made['created_at']}\nupdated_at: {made['updated_at']}\n---\n"
        "# Tea\r\nno sugar "
    )
    missing = await api.get(at("none"), headers={"Accept": "text/markdown"})
    assert missing.headers["content-type"] == "application/problem+json"


async def test_an_agent_nobody_wrote_to_is_mem_002_for_every_read(api):
    for path in ("entries", "entries/k", "hydration", "history/k", "entries-export"):
        answer = await api.get(f"/agents/nobody/{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "MEM-002"), path
    for method, path, body in (
        ("DELETE", "entries/k", None),
        ("POST", "restore/k", {"version": 1}),
        ("POST", "runs/run_0/end", {}),
    ):
        answer = await api.request(method, f"/agents/nobody/{path}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (404, "MEM-002"), path


async def test_an_agent_of_another_workspace_is_mem_002(api, org):
    await put(api, "k")
    assert (await api.put("/workspaces/lab", json={})).status_code == 201
    lab = org.client(holdfast_workspace="lab")
    for answer in (await get(lab, "k"), await lab.put(at("k"), json={"content": "c"})):
        assert (answer.status_code, answer.json()["code"]) == (404, "MEM-002")


async def test_an_agents_key_reaches_its_own_agent_only(org, api):
    await put(api, "k", "secret")
    own = org.client(key=await org.mint("agent", agent_id="mole"))
    for method, path in (
        ("GET", "entries/k"), ("PUT", "entries/k"), ("DELETE", "entries/k"), ("GET", "entries"),
        ("GET", "hydration"), ("GET", "history/k"), ("POST", "restore/k"), ("POST", "runs"),
        ("POST", "entries-batch"), ("GET", "entries-export"), ("POST", "entries-import"),
    ):  # fmt: skip
        bodies = {
            "entries/k": {"content": "x"},
            "restore/k": {"version": 1},
            "entries-batch": {"entries": [{"key": "k", "content": "x"}]},
        }
        body = bodies.get(path) if method in ("PUT", "POST") else None
        answer = await own.request(method, f"{AGENT}/{path}", json=body)
        if path == "entries-import":
            continue  # proved with a zip in test_transfer.py
        assert (answer.status_code, answer.json()["code"]) == (403, "MEM-001"), path
    assert (await own.get("/agents/mole/entries")).json()["data"] == []
    mine = await own.put("/agents/mole/entries/k", json={"content": "mine"})
    assert mine.status_code == 201
    history = (await own.get("/agents/mole/history/k")).json()["data"]
    assert history[0]["actor"] == {"type": "agent", "id": "mole"}


async def test_orgs_do_not_see_each_other(api, make_org):
    await put(api, "k", "secret")
    await put(api, "shared", "secret", category="workspace")
    stranger = (await make_org()).client()
    await stranger.put(at("own"), json={"content": "x"})
    assert await keys(stranger) == ["own"]
    assert (await get(stranger, "k")).status_code == 404
