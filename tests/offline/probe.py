"""Runs inside a network namespace that has only loopback: serves, asks by the client and by MCP, and prints what the kernel
counted of attempts to leave. Started by test_offline.py; the argument is the data folder."""

import asyncio
import fcntl
import json
import os
import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path

from mcp import Client as McpClient
from mcp import StdioServerParameters

from holdfast_client import Client
from tests.conftest import serving

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def bring_up_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sh", b"lo", 0)
        _, flags = struct.unpack("16sh", fcntl.ioctl(any_socket, SIOCGIFFLAGS, asked))
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags | IFF_UP))


def attempts_to_leave() -> int:
    """Packets and connections that found no route, and look-ups of names that a resolver on loopback did not take."""
    counted = {}
    lines = Path("/proc/net/snmp").read_text().splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        counted |= dict(zip(names.split(), values.split(), strict=True))
        if names.startswith("Udp: "):
            lookups = int(dict(zip(names.split(), values.split(), strict=True))["NoPorts"])
    six = dict(line.split() for line in Path("/proc/net/snmp6").read_text().splitlines())
    return int(counted["OutNoRoutes"]) + int(six["Ip6OutNoRoutes"]) + lookups


async def ask_by_mcp(data_dir: Path) -> str:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "holdfast", "mcp"],
        env={**os.environ, "HOLDFAST_DATA_DIR": str(data_dir)},
    )
    async with McpClient(command) as client:
        return str(await client.call_tool("recall", {"query": "what does she drink?"}))


def main() -> None:
    data_dir = Path(sys.argv[1])
    bring_up_loopback()
    with serving(data_dir, first_start=True, fork=False) as (ready, _):
        with Client(ready["url"], ready["api_key"]) as client:
            client.remember("prefers tea over coffee")
            found = client.recall("what does she drink?")
        by_mcp = asyncio.run(ask_by_mcp(data_dir))
    # A probe that cannot see an attempt proves nothing: make one, by name, and see it counted.
    before = attempts_to_leave()
    with suppress(OSError):
        socket.getaddrinfo("holdfast.invalid", 443)
    print(
        json.dumps(
            {
                "by_client": "tea" in str(found),
                "by_mcp": "tea" in by_mcp,
                "attempts": before,
                "seen": attempts_to_leave() > before,
            }
        )
    )


if __name__ == "__main__":
    main()
