"""Vectors that are added while others change the same objects: nobody waits for ever, and nothing that was dropped comes back."""

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from holdfast.kernel.embedding_models import LocalModel
from tests.kernel.recall.conftest import NOW
from tests.vectors_underway import vectors_are_there

VECTOR = f"[{','.join(['0.05'] * 384)}]"
FOLLOW = "SELECT recall_follow(%s, 'memory', %s, %s, %s, %s, %s)"
DROP = "SELECT recall_drop(%s, 'memory', %s)"


@pytest.fixture
def connect(service, org) -> Iterator[Any]:
    """Makes connections of other processes: each in a transaction of the org, waiting for locks a few seconds at most."""
    made = []

    def connection() -> psycopg.Connection[Any]:
        made.append(psycopg.connect(service.app_url))
        enter = "SELECT set_config('role', 'holdfast_app', true), enter_org(%s)"
        made[-1].execute(enter, [org.id])
        made[-1].execute("SET LOCAL lock_timeout = '10s'")
        return made[-1]

    yield connection
    for each in made:
        each.close()


@pytest.fixture
async def turns(index, org, owner_connection) -> None:
    """A turn and its answer, whose vector is being made with the turn before it as context."""
    await index.put("m1", "The password is xylophone77", session_id="s")
    await index.put("m2", "Thanks", session_id="s", before="The password is xylophone77")
    await vectors_are_there(owner_connection, org.id)
    owner_connection.execute(
        "DELETE FROM passage_vectors v USING passages p WHERE p.org_id = v.org_id AND p.id = v.passage_id"
        " AND p.org_id = %s AND p.object_id = 'm2'",
        [org.id],
    )
    owner_connection.execute(
        "INSERT INTO embeddings_underway (org_id, passage_id, scope_id)"
        " SELECT org_id, id, scope_id FROM passages WHERE org_id = %s AND object_id = 'm2'",
        [org.id],
    )


def follow(connection: psycopg.Connection[Any], org_id: str) -> None:
    """Add the vector of the answer, in the connection's transaction."""
    connection.execute(FOLLOW, [org_id, "m2", NOW, [VECTOR], [b"\0" * 8], LocalModel.name])


async def test_a_vector_waits_for_nobody_who_changes_its_object(org, connect, turns, embedded):
    """The change waits for rows that the vector has locked: if each waited for the other, one would fail."""
    changing, adding = connect(), connect()
    changing.execute(DROP, [org.id, ["m2"]])
    follow(adding, org.id)
    adding.commit()
    changing.commit()
    assert embedded() == ["m1"]


async def test_a_vector_waits_for_nobody_who_drops_what_it_has_read(org, connect, turns, embedded):
    dropping, adding = connect(), connect()
    [(stale,)] = dropping.execute(DROP, [org.id, ["m1"]]).fetchall()
    assert stale  # the answer is embedded anew
    follow(adding, org.id)
    adding.commit()
    dropping.commit()
    assert embedded() == []


async def test_a_drop_waits_for_a_vector_that_has_read_what_is_dropped(
    org, connect, turns, embedded, owner_connection
):
    """And takes it away: nothing of what was dropped stays, nor does a word in what follows it."""
    dropping, adding = connect(), connect()
    follow(adding, org.id)
    stale: list[bool] = []

    def drop() -> None:
        stale.extend(row[0] for row in dropping.execute(DROP, [org.id, ["m1"]]).fetchall())
        dropping.commit()

    thread = threading.Thread(target=drop)
    thread.start()
    thread.join(0.3)
    adding.commit()
    thread.join(30)
    assert stale == [True]
    assert embedded() == []
    words = owner_connection.execute(
        "SELECT lexeme FROM postings WHERE org_id = %s AND lexeme LIKE 'xylo%%'", [org.id]
    ).fetchall()
    assert words == []
