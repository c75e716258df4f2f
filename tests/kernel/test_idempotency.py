"""Idempotency keys, from outside: the same request twice is applied once."""

import asyncio
import json

import httpx
import pytest

from holdfast.kernel import idempotency
from holdfast.kernel.sql import Query


async def versions(api):
    return (await api.get("/workspaces/w")).json()["version"]


async def put(api, key, name="W", **headers):
    return await api.put(
        "/workspaces/w", json={"name": name}, headers={"Idempotency-Key": key, **headers}
    )


async def test_a_repeat_is_answered_from_the_first_and_applied_once(api):
    first, second = await put(api, "k"), await put(api, "k")
    assert first.status_code == second.status_code == 201
    assert first.content == second.content
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"
    assert second.headers["etag"] == first.headers["etag"]
    assert await versions(api) == 1


async def test_another_body_under_the_same_key_is_refused(api):
    await put(api, "k")
    refused = await put(api, "k", name="X")
    assert (refused.status_code, refused.json()["code"]) == (422, "idempotency_mismatch")
    assert await versions(api) == 1


async def test_another_path_or_credential_has_keys_of_its_own(api, org):
    await put(api, "k")
    assert (
        await api.put("/workspaces/v", json={"name": "W"}, headers={"Idempotency-Key": "k"})
    ).status_code == 201
    other = org.client(await org.mint("service"))
    assert (await put(other, "k")).status_code == 200
    assert await versions(api) == 2


async def test_each_user_acted_for_has_keys_of_its_own(org):
    """One service key, one Idempotency-Key, one body, eight users at once: each writes and reads its own."""
    users = [f"u{number}" for number in range(8)]
    clients = {user: org.client(Holdfast_User=user) for user in users}
    saved = await asyncio.gather(*(save(client, "k") for client in clients.values()))
    assert [reply.status_code for reply in saved] == [201] * 8
    assert not any("idempotency-replayed" in reply.headers for reply in saved)
    assert len({reply.json()["id"] for reply in saved}) == 8

    recalled = await asyncio.gather(*(recall(client, "r") for client in clients.values()))
    for reply, mine in zip(recalled, saved, strict=True):
        assert "idempotency-replayed" not in reply.headers
        assert reply.status_code == 200, reply.text
        assert [hit["id"] for hit in reply.json()["data"]] == [mine.json()["id"]]

    again = await save(clients["u3"], "k")
    assert again.headers["idempotency-replayed"] == "true"
    assert again.content == saved[3].content


async def save(client, key):
    body = {"key": "harbour", "value": "the harbour opens at six"}
    return await client.post("/memories", json=body, headers={"Idempotency-Key": key})


async def recall(client, key):
    body = {"q": "harbour"}
    return await client.post("/memories/recall", json=body, headers={"Idempotency-Key": key})


async def test_each_workspace_has_keys_of_its_own(api, org):
    for workspace in ("w1", "w2"):
        await api.put(f"/workspaces/{workspace}", json={})
    clients = [org.client(Holdfast_Workspace=workspace) for workspace in ("w1", "w2")]
    headers = {"Idempotency-Key": "k"}
    replies = await asyncio.gather(
        *(client.put("/agents/bot", json={}, headers=headers) for client in clients)
    )
    # An agent lives in one workspace: the other one is refused, and not told that it was made.
    assert sorted(reply.status_code for reply in replies) == [201, 404]
    assert not any("idempotency-replayed" in reply.headers for reply in replies)


async def test_each_query_has_keys_of_its_own_in_any_order_of_its_parameters(db, org):
    async def first_of(query):
        async with idempotency.once(
            db, org.caller(), method="POST", path="/p", query=query, key="k", body=b""
        ) as attempt:
            attempt.answer = idempotency.Answer(200, {}, query.encode())
        return attempt.first

    assert await first_of("a=1&b=2") is None
    assert await first_of("a=1&b=3") is None
    assert await first_of("a=1") is None
    assert await first_of("") is None
    assert (await first_of("b=2&a=1")).body == b"a=1&b=2"
    assert await first_of("c=1&c=2") is None
    assert await first_of("c=2&c=1") is None


