"""Who reaches a store, and what is not one, from outside."""

import pytest

from tests.stores.conftest import ONE_FILE, make_store


async def test_a_store_belongs_to_the_org_until_it_has_workspaces(org, api):
    for workspace in ("red", "blue"):
        await api.put(f"/workspaces/{workspace}", json={})
    red, blue = org.client(holdfast_workspace="red"), org.client(holdfast_workspace="blue")
    store = await make_store(red, "in red")
    entry = await store.write("a", "text")
    version = (await store.versions())[0]
    assert (await blue.get(store.path)).status_code == 200

    await api.patch("/org", json={"workspaces_enabled": True})
    assert (await red.get(store.path)).status_code == 200
    assert (await red.get("/memory_stores")).json()["data"] != []
    assert (await blue.get("/memory_stores")).json()["data"] == []
    for response in await every_route(blue, store.path, entry["id"], version["id"]):
        assert (response.status_code, response.json()["code"]) == (404, "not_found"), response.url
    await store.must_count(["text"])
    bound = org.client(
        key=await org.mint("agent", agent_id="bot")
    )  # lives in the default workspace
    assert (await bound.get(store.path)).status_code == 404


async def every_route(client, path, entry_id, version_id):
    """Every call on a store, its entry and its version."""
    entry, version = f"{path}/memories/{entry_id}", f"{path}/versions/{version_id}"
    restore = {"version_id": version_id, "version": 1}
    return [
        await client.get(path),
        await client.patch(path, json={"name": "mine"}),
        await client.post(f"{path}/memories", json={"path": "a", "content": "b"}),
        await client.post(f"{path}/memories", json={"path": "free", "content": "b"}),
        await client.get(f"{path}/memories"),
        await client.get(f"{path}/memories", params={"depth": 1}),
        await client.get(f"{path}/memories/by-path/a"),
        await client.get(entry),
        await client.put(entry, json={"content": "b", "version": 1}),
        await client.put(entry, json={"content": "b", "version": 1, "path": "c"}),
        await client.delete(entry),
        await client.post(f"{entry}/restore", json=restore),
        await client.get(f"{path}/versions"),
        await client.get(version),
        await client.post(f"{version}/redact"),
        await client.get(f"{path}/diff", params={"from": version_id, "to": version_id}),
        await client.get(
            f"{path}/diff", params={"from": "2020-01-01T00:00:00Z", "to": "2030-01-01T00:00:00Z"}
        ),
        await client.get(f"{path}/export"),
        await client.post(f"{path}/import", content=ONE_FILE),
        await client.post(f"{path}/archive"),
        await client.delete(path),
    ]


async def test_nothing_crosses_orgs(store, make_org):
    entry = await store.write("a", "text")
    version = (await store.versions())[0]
    stranger = (await make_org()).client()
    own = await make_store(stranger, "theirs")
    for path in (store.path, own.path):
        responses = await every_route(stranger, path, entry["id"], version["id"])
        if path == own.path:  # the entry and the version of another org, in a store of one's own
            responses = [
                each for each in responses if entry["id"] in str(each.url) or version["id"] in str(each.url)
            ]  # fmt: skip
        for response in responses:
            assert (response.status_code, response.json()["code"]) == (404, "not_found"), (
                response.url
            )
    assert (await stranger.get("/memory_stores", params={"include_archived": True})).json()[
        "data"
    ] == []
    assert (await store.get(f"/memories/{entry['id']}")).json() == entry


async def test_an_entry_is_only_found_in_its_own_store(api, store):
    entry, other = await store.write("a"), await make_store(api, "other")
    version = (await store.versions())[0]
    responses = await every_route(api, other.path, entry["id"], version["id"])
    named = [r for r in responses if entry["id"] in str(r.url) or version["id"] in str(r.url)]
    assert len(named) > 5
    assert {str(r.url) for r in named if r.status_code != 404} == set()
    assert (await store.get(f"/memories/{entry['id']}")).json() == entry


@pytest.mark.parametrize(
    "store_id", ["x", "memstore_", "memstore_" + "g" * 32, "a%00b", "mem_" + "0" * 32]
)
async def test_a_malformed_id_is_not_found(api, store_id):
    for response in await every_route(api, f"/memory_stores/{store_id}", "mem_1", "memver_%00"):
        assert (response.status_code, response.json()["code"]) == (404, "not_found"), response.url


async def test_every_kind_of_key_reaches_the_orgs_stores(org, store):
    for kind, names in (("user", {"user_id": "ana"}), ("agent", {"agent_id": "bot"})):
        client = org.client(key=await org.mint(kind, **names))
        made = await client.post(f"{store.path}/memories", json={"path": kind, "content": "x"})
        assert made.status_code == 201
    actors = [version["actor"] for version in await store.versions()]
    assert actors[0] == {"type": "agent", "id": "bot"}
    assert actors[1]["type"] == "api_key"
    assert actors[1]["id"].startswith("key_")
