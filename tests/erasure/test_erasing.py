"""What an erasure takes, what it leaves, and under which name. The files are tested in test_files.py."""

import json
from dataclasses import replace

import pytest

from holdfast.conversations.backends import Backends
from holdfast.erasure import service
from holdfast.erasure.model import receipt_digest
from holdfast.erasure.verify import verify
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import NotFound, StepUpRequired
from holdfast.kernel.redis import Redis
from holdfast.memories.assets.objects import ObjectStore
from holdfast.walls.specimens import CANARY, one_of_everything

PERSON = "ana.canary"


@pytest.fixture
async def erasing(db, service, tmp_path):
    """An erasure in this process: on the service's database, Redis and object store."""
    redis = Redis(service.redis_url)
    yield erasing_with(db, redis, f"{service.data_dir}/assets", service.owner_url)
    await redis.close()


def erasing_with(db, redis, assets, owner_url):
    return service.Erasing(Backends(db=db, redis=redis), ObjectStore(assets), lambda: owner_url)


@pytest.fixture
def everything_said(owner_connection):
    """Every row of an org as text, by table: passages as words, too."""

    def read(org_id):
        owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org_id])
        tables = owner_connection.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id'"
            " WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace"
        ).fetchall()
        return {
            table: "\n".join(
                row
                for (row,) in owner_connection.execute(
                    f"SELECT t::text FROM {table} t WHERE org_id = %s", [org_id]
                )
            )
            for (table,) in tables
        }

    return read


def holding(said, word):
    return sorted(table for table, text in said.items() if word in text)


async def test_nothing_of_a_person_is_left_in_any_table(org, erasing, everything_said):
    """One of everything that a person can have, by the specimens of the walls: a new room's are covered with them."""
    ana = org.client(await org.mint("user", user_id=PERSON), Idempotency_Key="once")
    await one_of_everything(org.client(), org.client(Holdfast_User=PERSON))
    kept = await ana.post("/insights", json={"insight": "likes her tea green"})
    assert kept.status_code == 201
    before = everything_said(org.id)
    assert {"blocks", "entries", "memories", "revisions", "conversation_flushed"} <= set(
        holding(before, CANARY)
    )
    # What the person wrote into a project stays, and so does the project.
    shared = {"memories", "projects", "nodes", "node_items", "node_names", "passages", "postings"}
    shared |= {"revisions", "recall_vocabulary", "memory_assets"}

    receipt = await service.erase(erasing, org.operator, PERSON)

    after = everything_said(org.id)
    assert holding(after, PERSON) == []
    assert set(holding(after, CANARY)) <= shared
    assert holding(after, "her tea green") == []
    assert receipt.counts["erased"]["blocks"] == 4
    assert receipt.counts["erased"]["users"] == 1
    assert (await ana.get("/users/me")).status_code == 401


async def test_shared_memory_stays_under_a_pseudonym_unless_everything_goes(org, erasing):
    admin = org.client()
    await admin.put("/projects/plan", json={"visibility": "team"})
    ana, ben = org.client(Holdfast_User="ana"), org.client(Holdfast_User="ben")
    shared = {"key": "k", "value": "the plan is green", "scope": "project", "project_id": "plan"}
    memory = (await ana.post("/memories", json=shared)).json()["id"]
    store = (await ana.post("/memory_stores", json={"name": "handbook"})).json()["id"]
    entry = {"path": "a", "content": "written by ana"}
    await ana.post(f"/memory_stores/{store}/memories", json=entry)
    await ana.put("/agents/bot/entries/fact", json={"content": "the agent's own"})

    receipt = await service.erase(erasing, org.operator, "ana")
    kept = (await ben.get(f"/memories/{memory}")).json()
    assert kept["value"] == "the plan is green"
    assert kept["user_id"] == receipt.pseudonym
    versions = (await ben.get(f"/memory_stores/{store}/versions")).json()["data"]
    assert len(versions) == 1
    assert (await ben.get(f"/memory_stores/{store}")).json()["created_by"] == receipt.pseudonym
    assert (await admin.get("/agents/bot/entries/fact")).json()["content"] == "the agent's own"
    assert receipt.counts["renamed"]["memories"] == 1

    eve = org.client(Holdfast_User="eve")
    hers = (await eve.post("/memories", json={**shared, "key": "e"})).json()["id"]
    await eve.post(f"/memory_stores/{store}/memories", json={"path": "b", "content": "by eve"})
    await eve.put("/agents/bot/entries/other", json={"content": "by eve"})
    await service.erase(erasing, org.operator, "eve", everything=True)
    assert (await ben.get(f"/memories/{hers}")).status_code == 404
    assert (await ben.get(f"/memories/{memory}")).status_code == 200
    found = (await ben.get(f"/memory_stores/{store}")).json()
    assert found["entry_count"] == 1
    versions = (await ben.get(f"/memory_stores/{store}/versions")).json()["data"]
    assert "by eve" not in json.dumps(versions)
    assert (await admin.get("/agents/bot/entries/other")).status_code == 404


