"""Several processes answer on one port and are counted together; one that dies is started again; all end with the parent,
however it ends."""

import asyncio
import os
import signal

import httpx
import psutil

from tests.conftest import serving
from tests.console.processes import walk_without_stickiness
from tests.faults.test_database import change_language, is_ready, until
from tests.mcp_client import ERAS, ask, connected

PROCESSES = 2


def spawned(process):
    """The API processes and the worker of a serve."""
    return [
        child
        for child in psutil.Process(process.pid).children()
        if any("spawn_main" in part for part in child.cmdline())
    ]


def client(ready, key):
    return httpx.AsyncClient(
        base_url=ready["url"],
        timeout=30,
        limits=httpx.Limits(max_keepalive_connections=0),
        headers={"Authorization": f"Bearer {key}"},
    )


async def test_processes_share_a_port_and_are_started_again_and_none_outlives_the_parent(
    org, data_dir
):
    with serving(data_dir, "--processes", str(PROCESSES)) as (ready, process):
        async with client(ready, ready["api_key"]) as api:
            first = spawned(process)
            assert len(first) == PROCESSES + 1  # and the worker
            for _ in range(20):
                assert (await api.get("/api/v1/org")).status_code == 200
            # Whichever answered them, the metrics count all.
            counted = '{method="GET",route="/api/v1/org",status="200"} 20'
            metrics = (await api.get("/metrics")).text
            assert f"holdfast_http_request_seconds_count{counted}" in metrics
            await any_process_answers_any_request(org, ready, data_dir)
            for child in first:
                child.kill()
            psutil.wait_procs(first, 30)

            async def are_back():
                return len(spawned(process)) == PROCESSES + 1 and await answers(api)

            await until("every process started again", are_back)
            assert {child.pid for child in spawned(process)}.isdisjoint(c.pid for c in first)
            # One alone: the others answer meanwhile.
            spawned(process)[0].kill()
            for _ in range(20):
                assert (await api.get("/api/v1/org")).status_code == 200
            await until("one process started again", are_back)

            await change_language(api, "german")

            async def job_is_done():
                return [job["status"] for job in await jobs(api)] == ["succeeded"]

            await until("the new worker did the job", job_is_done)

            begun = [
                asyncio.create_task(api.put(f"/api/v1/agents/a{n}", json={})) for n in range(20)
            ]
            await asyncio.sleep(0.05)
            below = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGTERM)
            replies = await asyncio.gather(*begun, return_exceptions=True)
        process.wait(60)
        assert process.returncode == 0
        answered = [reply for reply in replies if isinstance(reply, httpx.Response)]
        assert {reply.status_code for reply in answered} <= {201}
        assert psutil.wait_procs(below, 60)[1] == []

    with serving(data_dir, "--processes", str(PROCESSES)) as (_, process):
        children = spawned(process)
        assert len(children) == PROCESSES + 1
        os.kill(process.pid, signal.SIGKILL)
        assert psutil.wait_procs(children, 60)[1] == []


async def any_process_answers_any_request(org, ready, data_dir):
    """Of MCP, in both eras of the protocol, and of somebody who signs in at the console."""
    for mode in ERAS:
        async with connected(org, url=ready["url"], key=ready["api_key"], mode=mode) as mcp:
            for number in range(12):
                await ask(mcp, "memory_store", key=f"{mode} {number}", content="c")
            assert len((await ask(mcp, "memory_list"))["data"]) >= 12
    await walk_without_stickiness(ready["url"], ready["api_key"], data_dir)


async def answers(api):
    try:
        return await is_ready(api)
    except httpx.TransportError:  # between the last process and the next
        return False


async def jobs(api):
    return (await api.get("/api/v1/jobs")).json()["data"]
