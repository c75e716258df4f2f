"""Versions of a store's entries, from outside: revisions, in this face's words."""

import asyncio
import json
from hashlib import sha256

from holdfast.kernel import idempotency, revisions
from holdfast.stores import entries
from tests.stores.conftest import make_store


async def test_every_change_adds_a_version_and_they_are_revisions(store, org, db):
    entry = await store.write("a", "one")
    second = await store.update(entry, "two", path="b")
    await store.delete(entry)
    listed = (await store.get("/versions")).json()
    assert set(listed) == {"data", "first_id", "last_id", "has_more"}
    assert (listed["first_id"], listed["last_id"]) == (
        listed["data"][0]["id"],
        listed["data"][-1]["id"],
    )
    told = [(v["version"], v["action"], v["entry_path"], v["size"]) for v in listed["data"]]
    assert told == [(3, "deleted", "b", 0), (2, "updated", "b", 3), (1, "created", "a", 3)]
    assert listed["data"][0]["content_sha256"] == ""
    first = dict(listed["data"][-1])
    assert first.pop("id").startswith("memver_")
    assert first.pop("actor")["type"] == "api_key"
    assert first == {
        "type": "memory_version",
        "store_id": store.id,
        "entry_id": entry["id"],
        "entry_path": "a",
        "version": 1,
        "size": 3,
        "content_sha256": sha256(b"one").hexdigest(),
        "action": "created",
        "redacted": False,
        "user_id": "owner",
        "created_at": entry["created_at"],
    }
    assert listed["data"][1]["created_at"] == second["updated_at"]
    async with db.read(org.operator) as tx:
        history = (await revisions.history(tx, "store_entry", entry["id"])).data
    assert [each.id for each in history] == [each["id"] for each in listed["data"]]
    assert history[1].parent_id == store.id
    assert history[1].request_id


async def test_content_is_only_on_get_and_byte_for_byte(store):
    entry = await store.write("a", "one\r\n\u2028")
    await store.update(entry, "two")
    new, old = await store.versions()
    assert "content" not in new
    assert (await store.get(f"/versions/{old['id']}")).json() == {**old, "content": "one\r\n\u2028"}
    await store.delete(entry)
    deleted = (await store.versions())[0]
    assert (await store.get(f"/versions/{deleted['id']}")).json() == deleted
    for wrong in ("memver_" + "0" * 32, entry["id"], "x", "memver_"):
        assert (await store.get(f"/versions/{wrong}")).status_code == 404


async def test_versions_are_filtered_by_entry_path_action_and_time(store):
    a = await store.write("a", "one")
    b = await store.write("b", "one")
    a = await store.update(a, "two")
    a = await store.update(a, "two", path="c")
    await store.delete(b)
    every = await store.versions()

    async def found(**filters):
        return [every.index(version) for version in await store.versions(**filters)]

    assert await found() == [0, 1, 2, 3, 4]
    assert await found(entry_id=b["id"]) == [0, 3]
    assert await found(path="a") == [2, 4]
    assert await found(path="c") == [1]
    assert await found(action="updated") == [1, 2]
    assert await found(action="created", path="b") == [3]
    assert await found(entry_id="nobody") == []
    times = [version["created_at"] for version in every]
    assert await found(**{"created_at[gte]": times[2]}) == [0, 1, 2]
    assert await found(**{"created_at[lte]": times[2]}) == [2, 3, 4]
    assert await found(**{"created_at[gte]": times[3], "created_at[lte]": times[1]}) == [1, 2, 3]
    assert await found(**{"created_at[gte]": times[3], "action": "updated"}) == [1, 2]
    assert (await store.get("/versions", action="renamed")).status_code == 400


async def test_pages_of_versions_neither_skip_nor_repeat_in_both_directions(store):
    entry = await store.write("a", "0")
    for number in range(1, 9):
        entry = await store.update(entry, str(number))
    older, page = [], {"last_id": None, "has_more": True}
    while page["has_more"]:
        after = {"after_id": page["last_id"]} if page["last_id"] else {}
        page = (await store.get("/versions", limit=2, path="a", **after)).json()
        older += [version["version"] for version in page["data"]]
    assert older == list(range(9, 0, -1))
    newer, page = [], {"first_id": page["last_id"], "has_more": True}
    while page["has_more"]:
        page = (await store.get("/versions", limit=2, before_id=page["first_id"])).json()
        newer = [version["version"] for version in page["data"]] + newer
    assert newer == list(range(9, 1, -1))


async def test_versions_keep_their_order_however_fast_writers_race(store):
    entry = await store.write("a", "0")

    async def write(name):
        mine = entry
        for number in range(5):
            answer = await store.put(mine, f"{name} {number}")
            mine = answer.json() if answer.status_code == 200 else answer.json()["current"]

    await asyncio.gather(*(write(name) for name in range(6)))
    numbers = [version["version"] for version in await store.versions()]
    assert numbers == sorted(numbers, reverse=True)
    times = [version["created_at"] for version in await store.versions()]
    assert times == sorted(times, reverse=True)
    assert len(set(times)) == len(times)


