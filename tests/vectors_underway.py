"""Waiting for vectors that follow their writes, for tests that read the index directly."""

import asyncio

import psycopg


async def vectors_are_there(owner_connection: psycopg.Connection, org_id: str) -> None:
    """Wait until every vector of an org that a process is making was added."""
    for _ in range(3_000):
        [number] = owner_connection.execute(
            "SELECT count(*) FROM embeddings_underway WHERE org_id = %s", [org_id]
        ).fetchone() or [0]
        if not number:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("vectors are still underway")
