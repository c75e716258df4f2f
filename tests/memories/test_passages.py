"""A memory as recall indexes it: the same whether it is foreseen or read back."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from holdfast.kernel.sql import Query
from holdfast.memories import passages
from holdfast.memories.model import DEFAULTS, NewMemory, Place
from holdfast.memories.saving import save_memory

SOON = datetime(2100, 1, 1, tzinfo=timezone(timedelta(hours=2)))

EVERYTHING = {
    "summary": "tea",
    "category": "preference",
    "tags": ["drinks", "morning", "drinks"],
    "importance": 9,
    "pinned": True,
    "expires_at": SOON,
    "source": "Ana",
    "valid_from": datetime(2026, 1, 1, tzinfo=UTC),
    "valid_to": SOON - timedelta(days=1),
}


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({}, Place()),
        (EVERYTHING, Place(session_id="talk")),
        ({"summary": None, "tags": []}, Place()),
    ],
)
async def test_the_document_of_a_save_is_the_document_of_the_row_it_makes(db, org, fields, place):
    new = NewMemory({"key": "tea", "value": "Ana drinks green tea", **fields}, place=place)
    saved = await save_memory(db, org.caller(), new)
    assert saved.created
    assert passages.document(saved) == passages.new_document(
        new,
        object_id=saved.id,
        audience="user:owner",
        workspace_id="default",
        session_id=place.session_id,
        now=saved.created_at,
    )


async def test_the_defaults_are_those_of_the_database(db, org):
    saved = await save_memory(db, org.caller(), NewMemory({"key": "k", "value": "v"}))
    assert {name: getattr(saved, name) for name in DEFAULTS} == {**DEFAULTS, "tags": []}


async def test_a_key_that_is_held_leaves_no_passage_of_a_row_that_was_not_made(
    db, org, owner_connection
):
    first = await save_memory(db, org.caller(), NewMemory({"key": "k", "value": "green tea"}))
    again = await save_memory(db, org.caller(), NewMemory({"key": "k", "value": "black tea"}))
    assert (again.id, again.created) == (first.id, False)
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    indexed = owner_connection.execute(
        "SELECT object_id, words::text LIKE '%%black%%' FROM passages WHERE org_id = %s", [org.id]
    ).fetchall()
    assert indexed == [(first.id, True)]


READ = Query(
    "read",
    """
    SELECT sum(coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0))::int
      FROM pg_stat_xact_user_tables
     WHERE relname IN ('memories', 'revisions', 'passages', 'postings', 'recall_vocabulary')
    """,
)


async def test_a_save_reads_only_what_it_is_about(db, org):
    """However much there is: a join over a scope's vocabulary, or an org's revisions, would show here."""
    caller = org.caller()
    many = " ".join(f"word{n}" for n in range(700))
    await save_memory(db, caller, NewMemory({"key": "many words", "value": many}))
    for n in range(50):
        await save_memory(db, caller, NewMemory({"key": f"other {n}", "value": "green tea"}))
    async with db.begin(caller) as tx:
        before = await tx.one(int, READ)
        await save_memory(db, caller, NewMemory({"key": "short", "value": "word7 tea"}))
        after = await tx.one(int, READ)
    assert after - before < 40