# --- restore ---------------------------------------------------------------------------------------------------------


async def test_an_old_version_becomes_the_newest(store):
    entry = await store.write("a", "one", metadata={"k": "1"})
    entry = await store.update(entry, "number two", metadata={"k": "2"}, path="b")
    first = (await store.versions())[-1]
    restored = await store.restore(entry["id"], first["id"], 2)
    assert restored.status_code == 200
    assert restored.headers["etag"] == '"3"'
    back = restored.json()
    assert (back["content"], back["metadata"], back["version"]) == ("one", {"k": "1"}, 3)
    assert back["path"] == "b"
    assert (await store.versions())[0]["action"] == "updated"
    await store.must_count(["one"])
    again = await store.restore(entry["id"], first["id"], 3)
    assert (again.status_code, again.json()) == (200, back)
    assert len(await store.versions()) == 3


async def test_a_restore_needs_the_current_version(store):
    entry = await store.write("a", "one")
    entry = await store.update(entry, "two")
    first = (await store.versions())[-1]
    stale = await store.restore(entry["id"], first["id"], 1)
    assert (stale.status_code, stale.json()["code"]) == (409, "conflict")
    assert stale.json()["current"] == entry
    guarded = await store.api.post(
        f"{store.path}/memories/{entry['id']}/restore",
        json={"version_id": first["id"], "version": 2},
        headers={"If-Match": '"1"'},
    )
    assert guarded.status_code == 412


async def test_a_deleted_entry_comes_back_under_its_id(store):
    entry = await store.write("a", "one", metadata={"k": "v"})
    await store.delete(entry)
    deleted, first = await store.versions()
    wrong = await store.restore(entry["id"], first["id"], 1)
    assert (wrong.status_code, wrong.json()["current"]) == (409, None)
    nothing = await store.restore(entry["id"], deleted["id"], 2)
    assert (nothing.status_code, nothing.json()["code"]) == (422, "invalid")
    restored = await store.restore(entry["id"], first["id"], 2)
    assert restored.status_code == 200
    back = restored.json()
    assert back["updated_at"] > deleted["created_at"]
    assert back == {**entry, "version": 3, "updated_at": back["updated_at"]}
    await store.must_count(["one"])


async def test_a_deleted_entry_does_not_come_back_where_another_lies(store):
    entry = await store.write("a", "one")
    await store.delete(entry)
    first = (await store.versions())[-1]
    holder = await store.write("a", "new")
    taken = await store.restore(entry["id"], first["id"], 2)
    assert (taken.status_code, taken.json()["code"]) == (409, "conflict")
    assert taken.json()["current"] == holder
    await store.must_count(["new"])


