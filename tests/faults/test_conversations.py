"""Conversations when things die: Redis under load, a flusher in the middle, the whole service; and many real processes."""

import asyncio
import json
import signal
import subprocess
from typing import Any

import httpx
import psycopg
import pytest

from holdfast.engine import Engine, find_running
from tests import forked
from tests.conftest import free_port, redis_server, serving, start_redis
from tests.conversations.conftest import Talk, resource
from tests.conversations.stub_llm import stub_llm
from tests.conversations.test_routes import said
from tests.faults.test_kill import kill_all

pytestmark = pytest.mark.timeout(240)


def client(ready: dict[str, Any], key: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=f"{ready['url']}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=30
    )


async def test_redis_killed_under_load_loses_nothing_acknowledged(data_dir, tmp_path):
    port = free_port()
    redis = start_redis(tmp_path / "redis", port)
    try:
        with serving(data_dir, HOLDFAST_REDIS_URL=f"redis://127.0.0.1:{port}/0") as (
            ready,
            _,
        ):
            async with client(ready, ready["api_key"]) as api:
                breaker = {"timeout": "2s", "max_failures": 3, "reset_timeout": "1s"}
                body = resource("r", "redis", persistence={"circuit_breaker": breaker})
                assert (await api.put("/memory-resources/r", json=body)).status_code == 201
                kept, refused, stop = [], [], asyncio.Event()

                async def write(writer: int) -> None:
                    number = 0
                    while not stop.is_set():
                        name = f"w{writer}n{number}"
                        messages = [
                            {"role": "user", "content": "x", "id": f"{name}{p}"} for p in "ab"
                        ]
                        answer = await api.post(
                            "/conversations/r/append", json={"key": "k", "messages": messages}
                        )
                        if answer.status_code == 200:
                            kept.extend([f"{name}a", f"{name}b"])
                            number += 1
                        else:
                            assert (answer.status_code, answer.json()["code"]) == (503, "MEM-003")
                            assert answer.headers["retry-after"]
                            refused.append(name)
                            await asyncio.sleep(0.05)

                async def break_it() -> None:
                    nonlocal redis
                    await asyncio.sleep(1)
                    redis.send_signal(signal.SIGKILL)
                    redis.wait()
                    await asyncio.sleep(1)
                    health = await Talk(api, "r").get("health")
                    assert health["healthy"] is False
                    assert (await Talk(api, "r").get("stats", status=503))["code"] == "MEM-003"
                    before = len(kept)
                    redis = await asyncio.to_thread(start_redis, tmp_path / "redis", port)
                    for _ in range(1200):
                        await asyncio.sleep(0.05)
                        if len(kept) > before + 20:
                            break
                    else:
                        raise AssertionError("it does not recover by itself")
                    stop.set()

                await asyncio.gather(break_it(), *(write(writer) for writer in range(4)))
                assert refused
                ids, offset = [], 0
                while True:
                    page = await Talk(api, "r").get("read", limit=1000, offset=offset)
                    ids += [m["id"] for m in page["messages"]]
                    offset += 1000
                    if not page["has_more"]:
                        break
                assert len(ids) == len(set(ids)) == page["total_count"]
                assert set(kept) <= set(ids)
                for at, each in enumerate(ids):
                    if each.endswith("a"):
                        assert ids[at + 1] == f"{each[:-1]}b"  # nothing half-written
                stats = await Talk(api, "r").get("stats")
                assert stats["token_count"] == 4 * len(ids)
    finally:
        redis.kill()
        redis.wait()


async def test_a_redis_that_hangs_is_given_its_time_and_no_more(data_dir, tmp_path):
    port = free_port()
    redis = start_redis(tmp_path / "redis", port)
    try:
        url = f"redis://127.0.0.1:{port}/0"
        with serving(data_dir, HOLDFAST_REDIS_URL=url) as (ready, _):
            async with client(ready, ready["api_key"]) as api:
                breaker = {"timeout": "2s", "max_failures": 2, "reset_timeout": "500ms"}
                body = resource("r", "redis", persistence={"circuit_breaker": breaker})
                assert (await api.put("/memory-resources/r", json=body)).status_code == 201
                it = Talk(api, "r")
                await it.append(said(1))
                redis.send_signal(signal.SIGSTOP)
                for n in range(4):
                    assert (await it.append(said(1, 10 + n), status=503))["code"] == "MEM-003"
                redis.send_signal(signal.SIGCONT)
                await asyncio.sleep(1)
                await it.append(said(1, 1))
                ids = [m["id"] for m in (await it.get("read"))["messages"]]
                assert {"m0", "m1"} <= set(ids)
                assert len(ids) == len(set(ids))
    finally:
        redis.kill()
        redis.wait()


