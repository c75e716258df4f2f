"""Who sees which store, and who changes what about it, inside an org."""

import io
import zipfile

import pytest

from tests.mcp_client import ask, connected, refused
from tests.stores.conftest import StoreApi, make_store

MEM_001 = (403, "MEM-001")


def denied(answer):
    return (answer.status_code, answer.json()["code"])


@pytest.fixture
async def ana(org):
    return org.client(key=await org.mint("user", user_id="ana"))


@pytest.fixture
async def bob(org):
    return org.client(key=await org.mint("user", user_id="bob"))


@pytest.fixture
async def bot(org):
    return org.client(key=await org.mint("agent", agent_id="bot", user_id="ana"))


def seen_by(client, store):
    return StoreApi(client, store.id)


def a_zip(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


async def every_call(store, entry_id, version_id):
    """Each call on a store, by what it does: reads, changes of entries, changes of the store itself."""
    api, path = store.api, store.path
    entry = f"{path}/memories/{entry_id}"
    version = f"{path}/versions/{version_id}"
    body = {"path": "new", "content": "x"}
    reads = [
        await api.get(path),
        await api.get(f"{path}/memories"),
        await api.get(f"{path}/memories", params={"depth": 1}),
        await api.get(entry),
        await api.get(f"{path}/memories/by-path/a"),
        await api.get(f"{path}/versions"),
        await api.get(version),
        await api.get(f"{path}/diff", params={"from": version_id, "to": version_id}),
        await api.get(f"{path}/export"),
        await api.post(f"{path}/recall", json={"query": "tea"}),
    ]
    writes = [
        await api.post(f"{path}/memories", json=body),
        await api.put(entry, json={"content": "y", "version": 1}),
        await api.post(f"{entry}/restore", json={"version_id": version_id, "version": 1}),
        await api.post(f"{path}/import", content=a_zip(b="x")),
        await api.delete(entry),
    ]
    manages = [
        await api.patch(path, json={"name": "mine"}),
        await api.patch(path, json={"read_only": False}),
        await api.post(f"{version}/redact"),
        await api.post(f"{path}/archive"),
        await api.delete(path),
    ]
    return reads, writes, manages


async def test_a_private_store_is_there_for_its_maker_alone(org, api, ana, bob, bot):
    store = await make_store(ana, "diary", visibility="private")
    shown = await store.read()
    assert (shown["visibility"], shown["read_only"], shown["created_by"]) == (
        "private",
        False,
        "ana",
    )
    entry = await store.write("a", "green tea")
    [version] = await store.versions()
    for client in (ana, bot, org.client(Holdfast_User="ana")):
        assert (await seen_by(client, store).get("/memories/by-path/a")).status_code == 200
        assert [s["id"] for s in (await client.get("/memory_stores")).json()["data"]] == [store.id]
        found = await client.post("/recall", json={"query": "tea", "kinds": ["store_entry"]})
        assert [hit["id"] for hit in found.json()["data"]] == [entry["id"]]
    alone = org.client(key=await org.mint("agent", agent_id="bot"))
    for client in (bob, api, alone, org.client(Holdfast_User="bob")):
        for answers in await every_call(seen_by(client, store), entry["id"], version["id"]):
            assert {answer.status_code for answer in answers} == {404}
        assert (await client.get("/memory_stores")).json()["data"] == []
        found = await client.post("/recall", json={"query": "tea", "kinds": ["store_entry"]})
        assert found.json()["data"] == []
        root = str(client.base_url).removesuffix("/api/v1/")
        theirs = await client.get(f"{root}/anthropic/v1/memory_stores/{store.id}")
        assert (theirs.status_code, theirs.json()["error"]["type"]) == (404, "not_found_error")
        listed = await client.get(f"{root}/anthropic/v1/memory_stores")
        assert listed.json()["data"] == []
    async with connected(org, key=await org.mint("user", user_id="cleo")) as client:
        for name in ("diary", store.id):
            assert (await refused(client, "store_view", store=name))["code"] == "not_found"
    await store.must_count(["green tea"])


async def test_who_did_not_make_a_store_writes_entries_and_changes_nothing_else(org, api, ana, bob):
    store = await make_store(ana, "shared")
    entry = await store.write("a", "tea")
    [version] = await store.versions()
    reads, writes, manages = await every_call(seen_by(bob, store), entry["id"], version["id"])
    assert {answer.status_code for answer in reads} == {200}
    assert [answer.status_code for answer in writes] == [201, 200, 409, 200, 204]
    assert [denied(answer) for answer in manages] == [MEM_001] * 5
    patched = await ana.patch(store.path, json={"name": "ours", "read_only": True})
    assert (patched.json()["name"], patched.json()["read_only"]) == ("ours", True)
    assert (await api.patch(store.path, json={"description": "x"})).status_code == 200
    redacted = await ana.post(f"{store.path}/versions/{version['id']}/redact")
    assert redacted.status_code == 200, redacted.text
    assert (await ana.post(f"{store.path}/archive")).status_code == 200
    assert (await ana.delete(store.path)).status_code == 204


async def test_a_read_only_store_is_written_by_service_keys_alone(org, api, ana, bob, bot):
    store = await make_store(ana, "handbook", read_only=True)
    entry = await seen_by(api, store).write("a", "tea")
    [version] = await store.versions()
    alone = org.client(key=await org.mint("agent", agent_id="bot"))
    for client in (ana, bob, bot, alone):
        reads, writes, _ = await every_call(
            StoreApi(_Reading(client), store.id), entry["id"], version["id"]
        )
        assert {answer.status_code for answer in reads} == {200}
        assert [denied(answer) for answer in writes] == [MEM_001] * 5
    async with connected(org, key=await org.mint("agent", agent_id="bot")) as client:
        for tool, fields in (
            ("store_write", {"content": "x"}),
            ("store_write", {"content": "x", "version": 1}),
            ("store_delete", {}),
        ):
            path = "new" if fields == {"content": "x"} else "a"
            refusal = await refused(client, tool, store="handbook", path=path, **fields)
            assert refusal["code"] == "MEM-001"
        assert (await ask(client, "store_view", store="handbook", path="a"))["content"] == "tea"
    await store.must_count(["tea"])
    assert (await ana.patch(store.path, json={"read_only": False})).status_code == 200
    assert (await seen_by(bob, store).put(entry, "coffee")).status_code == 200


class _Reading:
    """A client whose changes of the store itself are not sent."""

    def __init__(self, client):
        self.client = client

    def __getattr__(self, name):
        return getattr(self.client, name)

    async def patch(self, *_args, **_fields):
        return None

    async def post(self, path, **fields):
        return (
            None
            if path.endswith(("/redact", "/archive"))
            else await self.client.post(path, **fields)
        )

    async def delete(self, path):
        return await self.client.delete(path) if "/memories/" in path else None


async def test_no_agent_key_manages_a_store_and_one_without_a_user_makes_only_open_ones(org, bot):
    alone = org.client(key=await org.mint("agent", agent_id="bot"))
    assert denied(
        await alone.post("/memory_stores", json={"name": "x", "visibility": "private"})
    ) == (MEM_001)
    own = await make_store(alone, "open")
    assert (await own.read())["created_by"] is None
    private = await make_store(bot, "anas", visibility="private")
    assert (await private.read())["created_by"] == "ana"
    for store in (own, private):
        entry = await store.write("a", "tea")
        [version] = await store.versions()
        assert (await store.delete(entry)).status_code == 204
        for answer in (
            await store.api.patch(store.path, json={"name": "mine"}),
            await store.redact(version["id"]),
            await store.archive(),
            await store.api.delete(store.path),
        ):
            assert denied(answer) == MEM_001
    answer = await org.client().patch(own.path, json={"visibility": "private"})
    assert denied(answer) == (422, "invalid")


async def test_a_store_becomes_private_and_open_again(api, ana, bob):
    store = await make_store(ana, "notes")
    assert (await api.patch(store.path, json={"visibility": "private"})).json()["visibility"] == (
        "private"
    )
    assert (await seen_by(bob, store).get()).status_code == 404
    assert (await api.patch(store.path, json={"visibility": "org"})).status_code == 404
    assert (await ana.patch(store.path, json={"visibility": "org"})).status_code == 200
    assert (await seen_by(bob, store).get()).status_code == 200
    for field, value in (("visibility", "team"), ("read_only", 1), ("read_only", "yes")):
        answer = await ana.patch(store.path, json={field: value})
        assert denied(answer) == (422, "invalid")


async def test_versions_name_the_key_and_the_user_acted_for(org, api):
    store = await make_store(api)
    for n, user in enumerate(("ana", "bob")):
        await seen_by(org.client(Holdfast_User=user), store).write(f"f{n}")
    told = await store.versions()
    assert [(each["actor"]["type"], each["user_id"]) for each in told] == [
        ("api_key", "bob"),
        ("api_key", "ana"),
    ]
    one = (await store.get(f"/versions/{told[0]['id']}")).json()
    assert one["user_id"] == "bob"