async def test_another_query_is_another_request(api):
    await api.put("/agents/bot", json={})
    body = {"content": "likes tea", "expected_updated_at": None}
    users, bots = [
        await api.put(
            "/memory/blocks/core", json=body, params=params, headers={"Idempotency-Key": "k"}
        )
        for params in ({}, {"scope": "agent", "agent_id": "bot"})
    ]
    assert (users.status_code, bots.status_code) == (201, 201)
    assert "idempotency-replayed" not in bots.headers
    assert users.json()["id"] != bots.json()["id"]


async def test_a_refusal_is_replayed_too(api):
    first = await api.put(
        "/projects/p", json={"workspace_id": "later"}, headers={"Idempotency-Key": "k"}
    )
    assert first.status_code == 404
    await api.put("/workspaces/later", json={})
    second = await api.put(
        "/projects/p", json={"workspace_id": "later"}, headers={"Idempotency-Key": "k"}
    )
    assert second.status_code == 404
    assert second.headers["idempotency-replayed"] == "true"
    assert second.json()["request_id"] == first.json()["request_id"]


async def test_sixteen_at_once_apply_once_and_all_get_the_same_answer(org):
    clients = [org.client() for _ in range(16)]
    replies = await asyncio.gather(*(put(client, "k") for client in clients))
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    assert sum("idempotency-replayed" not in reply.headers for reply in replies) == 1
    assert await versions(clients[0]) == 1


async def test_after_a_day_the_key_is_new(api, org, owner_connection):
    await put(api, "k")
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    older = "UPDATE idempotency_keys SET created_at = created_at - %s::interval"
    owner_connection.execute(older, ["23 hours 50 minutes"])
    assert (await put(api, "k")).headers["idempotency-replayed"] == "true"
    owner_connection.execute(older, ["10 minutes"])
    again = await put(api, "k")
    assert again.status_code == 200
    assert "idempotency-replayed" not in again.headers
    assert await versions(api) == 2


async def test_a_key_may_have_255_characters(api):
    too_long = await put(api, "x" * 256)
    assert (too_long.status_code, too_long.json()["code"]) == (400, "invalid")
    assert (await put(api, "x" * 255)).status_code == 201


async def test_an_answer_lost_on_the_way_is_had_by_asking_again(org, service):
    """The client hangs up right after sending; its retry under the same key applies nothing twice."""
    for attempt in range(8):
        try:
            async with httpx.AsyncClient(timeout=0.002 * (attempt + 1)) as impatient:
                await impatient.put(
                    f"{service.url}/api/v1/workspaces/w",
                    json={"name": "W"},
                    headers={"Authorization": f"Bearer {org.key}", "Idempotency-Key": "k"},
                )
        except httpx.TimeoutException:
            continue
    api = org.client()
    assert (await put(api, "k")).status_code == 201
    assert await versions(api) == 1


async def test_answers_that_are_too_old_go_as_new_ones_come(api, org, owner_connection):
    for number in range(5):
        await put(api, f"old{number}")
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    owner_connection.execute(
        "UPDATE idempotency_keys SET created_at = created_at - interval '25 hours'"
    )
    await put(api, "new")
    kept = owner_connection.execute("SELECT array_agg(key) FROM idempotency_keys").fetchone()
    assert kept == (["new"],)


# --- what is erased while an answer is on its way --------------------------------------------------------------------


async def secret_entry(api):
    """An entry whose first version is not the live one any more: the entry, and that version's id."""
    store = (await api.post("/memory_stores", json={"name": "s"})).json()
    at = f"/memory_stores/{store['id']}"
    entry = (await api.post(f"{at}/memories", json={"path": "a", "content": "hunter2"})).json()
    put = {"content": "clean", "version": 1}
    assert (await api.put(f"{at}/memories/{entry['id']}", json=put)).status_code == 200
    versions = (await api.get(f"{at}/versions")).json()["data"]
    return entry, f"{at}/versions/{versions[-1]['id']}/redact"


