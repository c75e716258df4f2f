"""A Postgres that is restarted, loses single backends, or stands still: what callers are told, and what is there afterwards."""

import asyncio
import os
import signal
from contextlib import contextmanager

import httpx
import psutil
import psycopg

from holdfast.engine import find_running
from tests.conftest import serving

AT_ONCE = 80


def postgres_of(process):
    """The postmaster of a serve, and everything below it."""
    [postmaster] = [
        child
        for child in psutil.Process(process.pid).children()
        if child.name().startswith("postgres")
    ]
    return [postmaster, *postmaster.children(recursive=True)]


@contextmanager
def standing_still(process):
    """Postgres, stopped by SIGSTOP for as long as the block lasts."""
    stopped = postgres_of(process)
    for each in stopped:
        each.suspend()
    try:
        yield
    finally:
        for each in reversed(stopped):
            each.resume()


def client(ready):
    # A connection of its own for each call: one that idles is ended by the server after 5 s.
    limits = httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=0)
    return httpx.AsyncClient(
        base_url=ready["url"],
        timeout=30,
        limits=limits,
        headers={"Authorization": f"Bearer {ready['api_key']}"},
    )


async def until(what, condition):
    for _ in range(600):
        if await condition():
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"never happened: {what}")


async def calls(api, number=AT_ONCE):
    """Reads and writes side by side: what each was answered."""
    replies = await asyncio.gather(
        *(
            api.put(f"/api/v1/agents/a{n}", json={}) if n % 2 else api.get("/api/v1/org")
            for n in range(number)
        )
    )
    return [reply.status_code for reply in replies]


async def test_after_a_restart_of_postgres_no_call_is_given_a_dead_connection(data_dir):
    with serving(data_dir) as (ready, process):
        async with client(ready) as api:
            assert set(await calls(api)) <= {200, 201}  # the pool is full now

            postmaster = postgres_of(process)[0]
            os.kill(postmaster.pid, signal.SIGINT)  # what `pg_ctl restart -m fast` sends

            async def came_back():
                endpoints = find_running(data_dir)
                return endpoints is not None and endpoints.pid != postmaster.pid

            await until("another postmaster", came_back)
            await until("ready", lambda: is_ready(api))
            assert set(await calls(api)) <= {200, 201}

            # A single backend that is killed is missed by nobody either.
            kill_backends(data_dir)
            assert set(await calls(api)) <= {200, 201}


async def test_jobs_asked_for_around_an_outage_are_done(data_dir):
    """Backends killed right before a job is asked for, Postgres restarted right after: no job stays behind."""
    with serving(data_dir) as (ready, process):
        async with client(ready) as api:
            asked = []
            for language in ("german", "english", "french"):
                kill_backends(data_dir)
                asked.append(await change_language(api, language))
            os.kill(postgres_of(process)[0].pid, signal.SIGINT)
            await until("ready", lambda: is_ready(api))
            asked.append(await change_language(api, "spanish"))

            async def all_done():
                jobs = (await api.get("/api/v1/jobs", params={"limit": 100})).json()["data"]
                return {job["status"] for job in jobs} == {"succeeded"} and len(jobs) == len(asked)

            await until("every job succeeded", all_done)


async def change_language(api, language):
    """Asks for a job that rewords the org's passages; repeated while the database is on its way back."""
    while (await api.patch("/api/v1/org", json={"language": language})).status_code == 503:
        await asyncio.sleep(0.1)
    return language


def kill_backends(data_dir):
    """End every connection of the service, its worker's too."""
    with psycopg.connect(find_running(data_dir).app_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND usename = 'holdfast_app'"
        )


async def is_ready(api):
    return (await api.get("/readyz")).status_code == 200


async def test_a_postgres_that_stands_still_is_mem_003_for_every_call_and_recovers(data_dir):
    with serving(data_dir, HOLDFAST_STATEMENT_TIMEOUT="4s") as (ready, process):
        async with client(ready) as api:
            assert set(await calls(api, 20)) <= {200, 201}
            fresh = (await api.get("/api/v1/org")).json()
            with standing_still(process):
                asked = {
                    "read": api.get("/api/v1/org"),
                    "write": api.put("/api/v1/agents/frozen", json={}),
                    "once": api.put(
                        "/api/v1/agents/once", json={}, headers={"Idempotency-Key": "k"}
                    ),
                    "unknown key": api.get("/api/v1/org", headers={"Authorization": "Bearer x"}),
                    "sign-in": api.post(
                        "/api/v1/auth/login", json={"email": "a@b.c", "password": "x" * 12}
                    ),
                    "recall": api.post("/api/v1/recall", json={"query": "x"}),
                    "conversation": api.get("/api/v1/memory-resources"),
                }
                replies = dict(zip(asked, await asyncio.gather(*asked.values()), strict=True))
                told = {name: reply.json().get("code") for name, reply in replies.items()}
                assert told == dict.fromkeys(asked, "MEM-003")
                assert all(int(reply.headers["retry-after"]) > 0 for reply in replies.values())
                # Once every pooled connection has been given up, there are none to be had.
                assert set(await calls(api, 40)) == {503}
                readiness = await api.get("/readyz")
                assert readiness.status_code == 503
                assert readiness.json()["checks"]["database"] != "ok"
                assert (await api.get("/healthz")).status_code == 200

            await until("ready", lambda: is_ready(api))
            assert set(await calls(api)) <= {200, 201}
            assert (await api.get("/api/v1/org")).json() == fresh
            # A write that was given up is there whole or not at all; repeating it settles which.
            again = await api.put("/api/v1/agents/once", json={}, headers={"Idempotency-Key": "k"})
            assert again.status_code == 201
            agent = (await api.get("/api/v1/agents/frozen")).status_code
            history = await api.put("/api/v1/agents/frozen", json={})
            assert (agent, history.status_code) in {(200, 200), (404, 201)}
            assert history.json()["version"] in (1, 2)
