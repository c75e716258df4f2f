"""Stores themselves, from outside."""

import asyncio
from datetime import datetime, timedelta

import pytest

from holdfast.kernel import revisions
from tests.stores.conftest import ONE_FILE, make_store


async def test_a_new_store_is_active_and_empty(api):
    made = await api.post(
        "/memory_stores",
        json={"name": "  Handbook ", "description": " how we work ", "metadata": {"team": "a"}},
    )
    assert made.status_code == 201
    assert made.headers["etag"] == '"1"'
    store = made.json()
    assert store.pop("id").startswith("memstore_")
    assert store.pop("created_at") == store.pop("updated_at")
    assert store == {
        "type": "memory_store",
        "name": "Handbook",
        "description": "how we work",
        "status": "active",
        "visibility": "org",
        "read_only": False,
        "created_by": "owner",
        "entry_count": 0,
        "total_size": 0,
        "metadata": {"team": "a"},
        "version": 1,
    }


@pytest.mark.parametrize(
    ("field", "fits", "too_long"),
    [
        ("name", "é" * 64, "é" * 65),
        ("name", f" {'x' * 64} ", "x" * 65),
        ("description", "ü" * 1024, "ü" * 1025),
        ("metadata", {"k" * 64: "v" * 512}, {"k" * 65: "v"}),
        ("metadata", {f"k{n}": "" for n in range(16)}, {f"k{n}": "" for n in range(17)}),
        ("metadata", {"k": "é" * 512}, {"k": "é" * 513}),
    ],
)
async def test_limits_hold_at_the_edge_and_one_past_it(api, field, fits, too_long):
    made = await api.post("/memory_stores", json={"name": "n", field: fits})
    assert made.status_code == 201, made.text
    refused = await api.post("/memory_stores", json={"name": "n", field: too_long})
    assert refused.status_code == 422
    assert refused.json()["code"] == "limit_exceeded"
    assert refused.json()["actual"] == refused.json()["limit"] + 1
    changed = await api.patch(f"/memory_stores/{made.json()['id']}", json={field: too_long})
    assert (changed.status_code, changed.json()["code"]) == (422, "limit_exceeded")


@pytest.mark.parametrize(
    "body",
    [{}, {"name": ""}, {"name": " \n"}, {"name": None}, {"name": "n", "metadata": {"": "v"}},
     {"name": "n", "metadata": {"k": 1}}, {"name": "n", "metadata": {"k": None}}, {"name": "n", "colour": "red"}],
)  # fmt: skip
async def test_what_is_not_a_store_is_refused(api, body):
    refused = await api.post("/memory_stores", json=body)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert (await api.get("/memory_stores")).json()["data"] == []


async def test_names_need_not_be_unique(api):
    first, second = await make_store(api, "same"), await make_store(api, "same")
    assert first.id != second.id


async def test_a_patch_changes_what_is_given_and_null_removes_a_key(api):
    store = await make_store(api, "a", description="d", metadata={"keep": "1", "drop": "2"})
    before = await store.read()
    changed = await api.patch(
        store.path, json={"name": " b ", "metadata": {"drop": None, "new": "3"}}
    )
    assert changed.status_code == 200
    assert changed.headers["etag"] == '"2"'
    after = changed.json()
    assert after["name"] == "b"
    assert after["description"] == "d"
    assert after["metadata"] == {"keep": "1", "new": "3"}
    assert after["updated_at"] > before["updated_at"]
    assert after == await store.read()


async def test_metadata_stays_within_its_limit_over_several_patches(api):
    store = await make_store(api, metadata={f"k{n}": "v" for n in range(16)})
    over = await api.patch(store.path, json={"metadata": {"one_more": "v"}})
    assert (over.status_code, over.json()["code"]) == (422, "limit_exceeded")
    assert (await store.read())["version"] == 1
    swapped = await api.patch(store.path, json={"metadata": {"one_more": "v", "k0": None}})
    assert swapped.status_code == 200
    assert len(swapped.json()["metadata"]) == 16


async def test_the_stores_own_version_does_not_move_with_its_entries(store):
    before = await store.read()
    entry = await store.write("a", "text")
    await store.update(entry, "longer text")
    after = await store.read()
    assert (after["entry_count"], after["total_size"]) == (1, 11)
    assert {**after, "entry_count": 0, "total_size": 0} == before
    assert (await store.get()).headers["etag"] == '"1"'


