"""A recall that asks the index before it knows the names in the query: as many round trips as said, and the same answers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.recall import vectors
from holdfast.kernel.recall.ahead import MAX_CALLERS, MAX_NAMES, KnownNames
from holdfast.kernel.recall.answer import Ask
from holdfast.memories.model import ANYWHERE, NewMemory
from holdfast.memories.recall import RecalledMemories, recall
from holdfast.memories.saving import save_memory

SAID = (
    ("Caroline", "I started painting sunsets over the lake last summer"),
    ("Melanie", "My children went camping in the mountains with their cousins"),
    ("Caroline", "The adoption agency called me back on Friday"),
)
QUERY = "What did Caroline paint last year?"


class CountedReads(Database):
    """Counts the round trips of single reads."""

    reads = 0

    async def _read_alone(self, *args):
        self.reads += 1
        return await super()._read_alone(*args)


@asynccontextmanager
async def process(service) -> AsyncIterator[CountedReads]:
    """The database as a process sees it that has just started."""
    db = CountedReads(service.app_url, min_size=1, max_size=4, services=[Embedders("local")])
    async with db.opened():
        await vectors.start(db)
        yield db


async def ask(db: Database, caller, query: str = QUERY, **fields) -> RecalledMemories:
    asked = Ask(query=query, field="q", kinds=("memory",), whole=True, explain=True, **fields)
    return await recall(db, caller, ANYWHERE, asked)


def scores(found: RecalledMemories) -> list[tuple[str, float]]:
    """Without what the time of the call adds: recency is rounded to a millionth."""
    return [(row.key, round(row.score, 4)) for row in found.data]


async def save_all(db: Database, caller) -> None:
    for number, (speaker, text) in enumerate(SAID):
        fields = {"key": f"turn {number}", "value": text, "source": speaker}
        await save_memory(db, caller, NewMemory(fields))


async def test_names_are_guessed_once_they_are_known(service, org):
    caller = org.caller()
    async with process(service) as db:
        await save_all(db, caller)
        taken, answers = [], []
        for _ in range(3):
            before = db.reads
            answers.append(scores(await ask(db, caller)))
            taken.append(db.reads - before)
    # The first time the name is not known, and the index is asked again.
    assert taken == [3, 2, 2]
    assert answers[0][0][0] == "turn 0"
    assert answers[0] == answers[1] == answers[2]


async def test_a_guess_changes_no_answer(service, org):
    """Names that came up since, in another process, count at once; those of another user do not."""
    ana, bob = org.caller("ana", user_is_new=True), org.caller("bob", user_is_new=True)
    query = "Was it the lake that the summer painting showed?"
    async with process(service) as old, process(service) as new:
        await save_all(new, ana)
        before = scores(await ask(old, ana, query))
        assert before == scores(await ask(old, ana, query))
        named = {"key": "turn 3", "value": "Summer was here", "source": "Summer Lake"}
        await save_memory(new, ana, NewMemory(named))
        after = await ask(old, ana, query)
        assert (
            scores(after)
            == scores(await ask(old, ana, query))
            == scores(await ask(new, ana, query))
        )
        assert "actor" in next(row for row in after.data if row.key == "turn 3").explain.parts
        await save_all(new, bob)
        assert scores(await ask(old, bob, query)) == before


@pytest.mark.parametrize("fields", [{"mode": "lexical"}, {"mode": "semantic"}, {"graph": True}])
async def test_other_recalls_find_the_same_with_names_known_or_not(service, org, fields):
    caller = org.caller()
    async with process(service) as db:
        await save_all(db, caller)
        first = scores(await ask(db, caller, **fields))
        await ask(db, caller)
        assert first == scores(await ask(db, caller, **fields))
        assert first[0][0] == "turn 0"


def test_names_are_known_by_caller_and_forgotten(org):
    known, ana, bob = KnownNames(), org.caller("ana"), org.caller("bob")
    known.learn(ana, {"caroline", "paint"}, frozenset({"caroline"}))
    assert known.among(ana, {"caroline", "tea"}) == {"caroline"}
    assert not known.among(bob, {"caroline"})
    known.learn(ana, {"caroline", "melanie"}, frozenset({"melanie"}))
    assert known.among(ana, {"caroline", "melanie"}) == {"melanie"}
    many = frozenset(f"name{n}" for n in range(MAX_NAMES))
    known.learn(ana, set(many), many)
    assert not known.among(ana, {"melanie"})
    for number in range(MAX_CALLERS):
        known.learn(org.caller(f"user-{number}"), {"x"}, frozenset({"x"}))
    assert not known.among(ana, set(many))
