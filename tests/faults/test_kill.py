"""Everything is killed while it writes; nothing that was acknowledged is lost."""

import asyncio
import os
import signal
import subprocess

import httpx
import psutil
import pytest

from tests import forked
from tests.conftest import serving

WRITES = 1_000
WRITERS = 8


async def write_until_it_dies(url, key, first, acknowledged, killed_at, kill):
    """One client: writes its share one after the other, and notes what was acknowledged."""
    async with httpx.AsyncClient(base_url=f"{url}/api/v1", timeout=30) as client:
        client.headers["Authorization"] = f"Bearer {key}"
        for number in range(first, WRITES, WRITERS):
            try:
                reply = await client.put(f"/agents/a{number}", json={"name": f"name {number}"})
            except httpx.HTTPError:
                return
            if reply.status_code == 201:
                acknowledged.append(number)
            if len(acknowledged) == killed_at:
                kill()


def kill_all(pid):
    """kill -9 the service and every process below it, the database's too."""
    top = psutil.Process(pid)
    for process in [*top.children(recursive=True), top]:
        process.kill()


@pytest.mark.parametrize("killed_at", [150, 700])
async def test_every_acknowledged_write_survives_kill_9_of_everything(data_dir, killed_at):
    acknowledged = []
    with serving(data_dir) as (ready, process):
        key = ready["api_key"]
        await asyncio.gather(
            *(
                write_until_it_dies(
                    ready["url"], key, first, acknowledged, killed_at, lambda: kill_all(process.pid)
                )
                for first in range(WRITERS)
            )
        )
        process.wait(30)
        assert process.returncode == -signal.SIGKILL
    assert len(acknowledged) >= killed_at

    with serving(data_dir) as (ready, _):
        assert "api_key" not in ready  # the second start shows no key
        async with httpx.AsyncClient(base_url=f"{ready['url']}/api/v1") as client:
            client.headers["Authorization"] = f"Bearer {key}"
            for number in acknowledged:
                reply = await client.get(f"/agents/a{number}")
                assert reply.status_code == 200, number
                assert reply.json()["name"] == f"name {number}"


async def test_what_was_saved_is_found_by_its_meaning_after_kill_9(data_dir):
    """A save is answered before it is embedded; what the killed process left without a vector, a job embeds. There are more
    than are read for ten results, and all that are shown were read closely."""
    with serving(data_dir) as (ready, process):
        key = ready["api_key"]
        async with httpx.AsyncClient(base_url=f"{ready['url']}/api/v1", timeout=30) as client:
            client.headers["Authorization"] = f"Bearer {key}"
            many = [{"key": f"m{n}", "value": f"Plant number {n} needs water"} for n in range(100)]
            reply = await client.post("/memories/batch", json={"memories": many})
            assert reply.status_code in (200, 201), reply.text
            saved = set()

            async def save(number):
                body = {"key": f"k{number}", "value": f"Animal number {number} eats grass " * 20}
                reply = await client.post("/memories", json=body)
                saved.add(reply.json()["id"])
                if len(saved) == 12:
                    kill_all(process.pid)

            await asyncio.gather(*map(save, range(24)), return_exceptions=True)
        process.wait(30)

    with serving(data_dir) as (ready, _):
        async with httpx.AsyncClient(base_url=f"{ready['url']}/api/v1", timeout=30) as client:
            client.headers["Authorization"] = f"Bearer {key}"
            query = {"q": "What do animals feed on?", "mode": "semantic", "limit": 50}
            found = await recalled(client, query, lambda rows: saved <= {row["id"] for row in rows})
            assert saved <= {row["id"] for row in found}
            query = {"q": "Which animal eats grass?", "limit": 10, "explain": True}
            # Those whose save was cut off are embedded too.
            found = await recalled(client, query, lambda rows: all(map(was_read_closely, rows)))
            assert [was_read_closely(row) for row in found] == [True] * 10
            assert {row["key"][0] for row in found} == {"k"}


async def recalled(client, query, is_done):
    """The answer to a query, once that is done or a minute has passed."""
    for _ in range(600):
        reply = await client.post("/memories/recall", json=query)
        assert reply.status_code == 200, reply.text
        rows = reply.json()["data"]
        if is_done(rows):
            break
        await asyncio.sleep(0.1)
    return rows


def was_read_closely(row):
    return "close_reading" in row["explain"]["parts"]


async def test_a_killed_database_comes_back_by_itself(data_dir):
    with serving(data_dir) as (ready, process):
        async with httpx.AsyncClient(base_url=ready["url"], timeout=20) as client:
            client.headers["Authorization"] = f"Bearer {ready['api_key']}"
            await client.put("/api/v1/agents/kept", json={})
            postmaster = next(
                child
                for child in psutil.Process(process.pid).children()
                if child.name().startswith("postgres")
            )
            os.kill(postmaster.pid, signal.SIGKILL)
            statuses = set()
            for _ in range(300):
                reply = await client.get("/api/v1/agents/kept")
                statuses.add(reply.status_code)
                if reply.status_code == 200 and not psutil.pid_exists(postmaster.pid):
                    break
                if reply.status_code == 503:
                    assert reply.json()["code"] == "MEM-003"
                    assert int(reply.headers["retry-after"]) > 0
                await asyncio.sleep(0.1)
            assert reply.status_code == 200
            assert statuses <= {200, 503}


async def test_sigterm_finishes_what_was_begun_and_leaves_with_0_also_when_sent_twice(data_dir):
    with serving(data_dir) as (ready, process):
        async with httpx.AsyncClient(base_url=f"{ready['url']}/api/v1", timeout=20) as client:
            client.headers["Authorization"] = f"Bearer {ready['api_key']}"
            begun = [
                asyncio.create_task(client.put(f"/agents/a{number}", json={}))
                for number in range(50)
            ]
            await asyncio.wait(begun, return_when=asyncio.FIRST_COMPLETED)
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGTERM)
            replies = await asyncio.gather(*begun, return_exceptions=True)
        process.wait(60)
        assert process.returncode == 0
        answered = [r for r in replies if isinstance(r, httpx.Response)]
        assert answered
        assert {reply.status_code for reply in answered} == {201}
    children = subprocess.run(
        ["pgrep", "-f", str(data_dir)], capture_output=True, text=True, check=False
    )
    assert children.stdout == ""


async def test_a_second_serve_on_the_same_folder_is_refused_in_one_line(data_dir):
    with serving(data_dir) as (_, process):
        second = forked.run(
            ["-m", "holdfast", "serve", "--port", "0"],
            env={**os.environ, "HOLDFAST_DATA_DIR": str(data_dir)},
        )
        assert second.returncode == 1
        assert str(process.pid) in second.stderr
        assert "Traceback" not in second.stderr
