"""Run the public MCP conformance suite against a `holdfast serve` that this script starts. Run by hand; needs Node 22.

    npm install @modelcontextprotocol/conformance@0.2.0-alpha.12
    python tools/mcp_conformance.py node_modules/.bin/conformance [scenario …]

The suite cannot send a header, so a small proxy adds the key to every request and forwards the rest unchanged. Scenarios
that call tools, prompts or resources with fixed names (`test_simple_text`, …) do not apply to this server. A check that the suite
itself reports as "not testable" without such a tool is printed and is not a failure.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

# The scenarios that need only the protocol, each with the protocol revision to run it under.
SCENARIOS = [
    ("server-initialize", "2025-06-18"),
    ("server-initialize", "2025-11-25"),
    ("server-session-lifecycle", "2025-03-26"),
    ("server-session-lifecycle", "2025-06-18"),
    ("server-session-lifecycle", "2025-11-25"),
    ("ping", "2025-06-18"),
    ("ping", "2025-11-25"),
    ("tools-list", "2025-06-18"),
    ("tools-list", "2025-11-25"),
    ("tools-list", "2026-07-28"),
    ("resources-list", "2025-06-18"),
    ("resources-list", "2025-11-25"),
    ("resources-list", "2026-07-28"),
    ("prompts-list", "2025-06-18"),
    ("prompts-list", "2025-11-25"),
    ("prompts-list", "2026-07-28"),
    ("server-sse-polling", "2025-11-25"),
    ("server-sse-multiple-streams", "2025-11-25"),
    ("server-sse-multiple-streams", "2026-07-28"),
    ("dns-rebinding-protection", "2025-11-25"),
    ("dns-rebinding-protection", "2026-07-28"),
    ("server-stateless", "2026-07-28"),
    ("caching", "2026-07-28"),
    ("http-header-validation", "2026-07-28"),
    ("sep-2164-resource-not-found", "2026-07-28"),
    ("input-required-result-unsupported-methods", "2026-07-28"),
]


def main(conformance: str, only: list[str]) -> int:
    """Run the scenarios and print each result; returns how many failed."""
    with tempfile.TemporaryDirectory(prefix="holdfast-conformance-") as folder:
        Path(folder).chmod(0o711)  # as root the database runs under another account
        service = subprocess.Popen(
            [sys.executable, "-m", "holdfast", "serve", "--json", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "HOLDFAST_DATA_DIR": f"{folder}/data"},
        )
        try:
            assert service.stdout is not None
            ready = json.loads(service.stdout.readline())
            return asyncio.run(_run_all(conformance, ready["url"], ready["api_key"], only))
        finally:
            service.terminate()
            service.wait(60)


async def _run_all(conformance: str, service: str, key: str, only: list[str]) -> int:
    target = urlsplit(service)
    add = f"Authorization: Bearer {key}\r\nConnection: close\r\n".encode()
    proxy = await asyncio.start_server(
        lambda r, w: _hand_on(r, w, target.hostname, target.port, add), "127.0.0.1", 0
    )
    url = f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}/mcp"
    failed = 0
    for scenario, revision in SCENARIOS:
        if not only or scenario in only:
            failed += await _run(conformance, url, scenario, revision, verbose=bool(only))
    return failed


async def _run(conformance: str, url: str, scenario: str, revision: str, *, verbose: bool) -> bool:
    process = await asyncio.create_subprocess_exec(
        conformance, "server", "--url", url, "--scenario", scenario, "--spec-version", revision,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await process.communicate()
    text = re.sub(r"\x1b\[[0-9;]*m", "", said.decode())
    errors = re.findall(r"^ +Error: (.*)", text, re.MULTILINE)
    beyond = [each for each in errors if each.startswith("Not testable: ")]
    failed = process.returncode != 0 and (not beyond or len(beyond) < len(errors))
    print(f"{'FAIL' if failed else 'pass'}  {revision}  {scenario}", flush=True)
    for each in beyond:
        print(f"      {each}", flush=True)
    if verbose or failed:
        print(text)
    return failed


async def _hand_on(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    host: str | None,
    port: int | None,
    add: bytes,
) -> None:
    """Forward one request with the key added; the connection is closed after the answer."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = [
            line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")
        ]
        there, back = await asyncio.open_connection(host, port)
        back.write(lines[0] + b"\r\n" + add + b"\r\n".join(lines[1:]))
        answered = asyncio.create_task(_copy(there, writer))
        asked = asyncio.create_task(_copy(reader, back))
        await asyncio.wait([answered])
        asked.cancel()
        back.close()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(65536):
        writer.write(chunk)
        await writer.drain()


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1], sys.argv[2:]) else 0)