FLUSHER = """
import asyncio, json, sys, time
from holdfast.conversations.backends import Backends
from holdfast.conversations.model import Instance
from holdfast.conversations.resources.rules import Capabilities, check
from holdfast.kernel.caller import operator
from holdfast.kernel.db import Database
from holdfast.kernel.redis import Redis

async def main(url, redis_url, org_id, config):
    db = Database(url, min_size=1, max_size=2)
    await db.open()
    backends = Backends(db, Redis(redis_url))
    resource, errors = check(json.loads(config), backends.capabilities)
    lease = await backends.log(operator(org_id), resource).lock(operator(org_id), Instance(resource.id, "k", user_id="owner"), 1.5)
    print(lease.token, flush=True)
    time.sleep(60)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("backend", ["postgres", "redis"])
async def test_a_flusher_that_is_killed_holds_up_the_next_for_its_lock_s_time_only(
    backend, service, org, api, tmp_path
):
    config = resource("r", backend, type="message_count_based", max_messages=10)
    assert (await api.put("/memory-resources/r", json=config)).status_code == 201
    it = Talk(api, "r")
    await it.append(said(7))
    script = tmp_path / "flusher.py"
    script.write_text(FLUSHER)
    flusher = forked.popen(
        [script, service.app_url, service.redis_url, org.id, json.dumps(config)],
        stdout=subprocess.PIPE,
    )
    assert flusher.stdout is not None
    assert int(await asyncio.to_thread(flusher.stdout.readline)) >= 1
    crossing = await it.append(said(1, 7))
    assert crossing["flush"] is None  # somebody is at it
    flusher.send_signal(signal.SIGKILL)
    flusher.wait()
    flusher.stdout.close()
    flushed = await it.call("flush")  # waits for the lock to end by itself
    assert (flushed["flushed"], flushed["message_count"]) == (True, 5)
    everything = await it.get("read", include_flushed=True, limit=100)
    assert [m["id"] for m in everything["messages"]] == [f"m{n}" for n in range(8)]


@pytest.mark.parametrize("began", [True, False])
async def test_a_flush_that_was_asked_for_happens_once_whatever_dies(data_dir, tmp_path, began):
    """kill -9 of everything while a model is being asked, or before that; a start later the jobs are done, once each."""
    with stub_llm() as model, redis_server(tmp_path / "redis") as redis_url:
        model.delay_s = 600  # it hangs
        env = {
            "HOLDFAST_LLM": "openai:stub",
            "HOLDFAST_LLM_BASE_URL": model.url,
            "HOLDFAST_REDIS_URL": redis_url,
        }
        backends, jobs = ("postgres", "redis"), {}
        with serving(data_dir, **env, HOLDFAST_WORKER=str(began).lower()) as (ready, process):
            key = ready["api_key"]
            async with client(ready, key) as api:
                for backend in backends:
                    fields = {"type": "message_count_based", "max_messages": 10}
                    body = resource(backend, backend, flushing={"type": "hybrid_summary"}, **fields)
                    made = await api.put(f"/memory-resources/{backend}", json=body)
                    assert made.status_code == 201
                    done = await Talk(api, backend).append(said(8))
                    assert done["flush"]["status"] == "scheduled"
                    jobs[backend] = f"/jobs/{done['flush']['job_id']}"
                while began and len(model.asked) < len(backends):
                    await asyncio.sleep(0.05)
            kill_all(process.pid)
            process.wait()
        model.delay_s = 0
        asked_before = len(model.asked)
        _miss_workers(data_dir)
        with serving(data_dir, **env) as (ready, _):
            async with client(ready, key) as api:
                for backend in backends:
                    while (job := (await api.get(jobs[backend])).json())["status"] != "succeeded":
                        assert job["status"] in ("queued", "running"), job
                        await asyncio.sleep(0.2)
                    assert job["attempts"] == (2 if began else 1)
                    job_id = jobs[backend].removeprefix("/jobs/")
                    calls = (await api.get("/llm-calls", params={"job_id": job_id})).json()["data"]
                    statuses = [call["status"] for call in calls]
                    assert statuses == (["succeeded", "failed"] if began else ["succeeded"])
                    it = Talk(api, backend)
                    everything = await it.get("read", include_flushed=True, limit=100)
                    spoken = [m["id"] for m in everything["messages"] if m["role"] == "user"]
                    assert spoken == [f"m{n}" for n in range(8)]
                    stats = await it.get("stats")
                    assert (stats["last_flush"]["removed"], stats["message_count"]) == (3, 6)
                    assert (await it.get("health"))["pending_flush"] is False
                assert len(model.asked) == asked_before + len(backends)
                assert _flushes(data_dir) == len(backends)
                found = await api.post("/recall", json={"query": "Rex", "kinds": ["summary"]})
                assert len(found.json()["data"]) == len(backends)


def _miss_workers(data_dir) -> None:
    """Let those that were killed have been silent for a minute: a worker is missed only after half of one."""
    engine = Engine(data_dir)
    try:
        with psycopg.connect(engine.start().owner_url) as connection:
            connection.execute(
                "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'"
            )
    finally:
        engine.stop()


def _flushes(data_dir) -> int:
    """How many flushes the history of the only org tells of."""
    endpoints = find_running(data_dir)
    assert endpoints is not None
    with psycopg.connect(endpoints.owner_url, autocommit=True) as connection:
        [(org_id,)] = connection.execute("SELECT org_id FROM orgs").fetchall()
        connection.execute("SELECT set_config('holdfast.org', %s, false)", [org_id])
        [(number,)] = connection.execute(
            "SELECT count(*) FROM revisions WHERE kind = 'conversation' AND action = 'flushed'"
        ).fetchall()
    return int(number)


WRITER = """
import asyncio, json, sys
from holdfast.conversations import service
from holdfast.conversations.backends import Backends
from holdfast.conversations.instances import InstanceRequest
from holdfast.kernel.caller import operator
from holdfast.kernel.db import Database
from holdfast.kernel.redis import Redis

