"""Vectors that follow a write: it is acknowledged before they are made, recall waits for them, and none is lost."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta

import pytest

from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.recall import passages, underway, vectors
from holdfast.kernel.recall.search import begin
from holdfast.kernel.recall.underway import Underway
from tests.kernel.recall.conftest import NOW, Index, document
from tests.vectors_underway import vectors_are_there


@asynccontextmanager
async def process(service, org) -> AsyncIterator[Index]:
    """The index as a process of its own sees it."""
    db = Database(service.app_url, min_size=1, max_size=4, services=[Embedders("local")])
    async with db.opened():
        await vectors.start(db)
        yield Index(db, org.caller())


@contextmanager
def held_back(embedder, monkeypatch) -> Iterator[threading.Event]:
    """The embedder makes nothing until the event is set, or the block ends."""
    may_go_on, make = threading.Event(), embedder._model.embed

    def embed(said, *, patience_s):
        assert may_go_on.wait(60)
        return make(said, patience_s=patience_s)

    with monkeypatch.context() as patch:
        patch.setattr(embedder._model, "embed", embed)
        try:
            yield may_go_on
        finally:
            may_go_on.set()


async def embedder_of(index: Index):
    return await index.db.services.get(Embedders).serving()


@pytest.fixture
def left(owner_connection, org):
    """How many vectors of the org are underway."""

    def count() -> int:
        return owner_connection.execute(
            "SELECT count(*) FROM embeddings_underway WHERE org_id = %s", [org.id]
        ).fetchone()[0]

    return count


@pytest.fixture
def jobs_of(owner_connection, org):
    """The kinds of the org's jobs."""

    def kinds() -> list[str]:
        owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
        rows = owner_connection.execute("SELECT kind FROM jobs WHERE org_id = %s", [org.id])
        return [kind for (kind,) in rows.fetchall()]

    return kinds


async def test_a_write_is_done_before_its_vector_is_made(
    service, org, monkeypatch, left, embedded, owner_connection
):
    async with process(service, org) as index:
        with held_back(await embedder_of(index), monkeypatch):
            await index.put("m1", "The zebra eats grass")
            assert (left(), embedded()) == (1, [])
            assert await index.ask("zebra", mode="lexical") == ["m1"]
        await vectors_are_there(owner_connection, org.id)
        assert embedded() == ["m1"]


@pytest.mark.parametrize("same_process", [True, False])
async def test_recall_waits_for_vectors_that_are_being_made(
    service, org, monkeypatch, same_process, embedded
):
    monkeypatch.setattr(underway, "PATIENCE_S", 60.0)
    async with process(service, org) as index, process(service, org) as other:
        asked = index if same_process else other
        assert await asked.ask("zebra") == []  # the model is loaded
        with held_back(await embedder_of(index), monkeypatch) as may_go_on:
            await index.put("m1", "A beverage made of leaves")
            asking = asyncio.create_task(asked.ask("drinking tea", mode="semantic"))
            await asyncio.sleep(0.1)
            assert not asking.done()
            may_go_on.set()
            assert await asking == ["m1"]
        assert embedded() == ["m1"]


@pytest.mark.parametrize("same_process", [True, False])
async def test_recall_does_not_wait_for_long(service, org, monkeypatch, same_process):
    async with process(service, org) as index, process(service, org) as other:
        asked = index if same_process else other
        await asked.ask("zebra")
        patient = (await embedder_of(asked)).embed_query

        async def embed_query(text, *, alone):  # the query's own vector is not held back
            may_go_on.set()
            return await patient(text, alone=alone)

        with held_back(await embedder_of(index), monkeypatch) as may_go_on:
            monkeypatch.setattr(await embedder_of(asked), "embed_query", embed_query)
            await index.put("m1", "The zebra eats grass")
            assert await asked.ask("zebra") == ["m1"]  # by its words


async def test_a_recall_waits_for_nothing_that_was_put_later(service, org, monkeypatch):
    """Others who write without a pause do not hold a recall up."""
    monkeypatch.setattr(underway, "PATIENCE_S", 60.0)
    async with process(service, org) as index, process(service, org) as other:
        await other.ask("zebra")
        scopes = ["memory/global:ana"]
        with held_back(await embedder_of(index), monkeypatch):
            await index.put("m1", "The zebra eats grass")
            begun = await begin(other.db, other.caller, "zebra", scopes)
            async with asyncio.timeout(30):
                await underway.wait_for(other.db, other.caller, scopes, begun.underway - 1)


