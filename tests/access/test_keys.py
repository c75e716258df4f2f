"""API keys: kinds, what each may reach, minting and revoking."""

from datetime import UTC, datetime, timedelta

import pytest

from holdfast.access import keys
from holdfast.kernel import clock
from holdfast.kernel.errors import Invalid, RateLimited
from holdfast.kernel.rates import count_request


async def test_every_kind_of_key_is_read_from_both_headers(org):
    for header in ({"Authorization": f"Bearer {org.key}"}, {"x-api-key": org.key}):
        client = org.client()
        client.headers.clear()
        assert (await client.get("/org", headers=header)).status_code == 200


@pytest.mark.parametrize("key", ["", "hf_live_nonsense", "x" * 5000, "hf_live_ä".encode()])
async def test_a_bad_key_is_unauthenticated(org, key):
    client = org.client()
    client.headers.clear()
    reply = await client.get("/org", headers={"x-api-key": key})
    assert (reply.status_code, reply.json()["code"]) == (401, "unauthenticated")
    assert reply.headers["www-authenticate"].startswith("Bearer")


async def test_no_key_mints_or_revokes_a_key(org):
    keys = [
        org.key,
        await org.mint("user", user_id="owner"),
        await org.mint("agent", agent_id="bot"),
    ]
    for key in keys:
        client = org.client(key)
        minted = await client.post("/keys", json={"kind": "user", "user_id": "owner"})
        assert (minted.status_code, minted.json()["code"]) == (403, "step_up_required")
        revoked = await client.delete("/keys/key_" + "0" * 32)
        assert (revoked.status_code, revoked.json()["code"]) == (403, "step_up_required")


async def test_a_key_is_shown_once_and_works_until_it_is_revoked(signed_in, org):
    await signed_in.step_up()
    made = await signed_in.http.post(
        "/keys", json={"kind": "agent", "agentId": "bot", "name": "prod"}
    )
    assert made.status_code == 201, made.text
    key, key_id = made.json()["key"], made.json()["key_id"]
    listed = (await signed_in.http.get("/keys")).json()["data"]
    shown = next(each for each in listed if each["id"] == key_id)
    assert key not in str(listed)
    assert key.startswith(shown["prefix"])
    client = org.client(key)
    assert (await client.get("/agents/bot")).status_code == 200  # its agent exists from here on
    assert (await signed_in.http.delete(f"/keys/{key_id}")).status_code == 204
    assert (await client.get("/agents/bot")).status_code == 401
    assert (await signed_in.http.delete(f"/keys/{key_id}")).status_code == 404


async def test_a_member_revokes_its_own_keys_and_nobody_elses(browser, person, org):
    member = browser()
    assert (await member.login(await person("ben", owner=False))).status_code == 200
    await member.step_up()
    mine = await keys.create_key(org.db, org.operator, "user", user_id="ben")
    theirs = await keys.create_key(org.db, org.operator, "user", user_id="owner")
    refused = await member.http.delete(f"/keys/{theirs.key_id}")
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert (await org.client(theirs.key).get("/users/me")).status_code == 200
    assert (await member.http.delete(f"/keys/{mine.key_id}")).status_code == 204
    assert (await org.client(mine.key).get("/users/me")).status_code == 401


async def test_the_request_after_the_last_of_a_minute_is_refused(org, db):
    caller, at = org.caller(), datetime(2026, 1, 31, 12, 0, 20, tzinfo=UTC)
    clock.set_source(lambda: at)
    try:
        for _ in range(3):
            await count_request(db, caller, 3)
        with pytest.raises(RateLimited) as refused:
            await count_request(db, caller, 3)
        assert refused.value.retry_after_s == 40
        at += timedelta(seconds=40)
        await count_request(db, caller, 3)
    finally:
        clock.set_source(None)


async def test_a_minted_key_is_not_kept_for_a_replay(signed_in, owner_connection, org):
    await signed_in.step_up()
    headers = {"Idempotency-Key": "once"}
    made = await signed_in.http.post("/keys", json={"kind": "service"}, headers=headers)
    assert made.status_code == 201
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    kept = owner_connection.execute("SELECT count(*) FROM idempotency_keys").fetchone()
    assert kept == (0,)