async def main(url, redis_url, org_id, name, calls):
    db = Database(url, min_size=1, max_size=1)
    await db.open()
    backends, flushes = Backends(db, Redis(redis_url)), 0
    print("ready", flush=True)
    sys.stdin.readline()
    for call in range(int(calls)):
        ids = [f"{name}.{call}.{n}" for n in range(3)]
        messages = [{"role": "user", "content": "x", "id": each} for each in ids]
        done = await service.append(backends, operator(org_id), InstanceRequest("r", "k"), messages)
        assert done.appended == 3, done
        flushes += done.flush is not None
        if call % 3 == 0:  # and the same again
            again = await service.append(backends, operator(org_id), InstanceRequest("r", "k"), messages)
            assert again.appended == 0, again
            flushes += again.flush is not None
    print(json.dumps(flushes), flush=True)
    await db.close()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("backend", ["postgres", "redis"])
async def test_sixteen_processes_append_to_one_instance(
    backend, service, org, api, tmp_path, owner_connection
):
    config = resource("r", backend, type="message_count_based", max_messages=200)
    assert (await api.put("/memory-resources/r", json=config)).status_code == 201
    script = tmp_path / "writer.py"
    script.write_text(WRITER)
    processes, calls = 16, 6
    arguments = [service.app_url, service.redis_url, org.id]
    writers = [
        forked.popen(
            [script, *arguments, f"w{n}", str(calls)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(processes)
    ]

    def finish() -> int:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        flushes = 0
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        for writer in writers:
            out, _ = writer.communicate(timeout=200)
            assert writer.returncode == 0
            flushes += json.loads(out)
        return flushes

    reported = await asyncio.to_thread(finish)
    it = Talk(api, "r")
    everything = await it.get("read", include_flushed=True, limit=1000)
    ids = [m["id"] for m in everything["messages"]]
    assert len(ids) == len(set(ids)) == everything["total_count"] == processes * calls * 3
    for writer in range(processes):
        mine = [each for each in ids if each.startswith(f"w{writer}.")]
        assert mine == [f"w{writer}.{call}.{n}" for call in range(calls) for n in range(3)]
    for at, each in enumerate(ids):
        if each.endswith(".0"):
            stem = each[:-1]
            assert ids[at : at + 3] == [f"{stem}{n}" for n in range(3)]
    live = await it.get("read", limit=1000)
    stats = await it.get("stats")
    assert stats["message_count"] == live["total_count"] == len(live["messages"])
    assert stats["token_count"] == sum(m["tokens"] for m in live["messages"])
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    removed = owner_connection.execute(
        "SELECT (state ->> 'removed')::int FROM revisions WHERE org_id = %s AND kind = 'conversation'"
        " AND parent_id = 'r' AND action = 'flushed'",
        [org.id],
    ).fetchall()
    # Each flush that was told of ran once, and each came after a crossing: it took from 160 or more down to 100.
    assert len(removed) == reported
    assert all(number >= 60 for (number,) in removed)
    assert sum(number for (number,) in removed) + live["total_count"] == len(ids)
