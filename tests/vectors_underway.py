"""Waiting for vectors that follow their writes, for tests that read the index directly."""

import asyncio
import time

import psycopg

PATIENCE_S = 30
LOOK_EVERY_S = 0.01


async def vectors_are_there(owner_connection: psycopg.Connection, org_id: str) -> None:
    """Wait until every vector of an org that is being made was added; this process may be making them."""
    deadline = time.monotonic() + PATIENCE_S
    while _underway(owner_connection, org_id, deadline):
        await asyncio.sleep(LOOK_EVERY_S)


def wait_for_vectors(owner_connection: psycopg.Connection, org_id: str) -> None:
    """The same where another process makes them."""
    deadline = time.monotonic() + PATIENCE_S
    while _underway(owner_connection, org_id, deadline):
        time.sleep(LOOK_EVERY_S)


def _underway(owner_connection: psycopg.Connection, org_id: str, deadline: float) -> bool:
    assert time.monotonic() < deadline, "vectors are still underway"
    found = owner_connection.execute(
        "SELECT FROM embeddings_underway WHERE org_id = %s LIMIT 1", [org_id]
    )
    return found.fetchone() is not None