async def test_if_match_guards_patch_archive_and_delete(store):
    stale = {"If-Match": '"7"'}
    for refused in (
        await store.api.patch(store.path, json={"name": "x"}, headers=stale),
        await store.api.post(f"{store.path}/archive", headers=stale),
        await store.api.delete(store.path, headers=stale),
    ):
        assert (refused.status_code, refused.json()["code"]) == (412, "precondition_failed")
    assert (await store.read())["version"] == 1
    fresh = {"If-Match": '"1"'}
    assert (await store.api.patch(store.path, json={"name": "x"}, headers=fresh)).status_code == 200
    assert (await store.api.delete(store.path, headers={"If-Match": '"2"'})).status_code == 204


async def test_an_archived_store_can_be_read_but_not_written(store):
    entry = await store.write("a", "one")
    entry = await store.update(entry, "two")
    await store.write("b", "other")
    old = (await store.versions(entry_id=entry["id"]))[-1]
    archived = await store.archive()
    assert archived.status_code == 200
    assert archived.json()["status"] == "archived"
    assert archived.json()["archived_at"] == archived.json()["updated_at"]
    assert archived.headers["etag"] == '"2"'

    zipped = (await store.get("/export")).content
    for refused in (
        await store.archive(),
        await store.create("c"),
        await store.put(entry, "three"),
        await store.put(entry, "two", path="renamed"),
        await store.put(entry, "two"),
        await store.restore(entry["id"], old["id"], 2),
        await store.api.patch(store.path, json={"name": "x"}),
        await store.api.post(f"{store.path}/import", content=zipped),
    ):
        assert (refused.status_code, refused.json()["code"]) == (409, "archived"), refused.url

    assert (await store.get(f"/memories/{entry['id']}")).json()["content"] == "two"
    assert (await store.get("/memories/by-path/a")).status_code == 200
    assert (await store.redact(old["id"])).status_code == 200
    assert (await store.delete(entry)).status_code == 204
    await store.must_count(["other"])
    assert (await store.api.delete(store.path)).status_code == 204


async def test_lists_leave_archived_stores_out_unless_asked(api):
    kept, archived = await make_store(api, "kept"), await make_store(api, "archived")
    await archived.archive()
    listed = (await api.get("/memory_stores")).json()
    assert [each["id"] for each in listed["data"]] == [kept.id]
    assert "archived_at" not in listed["data"][0]
    every = (await api.get("/memory_stores", params={"include_archived": True})).json()
    assert [each["id"] for each in every["data"]] == [archived.id, kept.id]


async def test_a_list_filters_by_how_a_name_begins_in_any_case(api):
    for name in ("Straße 1", "STRASSE 2", "strand", "100%", "100x"):
        await make_store(api, name)

    async def named(prefix: str) -> list[str]:
        listed = await api.get("/memory_stores", params={"name": prefix})
        return [each["name"] for each in listed.json()["data"]]

    assert await named("stra") == ["strand", "STRASSE 2", "Straße 1"]
    assert await named("STRASSE") == ["STRASSE 2", "Straße 1"]
    assert await named("100%") == ["100%"]
    assert await named("none") == []


async def test_a_list_filters_by_time_both_ends_included(api):
    stores = [await make_store(api, str(n)) for n in range(3)]
    times = [(await store.read())["created_at"] for store in stores]

    async def ids(**bounds: str) -> list[str]:
        params = {f"created_at[{bound}]": at for bound, at in bounds.items()}
        listed = await api.get("/memory_stores", params=params)
        assert listed.status_code == 200, listed.text
        return [each["id"] for each in listed.json()["data"]]

    newest_first = [store.id for store in reversed(stores)]
    assert await ids(gte=times[1]) == newest_first[:2]
    assert await ids(lte=times[1]) == newest_first[1:]
    assert await ids(gte=times[1], lte=times[1]) == newest_first[1:2]
    later = (datetime.fromisoformat(times[2]) + timedelta(microseconds=1)).isoformat()
    assert await ids(gte=later) == []
    assert (
        await api.get("/memory_stores", params={"created_at[gte]": "yesterday"})
    ).status_code == 400
    assert (await api.get("/memory_stores", params={"created_at[gt]": times[0]})).status_code == 400


async def test_pages_of_stores_neither_skip_nor_repeat(api):
    made = [(await make_store(api, str(n))).id for n in range(7)]
    seen: list[str] = []
    page = (await api.get("/memory_stores", params={"limit": 3})).json()
    while True:
        seen += [each["id"] for each in page["data"]]
        await make_store(api, "meanwhile")
        if not page["has_more"]:
            break
        page = (
            await api.get("/memory_stores", params={"limit": 3, "after_id": page["last_id"]})
        ).json()
    assert seen == made[::-1]


