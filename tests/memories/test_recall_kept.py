"""Of the candidates the best are read, and their rows along with them: the answer is the one that reading all would give."""

import pytest

from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.recall import search
from holdfast.memories import recall as recall_of_memories
from holdfast.memories.model import NewMemory, SavedMemory
from holdfast.memories.saving import save_memory
from tests.memories.test_recall_ahead import ask, process, save_all, scores, without_overlap

HIKES = "We hiked along the river and camped under the trees that night. "


async def save(db, caller, key: str, value: str, **fields) -> SavedMemory:
    return await save_memory(db, caller, NewMemory({"key": key, "value": value, **fields}))


def read_few(monkeypatch, number: int) -> None:
    """Have this many candidates read."""
    monkeypatch.setattr(search, "READ_AT_LEAST", number)
    monkeypatch.setattr(search, "READ_FOR_A_RESULT", 0)


@pytest.mark.parametrize("overlaps", [True, False])
async def test_the_passages_of_one_long_memory_crowd_out_no_other(
    service, org, monkeypatch, overlaps
):
    caller = org.caller()
    read_few(monkeypatch, 4)
    if not overlaps:
        without_overlap(monkeypatch)
    async with process(service) as db:
        await save(db, caller, "long", HIKES * 100)
        await save(db, caller, "lunch", "We had lunch by the river")
        await save(db, caller, "tent", "The tent is under the stairs")
        found = await ask(db, caller, "Where did we camp, along which river?", limit=3)
    assert [row.key for row in found.data] == ["long", "lunch", "tent"]


@pytest.mark.parametrize("overlaps", [True, False])
async def test_no_more_than_the_best_are_read(service, org, monkeypatch, overlaps):
    caller = org.caller()
    if not overlaps:
        without_overlap(monkeypatch)
    async with process(service) as db:
        for number in range(8):
            await save(db, caller, f"{number}", f"In year {number} we painted a wall")
        await save(db, caller, "tent", "The tent is by the river")
        await save(db, caller, "boat", "Our boat lies at the river")
        every = await ask(db, caller, "Where is the tent, where the boat?", limit=2)
        read_few(monkeypatch, 4)
        few = await ask(db, caller, "Where is the tent, where the boat?", limit=2)
    assert scores(few) == scores(every)


@pytest.mark.parametrize(
    ("query", "is_read"),
    [
        ("Where did Anna go?", False),
        ("Where did Anna go in May 2023?", True),  # what is neither close nor alike may be of then
        ("Where did Anna go for INV-1777?", True),
    ],
)
async def test_times_and_identifiers_are_looked_for_among_all(
    service, org, monkeypatch, query, is_read
):
    caller = org.caller()
    read_few(monkeypatch, 2)
    async with process(service) as db:
        for number in range(4):
            await save(db, caller, f"{number}", f"Anna did go to town {number}")
        other = await save(db, caller, "other", "We were on an island, as was Anna, once or twice")
        found = await ask(db, caller, query, limit=2, ids=(other.id,))
    [miss] = found.misses
    assert miss.reason == "crowded_out"
    assert ("it came 5 of 5" in miss.detail) is is_read


async def test_the_weights_of_an_org_decide_among_all(service, org, api, monkeypatch):
    caller = org.caller()
    read_few(monkeypatch, 2)
    async with process(service) as db:
        for number in range(6):
            await save(db, caller, f"{number}", f"The garden has {number} new apple trees")
        await save(db, caller, "pinned", "We ate an apple", pinned=True)
        query = "Which apple trees are in the garden?"
        assert (await ask(db, caller, query, limit=2)).data[0].key != "pinned"
        await api.patch("/org", json={"recall_weights": {"pinned": 1.0}})
        assert (await ask(db, caller, query, limit=2)).data[0].key == "pinned"
        await api.patch("/org", json={"recall_weights": {}})
        assert (await ask(db, caller, query, limit=2)).data[0].key != "pinned"


@pytest.mark.parametrize("likely", [0, 1, 9])
async def test_rows_that_were_not_read_along_are_read_afterwards(service, org, monkeypatch, likely):
    caller = org.caller()
    async with process(service) as db:
        await save_all(db, caller)
        before = scores(await ask(db, caller, limit=2))
        monkeypatch.setattr(recall_of_memories, "LIKELY", likely)
        monkeypatch.setattr(recall_of_memories.recall_answer, "SPARE", 0)
        assert scores(await ask(db, caller, limit=2)) == before


async def test_in_place_of_a_memory_that_is_gone_the_next_one_is_shown(service, org, monkeypatch):
    caller = org.caller()
    rows_by_id, read_rows = recall_of_memories.rows_by_id, recall_of_memories.read_rows
    async with process(service) as db:
        await save_all(db, caller)
        first, *others = (await ask(db, caller, limit=3)).data

        async def rows_without(rows, ids):
            return {id: row for id, row in (await rows_by_id(rows, ids)).items() if id != first.id}

        async def read_without(db, speaking, view, ids):
            return await read_rows(db, speaking, view, [id for id in ids if id != first.id])

        monkeypatch.setattr(recall_of_memories, "rows_by_id", rows_without)
        monkeypatch.setattr(recall_of_memories, "read_rows", read_without)
        found = await ask(db, caller, limit=2)
    assert [row.id for row in found.data] == [row.id for row in others]


async def test_another_process_reads_the_same_closely(service, org, monkeypatch):
    """Its recall waits for the vectors that the first one is still making, and for their tokens."""
    caller = org.caller()
    read_few(monkeypatch, 4)
    async with process(service) as one, process(service) as other:
        for number in range(8):
            await save(one, caller, f"{number}", f"In year {number} we painted a wall")
        await save(one, caller, "tent", "The tent is by the river")
        found = await ask(other, caller, "Where did we leave the tent?", limit=2)
        assert scores(found) == scores(
            await ask(one, caller, "Where did we leave the tent?", limit=2)
        )
    assert found.data[0].key == "tent"
    assert all("close_reading" in row.explain.parts for row in found.data)


@pytest.mark.parametrize("were_embedded", [True, False])
async def test_without_an_embedder_all_that_the_words_bring_is_read(
    service, org, monkeypatch, were_embedded
):
    caller = org.caller()
    read_few(monkeypatch, 2)
    words_alone = Database(service.app_url, services=[Embedders("none")])
    async with process(service) as embedding, words_alone.opened():
        for number in range(6):
            value = f"In year {number} we painted a wall"
            await save(embedding if were_embedded else words_alone, caller, f"{number}", value)
        found = await ask(words_alone, caller, "Which wall was painted?", limit=6)
    assert len(found.data) == 6
    assert not any({"semantic", "close_reading"} & set(row.explain.parts) for row in found.data)
