"""Sources of memories, from outside."""

from tests.memories.calls import save


async def test_sources_come_with_a_save_and_are_added_and_taken_away(api):
    memory = await save(api, sources=[{"kind": "message", "ref": "msg_1", "quote": "I like tea"}])
    assert memory["sources"] == [{"kind": "message", "ref": "msg_1", "quote": "I like tea"}]
    path = f"/memories/{memory['id']}/sources"
    link = {"kind": "url", "ref": "https://example.com", "quote": None}
    added = await api.post(path, json={"kind": "url", "ref": "https://example.com"})
    assert (added.status_code, added.json(), added.headers["etag"]) == (201, link, '"2"')
    await api.post(path, json={**link, "quote": "newer"})
    listed = (await api.get(path)).json()["data"]
    assert [(s["ref"], s["quote"]) for s in listed] == [
        ("msg_1", "I like tea"),
        ("https://example.com", "newer"),
    ]
    stale = await api.delete(path, params={"kind": "url"}, headers={"If-Match": '"1"'})
    assert stale.status_code == 412
    gone = await api.request("DELETE", path, json={"kind": "url", "ref": "https://example.com"})
    assert gone.status_code == 204
    assert [s["ref"] for s in (await api.get(path)).json()["data"]] == ["msg_1"]
    assert (await api.delete(path, params={"ref": "nothing"})).status_code == 404
    assert (await api.delete(path)).status_code == 422
    assert (await api.delete(path, params={"kind": "message", "ref": "msg_1"})).status_code == 204
    assert (await api.get(f"/memories/{memory['id']}")).json()["sources"] == []
    history = (await api.get(f"/memories/{memory['id']}/history")).json()["data"]
    assert [e["action"] for e in history] == [
        "source_removed", "source_removed", "source_added", "source_added", "created",
    ]  # fmt: skip


async def test_a_save_in_place_adds_its_sources_to_those_there(api):
    await save(api, sources=[{"kind": "session", "ref": "s1"}])
    again = await save(
        api,
        sources=[{"kind": "session", "ref": "s2"}, {"kind": "session", "ref": "s1", "quote": "q"}],
    )
    assert [(s["ref"], s["quote"]) for s in again["sources"]] == [("s2", None), ("s1", "q")]


async def test_sources_of_two_kinds_are_two_though_their_refs_are_alike(api):
    memory = await save(api, sources=[{"kind": "message", "ref": "1", "quote": "said"}])
    path = f"/memories/{memory['id']}/sources"
    assert (await api.post(path, json={"kind": "entry", "ref": "1"})).status_code == 201
    again = await save(api, sources=[{"kind": "entry", "ref": "1", "quote": "written"}])
    assert [(s["kind"], s["quote"]) for s in again["sources"]] == [
        ("message", "said"),
        ("entry", "written"),
    ]


async def test_a_memory_keeps_at_most_100_sources(api):
    links = [{"kind": "entry", "ref": f"e{n}"} for n in range(100)]
    memory = await save(api, sources=links)
    refused = await api.post(
        f"/memories/{memory['id']}/sources", json={"kind": "entry", "ref": "one more"}
    )
    assert (refused.json()["code"], refused.json()["limit"]) == ("limit_exceeded", 100)
    assert (await api.get(f"/memories/{memory['id']}")).json()["version"] == 1
