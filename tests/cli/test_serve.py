"""`holdfast serve` as a new user meets it."""

import os
import shlex
import socket
import subprocess

import httpx

from holdfast.local import find_service
from tests import forked
from tests.conftest import serving

PASSWORD = "correct horse battery staple"


async def test_unattended_starts_take_their_first_credentials_from_the_environment(data_dir):
    first = {
        "HOLDFAST_BOOTSTRAP_KEY": "hf_live_bootstrap-of-this-test",
        "HOLDFAST_OWNER_EMAIL": "Owner@Example.com",
        "HOLDFAST_OWNER_PASSWORD": PASSWORD,
    }
    for start in range(2):
        with serving(data_dir, first_start=True, **first) as (ready, _):
            assert ("api_key" in ready) is (start == 0)
            assert set(ready) >= {"url", "console_url", "mcp_url", "pid"}
            async with httpx.AsyncClient(base_url=f"{ready['url']}/api/v1") as client:
                header = {"Authorization": "Bearer hf_live_bootstrap-of-this-test"}
                assert (await client.get("/org", headers=header)).status_code == 200
                login = await client.post(
                    "/auth/login", json={"email": "owner@example.com", "password": PASSWORD}
                )
                assert login.status_code == 200


def test_a_port_in_use_is_said_before_anything_starts(data_dir):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = forked.run(
            ["-m", "holdfast", "serve", "--port", str(taken.getsockname()[1])],
            env={**os.environ, "HOLDFAST_DATA_DIR": str(data_dir)},
        )
    assert done.returncode != 0
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr
    assert not data_dir.exists()


async def test_nothing_a_client_writes_is_in_the_log(data_dir):
    canary = "canary-in-the-log-51b"
    with serving(data_dir) as (ready, _):
        async with httpx.AsyncClient(base_url=f"{ready['url']}/api/v1") as client:
            client.headers["Authorization"] = f"Bearer {ready['api_key']}"
            await client.put(f"/agents/{canary}", json={"name": canary})
            await client.get(f"/agents/{canary}?{canary}={canary}")
            await client.put("/agents/x", json={canary: canary})
            await client.put(
                "/agents/x", content=canary, headers={"content-type": "application/json"}
            )
            await client.post("/auth/login", json={"email": canary, "password": canary})
        key = ready["api_key"]
    log = (data_dir.parent / f"{data_dir.name}.log").read_text()
    assert "request" in log
    for text in (log, *(path.read_text(errors="ignore") for path in data_dir.glob("*.log"))):
        assert canary not in text
        assert key not in text


async def test_the_data_folder_tells_its_owner_where_the_service_answers(data_dir):
    for _ in range(2):
        with serving(data_dir) as (ready, process):
            noted = find_service(data_dir)
            assert noted is not None
            assert (noted.url, noted.pid) == (ready["url"], process.pid)
            assert (data_dir / "service.json").stat().st_mode & 0o077 == 0
            async with httpx.AsyncClient(base_url=noted.url) as client:
                reply = await client.get("/api/v1/org", headers={"x-api-key": noted.key})
                assert reply.status_code == 200


def sent_by_curl(line):
    """The answer to a `curl -s URL -H … -d …`, where there may be no curl."""
    _, _, url, *options = shlex.split(line)
    given = list(zip(options[::2], options[1::2], strict=True))
    headers = dict(value.split(": ", 1) for name, value in given if name == "-H")
    [body] = [value for name, value in given if name == "-d"]
    return httpx.post(url, headers=headers, content=body, timeout=30).json()


def test_the_first_call_that_is_printed_remembers_and_recalls(data_dir):
    env = {**os.environ, "HOLDFAST_DATA_DIR": str(data_dir)}
    process = forked.popen(
        ["-m", "holdfast", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env=env,
    )
    try:
        assert process.stdout is not None
        lines = []
        while "Ctrl-C" not in (lines[-1] if lines else ""):
            lines.append(process.stdout.readline())
        saved, found = (sent_by_curl(line) for line in lines if line.strip().startswith("curl "))
        assert saved["created"] is True
        assert found["data"][0]["text"] == "Ana takes her tea green"
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
