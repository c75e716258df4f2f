"""One recall for every face: what was asked, where the caller may look, what comes back.

A face contributes a `View`: the scopes in which its passages lie and the readers that show what was found, each under the
face's own rules. `answer` embeds the query, asks the index once over all views, reads the best, fits them into the
budget, and gives a reason for each id that was asked about and is not among them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from holdfast.kernel import clock, usage
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.recall.ahead import Searched
from holdfast.kernel.recall.budget import fitting
from holdfast.kernel.recall.explain import why_not
from holdfast.kernel.recall.model import KINDS, Found, Hit, Kind, Miss, Mode, Question
from holdfast.kernel.recall.query import Explanation, Matched, check_ids, check_query
from holdfast.kernel.recall.search import Begun, Understood, rank, understand
from holdfast.kernel.recall.slow import SlowRecalls, Stopwatch, report

# How many more than were asked for are read at first: some may be gone since they were indexed, or be left out by a reader. Where
# rows were read along with the search none are: those that are missing there are read, and others only for one that is gone.
SPARE = 2
# How many are read at once where a budget of tokens may pass some over.
READ_FOR_BUDGET = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What to recall, and in which form. `field` is what the face calls the query."""

    query: str
    field: str = "query"
    kinds: tuple[Kind, ...] | None = None  # None: all that the views can read, of KINDS
    labels: tuple[str, ...] = ()  # only what carries all of these
    limit: int = 10
    mode: Mode = "hybrid"
    min_score: float | None = None
    max_tokens: int | None = None
    graph: bool = False
    explain: bool = False
    ids: tuple[str, ...] = ()
    now: datetime | None = None
    whole: bool = (
        False  # results are whole objects: their tokens count, not those of the best passage
    )


@dataclass(frozen=True, slots=True)
class Thing:
    """An object as its face shows it, and the content that its passages were cut from."""

    content: str
    object: Any


Reader = Callable[[Sequence[str]], Awaitable[Mapping[str, Thing]]]
"""Reads objects of one kind by their ids, as far as the caller may see them."""

Why = Callable[[Sequence[str]], Awaitable[list[Miss]]]
"""Says of ids that cannot be read why not, where the face knows (`expired`, `superseded`)."""

Walk = Callable[[Question, Found], Awaitable[Found]]
"""Adds what links lead to from what was found."""


@dataclass(frozen=True, slots=True)
class View:
    """Where a caller may look in one face, and how what is found there is read.

    `begun` is what the face already asked for in the round trip that found the scopes. `walk` is taken where the call asks
    for the graph; it starts from hits of the kinds in `walk_from` too, which are searched but not shown for that.
    """

    scopes: tuple[str, ...]
    readers: Mapping[Kind, Reader]
    workspace_id: str | None = None
    begun: Begun | None = None
    why: Why | None = None
    walk: Walk | None = None
    walk_from: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class RecalledThing:
    """Something that was recalled: its best passage, itself, and how it was found."""

    kind: Kind
    id: str
    text: str
    object: Any
    score: float
    matched: Matched
    explain: Explanation | None = None


@dataclass(frozen=True, slots=True)
class RecalledThings:
    """What a recall answers; `misses` for the ids that were asked about and are not in `data`."""

    data: list[RecalledThing]
    tokens: int
    misses: list[Miss]


def check(ask: Ask) -> None:
    """Refuse a query or a list of ids that is out of bounds."""
    check_query(ask.query, field=ask.field)
    check_ids(ask.ids)


async def answer(
    db: Database,
    caller: Caller,
    ask: Ask,
    views: Sequence[View],
    asked: Understood | None = None,
    searched: Searched | None = None,
) -> RecalledThings:
    """What fits a query best, of all that the views let the caller see. `asked` is the query as `understand` gave it, for a
    caller that sends several questions in one round trip; `searched` is what was found already."""
    check(ask)
    readers = {kind: reader for view in views for kind, reader in view.readers.items()}
    wanted = KINDS if ask.kinds is None else ask.kinds
    kinds = tuple(kind for kind in readers if kind in wanted)
    walks = [view for view in views if ask.graph and view.walk and _shows(view, kinds)]
    question = question_of(ask, kinds, views, walks)
    if searched is None:
        watch = Stopwatch()
        if asked is None:
            begun = views[0].begun if len(views) == 1 else None
            asked = await understand(db, caller, question, begun)
        watch.step("embedding")
        found = await rank(db, caller, question, asked)
        watch.step("search")
    else:
        watch, asked, found = searched.watch, searched.asked, searched.found
    for view in walks:
        if view.walk is not None:
            found = await view.walk(question, found)
    if walks:  # which start from kinds that are not shown
        found = replace(found, hits=[hit for hit in found.hits if hit.kind in kinds])
    data, tokens = await _shown(
        db, caller, ask, readers, found, spare=SPARE if searched is None else 0
    )
    watch.step("reading")
    usage.current().tokens += tokens
    report(db.services.get(SlowRecalls), watch, question, found, data)
    misses: list[Miss] = []
    if ask.explain:
        shown = {each.id for each in data}
        missed = [id for id in dict.fromkeys(ask.ids) if id not in shown]
        misses = await _misses(
            missed, views, kinds, _Explaining(db, caller, ask, question, asked, found)
        )
    return RecalledThings(data, tokens, misses)


