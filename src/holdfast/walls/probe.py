"""Both walks on a deployment: two orgs made for the purpose, walked through the application, and removed again."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import psycopg
import psycopg.sql
from fastapi import FastAPI

from holdfast.access import keys
from holdfast.app import make_app
from holdfast.bootstrap import create_org
from holdfast.deployment import config_of
from holdfast.kernel.caller import operator
from holdfast.kernel.db import Database
from holdfast.settings import Settings
from holdfast.walls import mcp, walk
from holdfast.walls.specimens import one_of_everything


@dataclass(frozen=True, slots=True)
class Proof:
    """What a walk found: the requests that it sent, and a line for each breach."""

    wall: str
    requests: int
    breaches: list[str]


async def prove(settings: Settings, app_url: str, owner_url: str) -> list[Proof]:
    """Walk between two orgs and between two users of one org, through an application on this deployment's database."""
    app = make_app(config_of(settings, app_url))
    async with app.router.lifespan_context(app):
        return await _prove(app, app.state.db, owner_url)


async def _prove(app: FastAPI, db: Database, owner_url: str) -> list[Proof]:
    first, first_key = await create_org(db, "walls: a probe")
    second, second_key = await create_org(db, "walls: a probe")
    try:
        async with _clients(app, db, first, first_key) as theirs:
            named = await one_of_everything(theirs["admin"], theirs["ana"])
            async with _clients(app, db, second, second_key) as others:
                between_orgs = await _walk("between orgs", app, named, others)
            others_here = {who: theirs[who] for who in ("ben", "ben's agent", "service for ben")}
            between_users = await _walk("between users", app, named, others_here)
        return [between_orgs, between_users]
    finally:
        remove_org(owner_url, first)
        remove_org(owner_url, second)


async def _walk(
    wall: str, app: FastAPI, named: dict[str, str], clients: Mapping[str, httpx.AsyncClient]
) -> Proof:
    document = app.openapi()
    sent = len(clients) * sum(1 for _ in walk.asks(document, named))
    found = [line async for line in walk.breaches(document, named, clients)]
    found += [line async for line in mcp.breaches(named, clients)]
    return Proof(wall, sent, found)


@asynccontextmanager
async def _clients(
    app: FastAPI, db: Database, org_id: str, service_key: str
) -> AsyncIterator[dict[str, httpx.AsyncClient]]:
    """The credentials of an org that a walk needs, each as a client of the application."""
    caller = operator(org_id)

    async def mint(kind: Any, **options: Any) -> str:
        return (await keys.create_key(db, caller, kind, **options)).key

    made = {
        "admin": (service_key, {}),
        "ana": (await mint("user", user_id="ana"), {}),
        "ben": (await mint("user", user_id="ben"), {}),
        "ben's agent": (await mint("agent", agent_id="bot", user_id="ben"), {}),
        "service for ben": (service_key, {"Holdfast-User": "ben"}),
    }
    clients = {who: client_of(app, key, headers) for who, (key, headers) in made.items()}
    try:
        yield clients
    finally:
        for client in clients.values():
            await client.aclose()


def client_of(app: FastAPI, key: str, headers: Mapping[str, str]) -> httpx.AsyncClient:
    """A client of the application in this process, with this key."""
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app, raise_app_exceptions=False),
        base_url="http://127.0.0.1/api/v1",
        headers={"Authorization": f"Bearer {key}", **headers},
        timeout=60,
    )


def remove_org(owner_url: str, org_id: str) -> None:
    """Delete every row of an org that was made by a probe. A worker may write rows of it meanwhile: then all is tried again."""
    with psycopg.connect(owner_url) as connection:
        connection.execute("SELECT enter_org(%s)", [org_id])
        tables = [name for (name,) in connection.execute(_TABLES_OF_ORGS)]
        for _ in range(_ATTEMPTS):
            left = _left_after_emptying(connection, tables, org_id)
            if not left:
                return
    raise RuntimeError(f"rows of the probe could not be removed from {left}")


def _left_after_emptying(
    connection: psycopg.Connection[Any], tables: list[str], org_id: str
) -> list[str]:
    """Empty the tables of an org's rows; those that could not be. Foreign keys decide the order: tables are tried in turn."""
    left = tables
    while left:
        stuck = [name for name in left if not _emptied(connection, name, org_id)]
        if len(stuck) == len(left):
            return stuck
        left = stuck
    return []


_ATTEMPTS = 5
_TABLES_OF_ORGS = """
SELECT c.relname::text
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id' AND NOT a.attisdropped
 WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
 ORDER BY c.relname
"""


def _emptied(connection: psycopg.Connection[Any], table: str, org_id: str) -> bool:
    statement = psycopg.sql.SQL("DELETE FROM {} WHERE org_id = %s").format(
        psycopg.sql.Identifier(table)
    )
    try:
        with connection.transaction():
            connection.execute(statement, [org_id])
    except psycopg.errors.ForeignKeyViolation:
        return False
    return True
