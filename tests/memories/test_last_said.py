"""A save that embeds before it knows what was said last in its session: the same vectors as one that asks first."""

from contextlib import asynccontextmanager

import pytest

from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.embedding_models import Said
from holdfast.kernel.recall import vectors
from holdfast.memories import last_said
from holdfast.memories.last_said import LastSaid
from holdfast.memories.model import NewMemory, Place
from holdfast.memories.saving import save_memory
from tests.vectors_underway import vectors_are_there

TALK = Place(session_id="talk")


@asynccontextmanager
async def process(service):
    """The database as a process sees it that has just started."""
    db = Database(service.app_url, min_size=1, max_size=4, services=[Embedders("local")])
    async with db.opened():
        await vectors.start(db)
        yield db


async def say(db, caller, number: int, text: str, speaker: str = "Ana"):
    fields = {"key": f"turn-{number}", "value": text, "source": speaker}
    return await save_memory(db, caller, NewMemory(fields, place=TALK))


@pytest.fixture
def tokens_of(owner_connection, org):
    """The tokens that the index has of a memory."""

    async def read(row) -> bytes:
        await vectors_are_there(owner_connection, org.id)
        [tokens] = owner_connection.execute(
            "SELECT v.tokens FROM passages p JOIN passage_vectors v ON v.org_id = p.org_id AND v.passage_id = p.id"
            " WHERE p.org_id = %s AND p.object_id = %s",
            [org.id, row.id],
        ).fetchone()
        return bytes(tokens)

    return read


async def embedded(db, text: str, before: str) -> bytes:
    embedder = await db.services.get(Embedders).serving()
    [made] = await embedder.embed([Said(text, "Ana", before)])
    return made.tokens


async def test_the_next_save_of_a_session_starts_its_embedding_before_it_asks(
    service, org, monkeypatch, tokens_of
):
    steps = []
    async with process(service) as db:
        caller = org.caller()
        await say(db, caller, 1, "We went to the lake", "Bob")
        embedder = await db.services.get(Embedders).serving()
        start, ask = embedder.start, Database.all

        def started(said, **options):
            steps.append("start")
            return start(said, **options)

        async def asked(self, *args, **params):
            steps.append("ask")
            return await ask(self, *args, **params)

        monkeypatch.setattr(embedder, "start", started)
        monkeypatch.setattr(Database, "all", asked)
        second = await say(db, caller, 2, "And was it cold?")
        assert steps[:2] == ["start", "ask"]
        expected = await embedded(db, "And was it cold?", "Bob: We went to the lake")
        assert await tokens_of(second) == expected
        assert expected != await embedded(db, "And was it cold?", "")


async def test_what_another_process_said_or_took_back_counts(service, org, sign_in, tokens_of):
    caller, browser = org.caller(), await sign_in("owner")
    async with process(service) as one, process(service) as other:
        await say(one, caller, 1, "We went to the lake")
        between = await say(other, caller, 2, "The kitchen is painted now")
        third = await say(one, caller, 3, "Yes, in blue")
        said = "Ana: The kitchen is painted now"
        assert await tokens_of(third) == await embedded(one, "Yes, in blue", said)
        last = await say(other, caller, 4, "It was a long day")
        for gone in (last, third):
            assert (await browser.delete(f"/memories/{gone.id}")).status_code == 204
        fourth = await say(one, caller, 5, "I like it")
        assert await tokens_of(fourth) == await embedded(one, "I like it", said)
        assert between.created


async def test_an_update_is_not_the_last_that_was_said(service, org, tokens_of):
    caller = org.caller()
    async with process(service) as db:
        await say(db, caller, 1, "We went to the lake")
        await say(db, caller, 2, "The kitchen is painted now")
        again = await say(db, caller, 1, "We went to the sea")
        assert not again.created
        third = await say(db, caller, 3, "Yes, in blue")
        expected = await embedded(db, "Yes, in blue", "Ana: The kitchen is painted now")
        assert await tokens_of(third) == expected


def test_sessions_are_known_by_org_and_scope_and_forgotten(monkeypatch):
    now = 1_000.0
    monkeypatch.setattr(last_said, "monotonic", lambda: now)
    known = LastSaid()
    known.note("org_a", "memory/user:ana", "talk", "hello")
    assert known.of("org_a", "memory/user:ana", "talk") == "hello"
    for other in (("org_b", "memory/user:ana"), ("org_a", "memory/user:bob")):
        assert known.of(*other, "talk") is None
    now += last_said.FORGOTTEN_AFTER_S + 1
    assert known.of("org_a", "memory/user:ana", "talk") is None
    known.note("org_a", "memory/user:ana", "other", "hello")
    assert len(known._by_session) == 1
    for number in range(last_said.MAX_SESSIONS):
        known.note("org_a", "memory/user:ana", f"talk-{number}", "hello")
    assert known.of("org_a", "memory/user:ana", "other") is None
    assert len(known._by_session) == last_said.MAX_SESSIONS