async def test_vectors_of_a_transaction_that_failed_are_not_added(service, org, left, embedded):
    async with process(service, org) as index:
        with pytest.raises(ZeroDivisionError):
            async with index.db.begin(index.caller) as tx:
                await passages.put(tx, [document("m1", "The zebra eats grass")])
                raise ZeroDivisionError
        async with index.db.begin(index.caller) as tx:
            with pytest.raises(ZeroDivisionError):
                async with index.db.begin(index.caller) as step:
                    await passages.put(step, [document("m2", "The heron eats fish")])
                    raise ZeroDivisionError
            await passages.put(tx, [document("m3", "The otter eats clams")])
    assert (left(), embedded()) == (0, ["m3"])  # closing has waited


async def test_what_changed_meanwhile_keeps_its_own_vector(
    service, org, monkeypatch, left, embedded, owner_connection
):
    async with process(service, org) as index:
        with held_back(await embedder_of(index), monkeypatch):
            await index.put("m1", "The zebra eats grass")
            await index.put("m1", "The heron eats fish", updated_at=NOW + timedelta(seconds=1))
            await index.put("m2", "The otter eats clams")
            await index.drop("m2")
        await vectors_are_there(owner_connection, org.id)
        assert embedded() == ["m1"]
        assert (await index.ask("a bird that fishes", mode="semantic")) == ["m1"]


async def test_what_was_taken_out_does_not_come_back_in_the_vector_of_what_followed_it(
    service, org, monkeypatch, left, embedded, jobs_of
):
    """A turn is embedded with the one before it; if that is dropped meanwhile, a job embeds the turn anew."""
    async with process(service, org) as index:
        with held_back(await embedder_of(index), monkeypatch):
            await index.put("m1", "The password is xylophone77", session_id="s")
            await index.put("m2", "Thanks", session_id="s", before="The password is xylophone77")
            await index.drop("m1")
            assert left() == 0
    assert embedded() == []
    assert jobs_of() == ["embed"]


async def test_what_a_process_left_behind_is_handed_to_a_job(
    service, org, monkeypatch, left, embedded, jobs_of, owner_connection
):
    async with process(service, org) as index:
        with held_back(await embedder_of(index), monkeypatch):
            await index.put("m1", "The zebra eats grass")
            await underway.hand_over(index.db)
            assert (left(), jobs_of()) == (1, [])  # it may still be on its way
            owner_connection.execute(
                "UPDATE embeddings_underway SET since = now() - interval '1 minute' WHERE org_id = %s",
                [org.id],
            )
            assert await underway.hand_over(index.db) >= 1
            await underway.hand_over(index.db)
            assert (left(), jobs_of()) == (0, ["embed"])
        await index.db.services.get(Underway).finish()
        assert embedded() == []  # the process that was slow leaves it to the job too


async def test_the_job_embeds_what_was_left_behind(
    service, org, api, left, embedded, owner_connection
):
    saved = (await api.post("/memories", json={"key": "z", "value": "The zebra eats grass"})).json()
    await vectors_are_there(owner_connection, org.id)
    own = owner_connection
    own.execute("DELETE FROM passage_vectors WHERE org_id = %s", [org.id])
    own.execute(
        "INSERT INTO embeddings_underway (org_id, passage_id, scope_id, since)"
        " SELECT org_id, id, scope_id, now() - interval '1 minute' FROM passages WHERE org_id = %s",
        [org.id],
    )
    for _ in range(600):  # the service's worker looks every 5 s
        if embedded():
            break
        await asyncio.sleep(0.1)
    assert embedded() == [saved["id"]]
    assert left() == 0


async def test_a_database_that_is_closed_has_every_vector(service, org, left, embedded):
    async with process(service, org) as index:
        for number in range(8):
            await index.put(f"m{number}", f"Animal number {number} eats grass")
    assert left() == 0
    assert embedded() == [f"m{number}" for number in range(8)]
