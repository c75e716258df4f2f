"""The database connection is lost at each statement of a writing request: 503 with MEM-003, or success; and a retry applies it.

The app runs in this process, so that a connection can be broken at a chosen statement: by shutting its socket, or by ending
its backend, which sends its last words first.
"""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import psycopg
import pytest

from holdfast.app import make_app
from holdfast.deployment import Config

MOST_STATEMENTS = 80
STRIDES = {"socket": 1, "backend": 4}
"""Every statement, and every fourth: Postgres takes its time to end a backend."""
MESSAGES = {"messages": [{"id": "m1", "role": "user", "content": "I moved to Lisbon in May."}]}
ROUTES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "append": ("POST", "/sessions/s{n}/messages", MESSAGES),
    "block": ("PUT", "/memory/blocks/core", {"content": "likes tea", "expected_updated_at": None}),
    "entry": ("PUT", "/agents/bot/entries/k{n}", {"content": "rows", "category": "core"}),
    "memory": ("POST", "/memories", {"key": "k", "value": "The bakery opens at six."}),
    "store": ("POST", "/memory_stores", {"name": "notes"}),
    "extract": ("POST", "/memories/extract", MESSAGES),
}


@contextmanager
def broken_at(number: int, how: str, killer: psycopg.Connection) -> Iterator[list[int]]:
    """Break the connection of the statement of this number, counted over all connections; how many statements there were."""
    sent = [0]
    execute = psycopg.AsyncCursor.execute

    async def counting(self: Any, *args: Any, **more: Any) -> Any:
        sent[0] += 1
        if sent[0] == number and how == "socket":
            self.connection.hang_up()
        elif sent[0] == number:
            pid = self.connection.info.backend_pid
            killer.execute("SELECT pg_terminate_backend(%s, 2000)", [pid])
        return await execute(self, *args, **more)

    psycopg.AsyncCursor.execute = counting  # type: ignore[method-assign]
    try:
        yield sent
    finally:
        psycopg.AsyncCursor.execute = execute  # type: ignore[method-assign]


async def broken_everywhere(
    client: httpx.AsyncClient, key: str, route: str, how: str, killer: psycopg.Connection
) -> tuple[int, dict[Any, str]]:
    """Send a request under an Idempotency-Key once for each of its statements, broken there, and again: the number of
    statements, and every answer that it should not have had."""
    method, path, body = ROUTES[route]
    wrong: dict[Any, str] = {}
    for number in itertools.count(1, STRIDES[how]):
        assert number < MOST_STATEMENTS
        headers = {
            "Authorization": f"Bearer {key}",
            "Holdfast-User": f"{route}-{how}-{number}",
            "Idempotency-Key": f"{route}-{how}-{number}",
        }
        url = path.replace("{n}", f"{how}{number}")
        with broken_at(number, how, killer) as sent:
            reply = await client.request(method, url, headers=headers, json=body)
        again = await client.request(method, url, headers=headers, json=body)
        if not (reply.is_success or (reply.status_code, reply.json()["code"]) == (503, "MEM-003")):
            wrong[number] = reply.text
        if not again.is_success:
            wrong[number, "again"] = again.text
        if sent[0] < number:
            return number, wrong
    raise AssertionError


@pytest.mark.parametrize("how", ["socket", "backend"])
async def test_a_lost_connection_is_503_and_a_retry_with_the_key_succeeds(org, service, how):
    app = make_app(Config(database_url=service.app_url, embedder="none", pool_size=4))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    found: dict[str, dict[Any, str]] = {}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/v1") as client,
    ):
        with psycopg.connect(service.app_url, autocommit=True) as killer:
            for route in ROUTES:
                statements, wrong = await broken_everywhere(client, org.key, route, how, killer)
                assert statements > 5  # it was broken at several
                if wrong:
                    found[route] = wrong
    assert found == {}
