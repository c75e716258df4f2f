"""A recall that asks the index before it knows the names in the query: as many round trips as said, and the same answers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import psycopg
import pytest

from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.recall import search, vectors
from holdfast.kernel.recall.ahead import MAX_CALLERS, MAX_NAMES, KnownNames
from holdfast.kernel.recall.answer import Ask
from holdfast.kernel.recall.underway import Underway
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
    """Counts the reads that take a connection."""

    reads = 0

    async def _read_alone(self, *args):
        self.reads += 1
        return await super()._read_alone(*args)


@asynccontextmanager
async def process(service) -> AsyncIterator[CountedReads]:
    """The database as a process sees it that has just started."""
    db = CountedReads(service.app_url, min_size=2, max_size=4, services=[Embedders("local")])
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
    await db.services.get(Underway).finish()


async def test_names_are_guessed_once_they_are_known(service, org):
    caller = org.caller()
    async with process(service) as db:
        await save_all(db, caller)
        taken, answers = [], []
        for _ in range(3):
            before = db.reads
            answers.append(scores(await ask(db, caller)))
            taken.append(db.reads - before)
    # The first time the name is not known: the index is asked again, and then the rows are read.
    assert taken == [3, 1, 1]
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


def without_overlap(monkeypatch) -> None:
    monkeypatch.setattr(Database, "overlaps", property(lambda _: False))


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        (QUERY, {}),
        ("sunsets, agancy; camping", {}),  # one word is spelled otherwise
        ("children", {"labels": ("category:fact",)}),
        ("children", {"labels": ("tag:none",)}),  # what is found may not be shown
        ("zzz", {"limit": 50}),
        ("'quoted \\\\ \"words\" {and} braces'", {}),
    ],
)
async def test_words_are_looked_up_while_a_query_is_embedded(
    service, org, monkeypatch, query, fields
):
    caller = org.caller()
    async with process(service) as db:
        assert (await ask(db, caller, query, **fields)).data == []
        await save_all(db, caller)
        statements = []
        in_turn = Database.in_turn

        async def noted(self, caller, first, *others):
            statements.append(first.query.name)
            return await in_turn(self, caller, first, *others)

        monkeypatch.setattr(Database, "in_turn", noted)
        overlapped = await ask(db, caller, query, **fields)
        without_overlap(monkeypatch)
        one_by_one = await ask(db, caller, query, **fields)
    assert statements == ["recall_sight_and_words", "recall_sight"]
    assert scores(overlapped) == scores(one_by_one)
    assert [row.matched for row in overlapped.data] == [row.matched for row in one_by_one.data]


@pytest.mark.parametrize(("overlaps", "per_arm"), [(True, 3), (True, 5), (False, 5)])
async def test_what_may_not_be_shown_takes_no_place_of_what_may(
    service, org, monkeypatch, overlaps, per_arm
):
    """Passages of another category fill both arms; behind them lie one with a word of the query and one without."""
    monkeypatch.setattr(search, "PER_ARM", per_arm)
    caller = org.caller()
    texts = ["camping in the mountains", *["camping"] * 4, "a tent and a trail in the hills"]
    async with process(service) as db:
        for number, text in enumerate(texts):
            category = "decision" if number in (0, 5) else "fact"
            fields = {"key": f"turn {number}", "value": text, "category": category}
            await save_memory(db, caller, NewMemory(fields))
        if not overlaps:
            without_overlap(monkeypatch)
        found = await ask(db, caller, "camping", labels=("category:decision",))
    assert [row.key for row in found.data] == ["turn 0", "turn 5"]
    assert found.data[0].matched.arms == ["lexical", "semantic"]


async def test_workspaces_and_sight_hold_while_a_query_is_embedded(service, org, api):
    """What is kept for the second statement are the scopes and the workspace of the caller."""
    await api.patch("/org", json={"workspaces_enabled": True})
    ana, bob = org.caller("ana", user_is_new=True), org.caller("bob", user_is_new=True)
    elsewhere = replace(ana, workspace_id="other")
    async with process(service) as db:
        await save_all(db, ana)
        assert [row.key for row in (await ask(db, ana)).data][:1] == ["turn 0"]
        assert (await ask(db, elsewhere)).data == []
        assert (await ask(db, bob)).data == []


async def test_an_embedder_that_fails_meanwhile_leaves_the_words(service, org, monkeypatch):
    caller = org.caller()
    async with process(service) as db:
        await save_all(db, caller)
        embedder = await db.services.get(Embedders).serving()

        def fails(*_, **__):
            raise RuntimeError("no memory left")

        monkeypatch.setattr(embedder._model, "embed", fails)
        found = await ask(db, caller, "camping in the mountains")
    assert [row.key for row in found.data] == ["turn 1"]
    assert found.data[0].matched.arms == ["lexical"]


async def test_what_was_kept_is_of_one_transaction_and_org(service, org, make_org):
    other_org = await make_org()
    ahead = "SELECT recall_words_ahead(%s, '{memory/user:ana}', NULL, 'tea', '')"
    ask = (
        "SELECT object_id FROM recall_candidates(%s, NULL, '{memory}', NULL, '{}', 'tea', '', NULL, NULL, 10, 10, now(),"
        " false, NULL, NULL)"
    )
    enter = "SELECT set_config('role', 'holdfast_app', true), set_config('holdfast.org', %s, true)"
    with psycopg.connect(service.app_url) as raw:
        raw.execute(enter, [org.id])
        raw.execute(ahead, [org.id])
        assert raw.execute(ask, [org.id]).fetchall() == []
        raw.commit()
        raw.execute(enter, [org.id])
        with pytest.raises(psycopg.errors.RaiseException, match="not called in this transaction"):
            raw.execute(ask, [org.id])
        raw.rollback()
        raw.execute(enter, [org.id])
        raw.execute(ahead, [org.id])
        raw.execute(enter, [other_org.id])
        with pytest.raises(psycopg.errors.RaiseException, match="not called in this transaction"):
            raw.execute(ask, [other_org.id])


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