def _shows(view: View, kinds: Sequence[Kind]) -> bool:
    return any(kind in view.readers for kind in kinds)


def question_of(
    ask: Ask,
    kinds: Sequence[Kind],
    views: Sequence[View] = (),
    walks: Sequence[View] = (),
) -> Question:
    """What the index is asked; without views, where to look is left open."""
    searched = dict.fromkeys((*kinds, *(kind for view in walks for kind in view.walk_from)))
    return Question(
        text=ask.query,
        scopes=tuple(scope for view in views for scope in view.scopes),
        kinds=tuple(searched),
        now=ask.now or clock.now(),
        mode=ask.mode,
        workspace_id=next((view.workspace_id for view in views if view.workspace_id), None),
        labels=ask.labels,
        limit=ask.limit,
    )


async def _shown(
    db: Database,
    caller: Caller,
    ask: Ask,
    readers: Mapping[Kind, Reader],
    found: Found,
    *,
    spare: int,
) -> tuple[list[RecalledThing], int]:
    """The best that can be read, as many as fit. Reads as many as are wanted and the spare ones, and more of them only where those
    do not suffice."""
    hits, first = _hits_to_read(ask, found), at_once(ask, spare=spare)
    readable: list[RecalledThing] = []
    while hits and len(readable) < ask.limit:
        best = list(hits[:first])
        things = await _read(db, caller, readers, best)
        readable += [
            _recalled(thing, hit, ask)
            for hit in best
            if (thing := things.get((hit.kind, hit.object_id))) is not None
        ]
        hits, first = hits[first:], READ_FOR_BUDGET
    return fitting(readable, lambda each: each.text, limit=ask.limit, max_tokens=ask.max_tokens)


def read_first(ask: Ask, found: Found) -> list[str]:
    """The objects that `answer` reads at first of what was searched already."""
    hits = _hits_to_read(ask, found)
    return [hit.object_id for hit in hits[: at_once(ask, spare=0)]]


def _hits_to_read(ask: Ask, found: Found) -> Sequence[Hit]:
    """What may be shown."""
    if ask.min_score is None:
        return found.hits
    return [hit for hit in found.hits if hit.score >= ask.min_score]


def at_once(ask: Ask, *, spare: int = SPARE) -> int:
    """How many objects are read at first."""
    return ask.limit + spare if ask.max_tokens is None else READ_FOR_BUDGET


async def _read(
    db: Database, caller: Caller, readers: Mapping[Kind, Reader], hits: Sequence[Hit]
) -> dict[tuple[Kind, str], Thing]:
    """What was found, of all kinds in one round trip."""
    by_kind: dict[Kind, list[str]] = {}
    for hit in hits:
        by_kind.setdefault(hit.kind, []).append(hit.object_id)
    if len(by_kind) == 1:  # no task of its own, which gather would make
        read = [await readers[kind](ids) for kind, ids in by_kind.items()]
    else:
        async with db.together(caller):
            read = await asyncio.gather(*(readers[kind](ids) for kind, ids in by_kind.items()))
    return {
        (kind, id): thing
        for kind, things in zip(by_kind, read, strict=True)
        for id, thing in things.items()
    }


def _recalled(thing: Thing, hit: Hit, ask: Ask) -> RecalledThing:
    # What only the graph led to has no passage of its own: it is shown whole.
    passage = "" if ask.whole else hit.passage_of(thing.content)
    return RecalledThing(
        kind=hit.kind,
        id=hit.object_id,
        text=passage or thing.content,
        object=thing.object,
        score=hit.score,
        matched=Matched.of(hit),
        explain=Explanation.of(hit) if ask.explain else None,
    )


# --- why not ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Explaining:
    """What `why_not` is asked with."""

    db: Database
    caller: Caller
    ask: Ask
    question: Question
    asked: Understood
    found: Found

    async def why_not(self, kind: Kind, ids: Sequence[str]) -> list[Miss]:
        return await why_not(
            self.db,
            self.caller,
            self.question,
            self.asked,
            self.found,
            kind,
            ids,
            min_score=self.ask.min_score,
        )


async def _misses(
    missed: Sequence[str], views: Sequence[View], kinds: Sequence[Kind], explaining: _Explaining
) -> list[Miss]:
    """A reason for each id: that of the index where the object can be read, else what its face knows of it."""
    if not missed:
        return []
    reasons: dict[str, Miss] = {}
    for view in views:
        for kind, reader in view.readers.items():
            readable = await reader(missed)
            there = [id for id in missed if id in readable]
            reasons |= {
                miss.id: miss
                for miss in (
                    await explaining.why_not(kind, there)
                    if kind in kinds
                    else [_of_another_kind(id, kind) for id in there]
                )
            }
        rest = [id for id in missed if id not in reasons]
        if view.why is not None and rest:
            reasons |= {miss.id: miss for miss in await view.why(rest)}
    unknown = "there is no such thing, or this call may not see it"
    return [reasons.get(id) or Miss(id, "not_found", unknown) for id in missed]


def _of_another_kind(id: str, kind: Kind) -> Miss:
    return Miss(id, "no_match", f"it is of the kind {kind}, which this call does not search")