async def test_two_restores_of_a_deleted_entry_bring_it_back_once(store):
    entry = await store.write("a", "one")
    await store.delete(entry)
    first = (await store.versions())[-1]
    answers = await asyncio.gather(*(store.restore(entry["id"], first["id"], 2) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 5
    await store.must_count(["one"])


async def test_only_a_version_of_the_entry_can_be_restored(store):
    a, b = await store.write("a", "one"), await store.write("b", "two")
    of_b = (await store.versions(entry_id=b["id"]))[0]
    assert (await store.restore(a["id"], of_b["id"], 1)).status_code == 404
    assert (await store.restore(a["id"], "memver_x", 1)).status_code == 404
    assert (await store.restore("mem_" + "0" * 32, of_b["id"], 1)).status_code == 404


# --- redaction -------------------------------------------------------------------------------------------------------


async def test_a_redacted_version_keeps_size_hash_and_path(store):
    entry = await store.write("a", "secret")
    await store.update(entry, "clean")
    old = (await store.versions())[-1]
    redacted = await store.redact(old["id"])
    assert redacted.status_code == 200
    body = redacted.json()
    assert body["redacted_at"]
    assert body == {**old, "redacted": True, "redacted_at": body["redacted_at"]}
    assert (await store.get(f"/versions/{old['id']}")).json() == body
    assert (await store.versions())[-1] == body
    again = await store.redact(old["id"])
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    restored = await store.restore(entry["id"], old["id"], 2)
    assert (restored.status_code, restored.json()["code"]) == (409, "conflict")


async def test_the_live_version_has_to_be_updated_or_deleted_first(store):
    entry = await store.write("a", "secret")
    version = (await store.versions())[0]
    refused = await store.redact(version["id"])
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert "update or delete" in refused.json()["detail"]
    await store.delete(entry)
    assert (await store.redact(version["id"])).status_code == 200


async def test_a_redacted_content_is_nowhere_in_the_database(store, org, text_of_all_rows):
    secret, noise = "hunter2-Ünsichtbar", "still-here"
    once = {"Idempotency-Key": "first"}
    body = {"path": "a", "content": f"{secret}\n", "metadata": {"hint": secret}}
    made = await store.api.post(f"{store.path}/memories", json=body, headers=once)
    entry = made.json()
    taken = await store.api.post(
        f"{store.path}/memories",
        json={**body, "content": "x"},
        headers={"Idempotency-Key": "taken"},
    )
    assert taken.json()["current"]["content"] == f"{secret}\n"
    renamed = await store.update(entry, f"{secret}\n", path="b")
    clean = await store.update(renamed, noise, metadata={})
    versions = await store.versions(entry_id=entry["id"])
    kept = await store.api.put(
        f"{store.path}/memories/{entry['id']}",
        json={"content": "y", "version": 1},
        headers={"Idempotency-Key": "stale"},
    )
    assert kept.json()["current"] == clean
    # Two versions with their metadata, two kept answers.
    assert text_of_all_rows(org.id).count("hunter2") >= 5

    assert (await store.redact(versions[-1]["id"])).status_code == 200
    after = text_of_all_rows(org.id)
    assert noise in after
    assert "hunter2" not in after
    copy = (await store.get(f"/versions/{versions[-2]['id']}")).json()
    assert copy["redacted"] is True

    replayed = await store.api.post(f"{store.path}/memories", json=body, headers=once)
    assert (replayed.status_code, replayed.json()["code"]) == (404, "not_found")
    assert (await store.get("/memories")).json()["data"][0]["id"] == entry["id"]


async def test_redactions_among_many_writers_leave_no_copy_in_their_kept_answers(
    org, db, text_of_all_rows
):
    """Each writer asks for a path that is taken, under a key of its own, and is told what lies there: the old content
    or the new, as it happens. Whenever its answer is kept, the old one is not in it; and nobody waits in a circle."""
    store = await make_store(org.client())
    clients = [org.client() for _ in range(16)]
    rounds = 6
    redacted = [asyncio.Event() for _ in range(rounds)]

    async def ask(client, number, key):
        refused = await client.post(
            f"{store.path}/memories",
            json={"path": f"at-{number}", "content": "mine"},
            headers={"Idempotency-Key": key},
        )
        assert refused.status_code == 409, refused.text

    async def ask_slowly(number, entry, turn):
        """The same inside: the answer is read, and kept a while later, or after all is over."""
        caller, key = org.caller(), f"{number}/{turn}"
        async with idempotency.once(
            db, caller, method="POST", path="/slow", key=key, body=b""
        ) as attempt:
            found = await entries.read_entry(db, caller, store.id, entry["id"])
            await (redacted[number].wait() if turn % 2 else asyncio.sleep(turn * 0.01))
            body = json.dumps({"id": found.id, "content": found.content}).encode()
            attempt.answer = idempotency.Answer(409, {}, body)

    async def replace_and_redact(client, number, entry, version):
        put = await client.put(
            f"{store.path}/memories/{entry['id']}",
            json={"content": "clean", "version": 1},
            headers={"Idempotency-Key": f"put-{number}"},
        )
        assert put.status_code == 200, put.text
        done = await client.post(
            f"{store.path}/versions/{version['id']}/redact",
            headers={"Idempotency-Key": f"redact-{number}"},
        )
        redacted[number].set()
        assert done.status_code == 200, done.text

    for number in range(rounds):
        entry = await store.write(f"at-{number}", f"hunter2-{number}")
        version = (await store.versions(limit=1))[0]
        await asyncio.gather(
            *(ask_slowly(number, entry, turn) for turn in range(8)),
            *(ask(client, number, f"{number}-{n}") for n, client in enumerate(clients)),
            replace_and_redact(clients[0], number, entry, version),
            *(ask(client, number, f"{number}+{n}") for n, client in enumerate(clients)),
        )
    after = text_of_all_rows(org.id)
    assert after.count("clean") >= rounds
    assert "hunter2" not in after


async def test_a_replay_of_what_was_redacted_speaks_the_words_of_its_surface(store, org):
    client = org.client()
    client.base_url = str(client.base_url).replace("/api/v1", "/anthropic/v1")
    body = {"path": "/a", "content": "hunter2"}
    once = {"Idempotency-Key": "theirs"}
    path = f"/memory_stores/{store.id}/memories"
    made = (await client.post(path, json=body, headers=once)).json()
    await store.delete(made)
    assert (await store.redact((await store.versions())[-1]["id"])).status_code == 200
    replayed = await client.post(path, json=body, headers=once)
    assert replayed.status_code == 404
    assert replayed.headers["idempotency-replayed"] == "true"
    assert replayed.json()["error"]["type"] == "not_found_error"
