"""Stores as a model calls them."""

from tests.mcp_client import ask, connected, refused


async def make(api, name):
    reply = await api.post("/memory_stores", json={"name": name})
    assert reply.status_code == 201
    return reply.json()["id"]


async def test_a_text_is_written_viewed_replaced_and_deleted(org, api):
    store = await make(api, "Handbook")
    async with connected(org, agent="bot") as client:
        made = await ask(
            client, "store_write", store="handbook", path="notes/tea.md", content="green\n"
        )
        assert (made["store_id"], made["version"]) == (store, 1)
        seen = await ask(client, "store_view", store=store, path="notes/tea.md")
        assert (seen["content"], seen["version"]) == ("green\n", 1)
        taken = await refused(client, "store_write", store=store, path="notes/tea.md", content="x")
        assert (taken["code"], taken["current"]["version"]) == ("conflict", 1)
        await ask(
            client, "store_write", store=store, path="notes/tea.md", content="black", version=1
        )
        late = await refused(
            client, "store_write", store=store, path="notes/tea.md", content="red", version=1
        )
        assert (late["code"], late["current"]["content"]) == ("conflict", "black")
        gone = await ask(client, "store_delete", store=store, path="notes/tea.md")
        assert gone == {"deleted": True, "path": "notes/tea.md", "version": 3}
        for tool in ("store_delete", "store_view"):
            error = await refused(client, tool, store=store, path="notes/tea.md")
            assert error["code"] == "not_found"
    versions = (await api.get(f"/memory_stores/{store}/versions")).json()["data"]
    assert [each["action"] for each in versions] == ["deleted", "updated", "created"]


async def test_a_folder_shows_what_lies_below_it(org, api):
    store = await make(api, "Handbook")
    async with connected(org) as client:
        for path in ("a/one", "a/two", "ab", "b/c/d"):
            await ask(client, "store_write", store=store, path=path, content=path)

        async def below(**where):
            seen = await ask(client, "store_view", store=store, **where)
            return [each["path"] for each in seen["data"]]

        assert await below() == ["a/one", "a/two", "ab", "b/c/d"]
        assert await below(path="a") == await below(path="a/") == ["a/one", "a/two"]
        assert await below(after_path="ab") == ["b/c/d"]
        assert (await refused(client, "store_view", store=store, path="c"))["code"] == "not_found"


async def test_a_store_that_is_not_known_is_answered_with_those_there_are(org, api):
    async with connected(org) as client:
        error = await refused(client, "store_view", store="x")
        assert "none yet" in error["detail"]
        first, second = await make(api, "Plans"), await make(api, "plans")
        assert "'Plans'" in (await refused(client, "store_view", store="x"))["detail"]
        error = await refused(client, "store_view", store="PLANS")
        assert first in error["detail"]
        assert second in error["detail"]


async def test_another_orgs_store_is_not_found(make_org):
    one, other = await make_org(), await make_org()
    store = await make(one.client(), "Secret plans")
    async with connected(other) as client:
        for name in (store, "Secret plans"):
            error = await refused(client, "store_write", store=name, path="a", content="x")
            assert error["code"] == "not_found"
            assert "Secret plans'; there are: 'Secret" not in error["detail"]