async def test_what_others_derived_from_them_alone_goes_and_mixed_sources_are_cut(org, erasing):
    ana, ben = org.client(Holdfast_User="ana"), org.client(Holdfast_User="ben")
    message = {"id": "m-of-ana", "role": "user", "content": "I moved to Lisbon"}
    body = {"key": "talk", "messages": [message], "session_id": "talk"}
    assert (await ana.post("/conversations/sessions/append", json=body)).status_code == 200
    from_her = {"kind": "message", "ref": "m-of-ana", "quote": "I moved to Lisbon"}
    in_session = {"kind": "session", "ref": "talk"}
    page = {"kind": "url", "ref": "https://example.com/"}
    ids = {
        name: (await ben.post("/memories", json={"key": name, "value": name, "sources": s})).json()[
            "id"
        ]
        for name, s in {
            "alone": [from_her],
            "both hers": [from_her, in_session],
            "mixed": [from_her, page],
            "other": [page],
            "none": [],
        }.items()
    }
    await service.erase(erasing, org.operator, "ana")
    statuses = {n: (await ben.get(f"/memories/{i}")).status_code for n, i in ids.items()}
    assert statuses == {"alone": 404, "both hers": 404, "mixed": 200, "other": 200, "none": 200}
    mixed = (await ben.get(f"/memories/{ids['mixed']}")).json()
    assert [source["kind"] for source in mixed["sources"]] == ["url"]
    history = (await ben.get(f"/memories/{ids['mixed']}/history")).text
    assert "Lisbon" not in history


async def test_messages_in_redis_and_answers_kept_for_a_service_go_too(
    org, erasing, everything_said
):
    admin = org.client()
    resource = {
        "resource": "memory",
        "id": "chat",
        "type": "message_count_based",
        "max_messages": 3,
        "persistence": {"type": "redis"},
    }
    assert (await admin.put("/memory-resources/chat", json=resource)).status_code == 201
    for user in ("ana", "ben"):
        client = org.client(Holdfast_User=user, Idempotency_Key="a")
        body = {"key": "k", "messages": [f"{user} says {n}" for n in range(5)]}
        assert (await client.post("/conversations/chat/append", json=body)).status_code == 200
    await org.client(Holdfast_User="ana", Idempotency_Key="b").post(
        "/recall", json={"query": "ana says"}
    )
    receipt = await service.erase(erasing, org.operator, "ana")
    assert receipt.counts["erased"]["redis_conversations"] == 1
    keys = [key async for key in erasing.backends.redis.client.scan_iter(f"holdfast:*{org.id}*")]
    assert any("user:ben" in key for key in keys)
    assert not any("user:ana" in key for key in keys)
    assert holding(everything_said(org.id), "ana says") == []
    left = await org.client(Holdfast_User="ben").get("/conversations/chat/read?key=k")
    assert "ben says 4" in left.text


