"""Idempotency keys, from outside: the same request twice is applied once."""

import asyncio

import httpx


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
    owner_connection.execute(
        "UPDATE idempotency_keys SET created_at = created_at - interval '24 hours'"
    )
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