async def test_one_who_is_no_owner_mints_user_keys_for_itself_only(browser, person, org):
    made = browser()
    await made.login(await person("ben", owner=False))
    await made.step_up()
    assert (await made.http.post("/keys", json={"kind": "user"})).status_code == 201
    for body in (
        {"kind": "service"},
        {"kind": "user", "user_id": "ana"},
        {"kind": "agent", "agent_id": "x"},
    ):
        refused = await made.http.post("/keys", json=body)
        assert (refused.status_code, refused.json()["code"]) == (403, "MEM-001")
    assert {key["user_id"] for key in (await made.http.get("/keys")).json()["data"]} == {"ben"}


async def test_a_key_is_unauthenticated_once_it_has_expired(org, owner_connection):
    with pytest.raises(Invalid, match="in the future"):
        await org.mint("service", expires_at=datetime(2020, 1, 1, tzinfo=UTC))
    key = await org.mint("service", name="short", expires_at=clock.now() + timedelta(hours=1))
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    changed = owner_connection.execute(
        "UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE org_id = %s AND name = 'short'",
        [org.id],
    )
    assert changed.rowcount == 1
    assert (await org.client(key).get("/org")).status_code == 401


async def test_a_key_with_a_rate_has_that_rate(org):
    key = await org.mint("service", requests_per_minute=3)
    client = org.client(key)
    replies = [await client.get("/org") for _ in range(8)]
    assert [reply.status_code for reply in replies[:3]] == [200, 200, 200]
    limited = [reply for reply in replies[3:] if reply.status_code == 429]
    assert limited
    for reply in limited:
        assert reply.json()["code"] == "rate_limited"
        assert 1 <= int(reply.headers["retry-after"]) <= 60


class TestWhoseKey:
    async def test_a_user_key_naming_another_user_is_denied(self, org):
        client = org.client(await org.mint("user", user_id="ana"))
        assert (await client.get("/users/me")).json()["id"] == "ana"
        denied = await client.get("/users/me", headers={"Holdfast-User": "bob"})
        assert (denied.status_code, denied.json()["code"]) == (403, "MEM-001")

    async def test_a_service_key_acts_for_the_user_it_names_else_the_owner(self, org):
        client = org.client()
        assert (await client.get("/users/me")).json()["id"] == "owner"
        named = await client.patch(
            "/users/me", json={"insight_capture": False}, headers={"Holdfast-User": "cleo"}
        )
        assert named.json()["id"] == "cleo"
        bad = await client.get("/users/me", headers={"Holdfast-User": "a b"})
        assert bad.status_code == 400

    async def test_the_first_write_registers_the_user(self, org):
        client = org.client(holdfast_user="dan")
        assert (await client.get("/users/me")).status_code == 404
        assert (await client.put("/projects/p", json={})).status_code == 201
        assert (await client.get("/users/me")).json()["id"] == "dan"

    async def test_an_agent_key_reaching_for_another_agent_is_denied(self, org):
        client = org.client(await org.mint("agent", agent_id="mine"))
        await org.client().put("/agents/other", json={})
        for agent in ("other", "never-heard-of"):
            denied = await client.get(f"/agents/{agent}")
            assert (denied.status_code, denied.json()["code"]) == (403, "MEM-001")
        assert [a["id"] for a in (await client.get("/agents")).json()["data"]] == ["mine"]

    async def test_an_unknown_workspace_is_not_found_and_a_bound_key_stays_in_its_own(self, org):
        client = org.client()
        await client.put("/workspaces/lab", json={})
        assert (await client.get("/org", headers={"Holdfast-Workspace": "lab"})).status_code == 200
        assert (await client.get("/org", headers={"Holdfast-Workspace": "none"})).status_code == 404
        bound = org.client(await org.mint("agent", agent_id="lab-bot", workspace_id="lab"))
        assert (await bound.get("/agents/lab-bot")).json()["workspace_id"] == "lab"
        denied = await bound.get("/agents/lab-bot", headers={"Holdfast-Workspace": "default"})
        assert (denied.status_code, denied.json()["code"]) == (403, "MEM-001")