async def test_a_deleted_store_leaves_nothing_but_its_tombstone(store, org, db, owner_connection):
    entry = await store.write("a", "gone with the store")
    await store.update(entry, "gone as well")
    headers = {"Idempotency-Key": "k"}
    body = {"path": "b", "content": "gone with the store, too"}
    await store.api.post(f"{store.path}/memories", json=body, headers=headers)
    assert (await store.api.delete(store.path)).status_code == 204
    for gone in ("", "/memories", "/versions", f"/memories/{entry['id']}", "/export"):
        assert (await store.get(gone)).status_code == 404
    assert (await store.api.delete(store.path)).status_code == 404
    again = await store.api.post(f"{store.path}/memories", json=body, headers=headers)
    assert (again.status_code, again.json()["code"]) == (404, "not_found")

    async with db.read(org.operator) as tx:
        history = (await revisions.history(tx, "store", store.id)).data
        assert [(each.version, each.action, each.state) for each in history] == [
            (2, "deleted", None)
        ]
        assert (await revisions.history(tx, "store_entry", entry["id"])).data == []
    with owner_connection.transaction():
        owner_connection.execute("SELECT set_config('holdfast.org', %s, true)", (org.id,))
        for table in ("memory_stores", "store_entries"):
            assert owner_connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


async def test_every_change_of_a_store_leaves_a_revision(store, org, db):
    await store.api.patch(store.path, json={"name": "new"})
    await store.archive()
    async with db.read(org.operator) as tx:
        history = (await revisions.history(tx, "store", store.id)).data
    assert [(each.version, each.action) for each in history] == [
        (3, "archived"),
        (2, "updated"),
        (1, "created"),
    ]
    assert history[1].state["name"] == "new"


async def test_archiving_waits_for_nobody_and_lets_nobody_slip_in(api):
    for _ in range(5):
        store = await make_store(api)
        entry = await store.write("a", "x")
        answers = await asyncio.gather(
            store.archive(),
            *(store.create(f"p{n}", "four") for n in range(6)),
            store.put(entry, "y"),
        )
        assert answers[0].status_code == 200
        made = sum(answer.status_code == 201 for answer in answers[1:])
        assert {answer.status_code for answer in answers[1:]} <= {200, 201, 409}
        await store.must_count(["x", *["four"] * made])
        listed = (await store.get("/memories", limit=100)).json()["data"]
        assert len(listed) == made + 1


async def test_a_store_deleted_under_its_writers_leaves_no_orphans(api, org, owner_connection):
    for _ in range(3):
        store = await make_store(api)
        entry = await store.write("a", "x")
        answers = await asyncio.gather(
            *(store.create(f"p{n}") for n in range(4)),
            store.put(entry, "y"),
            store.put(entry, "x", path="b"),
            store.api.delete(store.path),
            *(store.create(f"q{n}") for n in range(4)),
            store.api.post(f"{store.path}/import", content=ONE_FILE),
        )
        assert {answer.status_code for answer in answers} <= {200, 201, 204, 404, 409}
        assert (await store.get()).status_code == 404
        with owner_connection.transaction():
            owner_connection.execute("SELECT set_config('holdfast.org', %s, true)", (org.id,))
            for table in ("store_entries", "revisions WHERE kind = 'store_entry'"):
                rows = owner_connection.execute(f"SELECT count(*) FROM {table}").fetchone()
                assert rows == (0,), table


async def test_a_change_that_changes_nothing_moves_nothing(api, org, db):
    store = await make_store(api, "n", description="d", metadata={"a": "1"})
    before = await store.read()
    same = ({}, {"name": " n "}, {"description": "d"}, {"metadata": {"a": "1", "gone": None}})
    for body in same:
        answer = await api.patch(store.path, json=body)
        assert (answer.status_code, answer.headers["etag"]) == (200, '"1"'), answer.text
        assert answer.json() == before
    async with db.read(org.operator) as tx:
        assert len((await revisions.history(tx, "store", store.id)).data) == 1
    late = await api.patch(store.path, json={"name": "n"}, headers={"If-Match": '"2"'})
    assert late.status_code == 412
    changed = await api.patch(store.path, json={"metadata": {"a": None}})
    assert (changed.json()["version"], changed.json()["metadata"]) == (2, {})
    await store.archive()
    archived = await api.patch(store.path, json={"name": "n"})
    assert (archived.status_code, archived.json()["code"]) == (409, "archived")
    nowhere = await api.patch("/memory_stores/memstore_" + "0" * 32, json={})
    assert nowhere.status_code == 404