async def test_who_may_erase(org):
    ben = org.client(await org.mint("user", user_id="ben"))
    await org.client(Holdfast_User="ana").put(
        "/memory/blocks/core", json={"content": "x", "expected_updated_at": None}
    )
    for client in (ben, org.client(await org.mint("agent", agent_id="bot"))):
        reply = await client.post("/users/ana/erase")
        assert (reply.status_code, reply.json()["code"]) == (403, "step_up_required")
    unknown = await org.client().post("/users/nobody/erase")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
    last = await org.client().post("/users/owner/erase")
    assert (last.status_code, last.json()["code"]) == (409, "conflict")
    for path in ("/erasures", "/erasures/rcpt_" + "0" * 32):
        assert (await ben.get(path)).status_code == 403
    assert (await org.client().get("/erasures/rcpt_" + "0" * 32)).status_code == 404


async def test_a_receipt_is_checked_later(org, erasing, owner_connection):
    ana = org.client(Holdfast_User="ana")
    block = {"content": "x", "expected_updated_at": None}
    await ana.put("/memory/blocks/core", json=block)
    receipt = await service.erase(erasing, org.operator, "ana")
    verdict = await verify(org.db, org.operator, receipt)
    assert (verdict.left, verdict.since, verdict.complete, verdict.ok) == ({}, {}, False, False)

    await ana.put("/memory/blocks/core", json=block)  # the person came back
    verdict = await verify(org.db, org.operator, receipt)
    assert verdict.left == {}
    assert verdict.since["blocks.user_id"] == 1

    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    owner_connection.execute(
        "UPDATE blocks SET created_at = '2020-01-01' WHERE org_id = %s AND user_id = 'ana'",
        [org.id],
    )
    verdict = await verify(org.db, org.operator, receipt)
    assert verdict.left == {"blocks.user_id": 1}
    assert not verdict.ok


async def test_a_receipt_is_sound_only_while_it_is_whole_and_nothing_is_left(
    org, erasing, owner_connection
):
    await org.client(Holdfast_User="ana").put(
        "/memory/blocks/core", json={"content": "x", "expected_updated_at": None}
    )
    begun = await service.erase(erasing, org.operator, "ana")
    # As `complete` leaves it, which also rewrites the files of every table (test_files.py).
    ended = replace(begun, files={}, completed_at=begun.erased_at)
    receipt = replace(ended, sha256=receipt_digest(ended))
    sound = await verify(org.db, org.operator, receipt)
    assert (sound.ok, sound.intact, sound.complete, sound.left) == (True, True, True, {})

    forged = await verify(org.db, org.operator, replace(receipt, everything=True))
    assert (forged.ok, forged.intact) == (False, False)

    await org.client(Holdfast_User="ana").put(
        "/memory/blocks/core", json={"content": "x", "expected_updated_at": None}
    )
    assert (await verify(org.db, org.operator, receipt)).ok  # written since
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    owner_connection.execute(
        "UPDATE blocks SET created_at = '2020-01-01' WHERE org_id = %s AND user_id = 'ana'",
        [org.id],
    )
    found = await verify(org.db, org.operator, receipt)
    assert (found.ok, found.intact, found.left) == (False, True, {"blocks.user_id": 1})


def test_a_person_erases_nobody_else_and_only_after_a_fresh_step_up():
    def caller(credential, user, **more):
        return Caller("org_x", credential, "key_x", "default", user_id=user, **more)

    service.must_be_allowed(caller("service", "owner"), "ana")
    service.must_be_allowed(caller("operator", None), "ana")
    service.must_be_allowed(caller("session", "ana", stepped_up=True), "ana")
    service.must_be_allowed(caller("session", "boss", stepped_up=True, owner=True), "ana")
    with pytest.raises(NotFound):
        service.must_be_allowed(caller("session", "ben", stepped_up=True), "ana")
    for refused in (
        caller("session", "ana"),
        caller("session", "boss", owner=True),
        caller("user", "ana", stepped_up=True),
        caller("agent", "ana"),
    ):
        with pytest.raises(StepUpRequired):
            service.must_be_allowed(refused, "ana")
