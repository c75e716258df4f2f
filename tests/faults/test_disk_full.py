"""A disk that is really full: a small tmpfs in a mount namespace of the service's own."""

import asyncio
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.faults.test_database import is_ready, until

SIZE = "500m"
MOUNT = 'mount -t tmpfs -o size="$SIZE",mode=711 none "$FOLDER" && exec "$@"'


def may_mount():
    """Whether this account can make a mount namespace."""
    try:
        made = subprocess.run(
            ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"],
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        return False
    return made.returncode == 0


@contextmanager
def serving_on_a_small_disk(folder):
    command = [sys.executable, "-m", "holdfast", "serve", "--json", "--port", "0"]
    log = (folder.parent / "disk.log").open("wb")
    process = subprocess.Popen(
        ["unshare", "-m", "sh", "-c", MOUNT, "sh", *command],
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        env={
            **os.environ,
            "SIZE": SIZE,
            "FOLDER": str(folder),
            "HOLDFAST_DATA_DIR": str(folder / "data"),
            "HOLDFAST_EMBEDDER": "none",
        },
    )
    try:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        # The namespace's files, seen from outside.
        yield ready, Path(f"/proc/{ready['pid']}/root{folder}"), Path(log.name)
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
        log.close()


def fill(folder):
    """A file that leaves no room; deleting it makes room again."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return ballast


@pytest.mark.skipif(not may_mount(), reason="needs a mount namespace (unshare -m, as root)")
async def test_a_full_disk_is_said_in_the_answer_the_readiness_and_the_log(data_dir):
    data_dir.mkdir()
    data_dir.chmod(0o711)
    with serving_on_a_small_disk(data_dir) as (ready, inside, log):
        headers = {"Authorization": f"Bearer {ready['api_key']}"}
        async with httpx.AsyncClient(base_url=ready["url"], timeout=30, headers=headers) as api:
            store = (await api.post("/api/v1/memory_stores", json={"name": "s"})).json()["id"]
            entries = f"/api/v1/memory_stores/{store}/memories"

            async def write(number):
                content = os.urandom(40_000).hex()  # does not compress
                return await api.post(entries, json={"path": f"f{number}", "content": content})

            assert (await write(0)).status_code == 201
            ballast = await asyncio.to_thread(fill, inside)
            refused, number = None, 0
            while refused is None:
                number += 1
                reply = await write(number)
                if reply.status_code != 201:
                    refused = reply
            assert (refused.status_code, refused.json()["code"]) == (503, "MEM-003")
            assert "disk full" in refused.json()["detail"]
            readiness = await api.get("/readyz")
            assert readiness.status_code == 503
            assert "disk full" in readiness.json()["checks"]["database"]
            assert "disk full" in log.read_text()

            ballast.unlink()
            await until("ready", lambda: is_ready(api))
            assert (await write("again")).status_code == 201
            listed = (await api.get(entries, params={"limit": 100})).json()["data"]
            kept = {entry["path"] for entry in listed}
            assert {"f0", "fagain"} <= kept
            assert f"f{number}" not in kept