def kept_answers(owner_connection, org):
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    rows = owner_connection.execute("SELECT key, status, body FROM idempotency_keys").fetchall()
    return {key: (status, bytes(body)) for key, status, body in rows}


def attempt_under(db, org, key):
    return idempotency.once(db, org.caller(), method="POST", path="/p", key=key, body=b"")


def answer_with(*things):
    return idempotency.Answer(409, {}, json.dumps({"current": things}).encode())


async def test_an_answer_read_before_a_redaction_and_kept_after_it_keeps_no_word_of_it(
    api, org, db, owner_connection
):
    entry, redact = await secret_entry(api)
    async with attempt_under(db, org, "late") as attempt:
        assert (await api.post(redact)).status_code == 200
        attempt.answer = answer_with(entry)
    assert kept_answers(owner_connection, org) == {"late": (404, b"")}
    async with attempt_under(db, org, "late") as again:
        assert again.first is not None
        assert again.first.is_erased


async def test_an_answer_that_began_after_the_redaction_is_kept_whole(
    api, org, db, owner_connection
):
    entry, redact = await secret_entry(api)
    assert (await api.post(redact)).status_code == 200
    async with attempt_under(db, org, "after") as attempt:
        attempt.answer = answer = answer_with({**entry, "content": "clean"})
    assert kept_answers(owner_connection, org) == {"after": (409, answer.body)}


async def test_an_answer_about_something_else_is_kept_whole(api, org, db, owner_connection):
    _, redact = await secret_entry(api)
    other, _ = await secret_entry(api)
    async with attempt_under(db, org, "other") as attempt:
        assert (await api.post(redact)).status_code == 200
        attempt.answer = answer = answer_with(other)
    assert kept_answers(owner_connection, org) == {"other": (409, answer.body)}


async def test_a_redaction_under_a_key_keeps_its_own_answer(api, org, owner_connection):
    _, redact = await secret_entry(api)
    first = await api.post(redact, headers={"Idempotency-Key": "r"})
    assert (first.status_code, first.json()["redacted"]) == (200, True)
    second = await api.post(redact, headers={"Idempotency-Key": "r"})
    assert (second.status_code, second.content) == (200, first.content)
    assert kept_answers(owner_connection, org) == {"r": (200, first.content)}


async def test_a_redaction_waits_for_an_answer_that_is_being_kept_and_takes_it_away(
    api, org, db, owner_connection, service
):
    entry, redact = await secret_entry(api)
    async with db.begin(org.caller()) as keeper:
        # What `once` does last, held just before its COMMIT.
        which = {
            "credential_id": "c", "endpoint": "e", "key": "early", "body_digest": "d", "user_id": None,
        }  # fmt: skip
        await idempotency._keep(
            keeper, answer=answer_with(entry), which={**which, "forgotten_before": 0}
        )
        await keeper.one(int, Query("flush", "SELECT 1"))
        redacting = asyncio.create_task(api.post(redact))
        await until_someone_waits(owner_connection)
        assert not redacting.done()
    assert (await redacting).status_code == 200
    assert kept_answers(owner_connection, org) == {"early": (404, b"")}


async def test_what_was_taken_back_forgets_nothing(api, org, db, owner_connection):
    entry, _ = await secret_entry(api)
    async with attempt_under(db, org, "first") as attempt:
        attempt.answer = answer = answer_with(entry)
    async with db.begin(org.caller()):
        with pytest.raises(RuntimeError):
            async with db.begin(org.caller()) as step:
                await idempotency.forget_mentions(step, [entry["id"]])
                raise RuntimeError
    assert kept_answers(owner_connection, org) == {"first": (409, answer.body)}


async def until_someone_waits(connection):
    """Until a transaction waits for an advisory lock."""
    query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    for _ in range(3000):
        if connection.execute(query).fetchone() != (0,):
            return
        await asyncio.sleep(0.02)
    raise AssertionError("nobody waited")
