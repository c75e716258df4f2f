"""Deleting memories: who may, and that nothing is left."""

from pathlib import Path

from tests.memories.assets.test_assets import attach
from tests.memories.calls import ids, save


async def test_no_key_deletes_a_memory_not_even_an_owners(org, api, sign_in):
    memory = await save(api)
    path = f"/memories/{memory['id']}"
    keys = [api, org.client(await org.mint("user", user_id="owner")),
            org.client(await org.mint("agent", agent_id="bot", user_id="owner")), await sign_in("owner", step_up=False)]  # fmt: skip
    for client in keys:
        for call in (
            client.delete(path),
            client.delete("/memories"),
            client.request("DELETE", "/memories", json={"ids": [memory["id"]]}),
            client.request("DELETE", "/memories", json={"ids": [memory["id"]], "dry_run": True}),
            client.delete("/memories/memory_x"),
        ):
            answer = await call
            assert (answer.status_code, answer.json()["code"]) == (403, "step_up_required")
    assert await ids(api) == [memory["id"]]


async def test_a_confirmed_browser_deletes_what_its_user_sees(api, sign_in):
    memory = await save(api)
    path = f"/memories/{memory['id']}"
    stranger = await sign_in("bob")
    assert (await stranger.delete(path)).status_code == 404
    browser = await sign_in("owner")
    assert (await browser.delete(path, headers={"If-Match": '"7"'})).status_code == 412
    assert (await browser.delete(path)).status_code == 204
    for call in (
        api.get(path),
        api.get(f"{path}/history"),
        api.post(f"{path}/restore", json={"version": 1}),
        api.get(path, params={"as_of": memory["updated_at"]}),
        browser.delete(path),
    ):
        assert (await call).status_code == 404
    assert await ids(api, as_of=memory["updated_at"]) == []
    again = await save(api)
    assert (again["created"], again["version"]) == (True, 1)
    assert again["id"] != memory["id"]


async def test_many_are_deleted_by_id_or_by_filter_and_a_dry_run_only_tells(api, org, sign_in):
    a, b, c = [
        await save(api, key, category=category)
        for key, category in (("a", "x"), ("b", "x"), ("c", "y"))
    ]
    others = await save(org.client(holdfast_user="bob"), category="x")
    browser = await sign_in("owner")

    async def delete(body, **params):
        return await browser.request("DELETE", "/memories", json=body, params=params)

    for nothing in (
        {},
        {"ids": []},
        {"filter": {}},
        {"filter": {"include_expired": True}},
        {"filter": {"include_expired": True, "include_superseded": True}},
        {"filter": {"includeSuperseded": True}, "dry_run": True},
        {"dry_run": True},
        {"ids": [a["id"]], "filter": {"category": "x"}},
    ):
        assert (await delete(nothing)).status_code == 422
    assert (await browser.delete("/memories")).status_code == 422
    dry = (await delete({"filter": {"category": "x"}, "dry_run": True})).json()
    assert (dry["deleted"], dry["ids"]) == (2, [b["id"], a["id"]])
    assert (await delete({"ids": [a["id"]]}, dry_run=True)).json()["ids"] == [a["id"]]
    assert len(await ids(api)) == 3
    done = await delete({"filter": {"category": "x"}})
    assert (done.status_code, done.json()["deleted"]) == (200, 2)
    named = (await delete({"ids": [c["id"], others["id"], a["id"], "nonsense"]})).json()
    assert (named["deleted"], named["ids"]) == (1, [c["id"]])
    assert await ids(api) == []
    assert await ids(org.client(holdfast_user="bob")) == [others["id"]]


async def test_what_is_deleted_is_erased_from_the_database_and_the_store(
    api, service, sign_in, owner_connection, org, text_of_all_rows
):
    secret = "zanzibar-marmalade"
    memory = await save(
        api, f"key {secret}", f"value {secret}", summary=f"s {secret}", tags=[secret], category=secret,
        sources=[{"kind": "url", "ref": f"https://{secret}", "quote": secret}],
    )  # fmt: skip
    path = f"/memories/{memory['id']}"
    await api.patch(path, json={"value": f"later {secret}"})
    await api.post("/memories/batch", json={"memories": [{"key": f"key {secret}", "value": secret}]},
                   headers={"Idempotency-Key": "batch"})  # fmt: skip
    body = {"key": f"key {secret}", "value": f"kept answer {secret}"}
    await api.post("/memories", json=body, headers={"Idempotency-Key": "one"})
    asset = (
        await attach(
            api, memory, secret.encode(), name=f"{secret}.txt", **{"Idempotency-Key": "asset"}
        )
    ).json()
    node = (await api.post("/memory-nodes", json={"name": "Node"})).json()
    item = await api.post(f"/memory-nodes/{node['id']}/items", json={"content": secret, "memory_id": memory["id"]},
                          headers={"Idempotency-Key": "item"})  # fmt: skip
    assert item.status_code == 201, item.text
    assert f"kept answer {secret}" in text_of_all_rows(org.id)
    assert list(Path(service.data_dir, "assets").rglob(asset["id"]))

    browser = await sign_in("owner")
    assert (await browser.delete(path)).status_code == 204

    assert secret not in text_of_all_rows(org.id)
    assert not list(Path(service.data_dir, "assets").rglob(f"{asset['id']}*"))
    assert (await api.get(f"/memory-nodes/{node['id']}")).json()["items"] == []
    late = await api.post("/memories", json=body, headers={"Idempotency-Key": "one"})
    assert (late.status_code, late.json()["code"]) == (404, "not_found")
    assert await ids(api) == []
    tombstones = (
        owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
        and owner_connection.execute(
            "SELECT action, content, state FROM revisions WHERE object_id = %s ORDER BY version",
            [memory["id"]],
        ).fetchall()
    )
    assert tombstones[-1] == ("deleted", None, None)
    assert len(tombstones) >= 5
    assert all(content is None and state is None for _, content, state in tombstones)
