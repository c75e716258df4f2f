"""Candidates in, a ranking out: what speaks for each passage, added up.

The sum is convex rather than by ranks: each arm's score keeps its size, so that a passage both arms like goes first. BM25 has
no upper end; b / (b + HALF) brings it to 0..1. Where the passages were read closely, the sums of a query are then scaled so
that its best result has the query's confidence (confidence.py): a score means the same from query to query and scope to scope.

Everything is computed for all candidates at once, on arrays; an object is made only for what is shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.kernel.recall.closeness import expected_closeness
from holdfast.kernel.recall.columns import Columns, Fields, Floats
from holdfast.kernel.recall.confidence import OPEN, Evidence, confidence
from holdfast.kernel.recall.lazy import LazyHits, LazyParts
from holdfast.kernel.recall.model import DEFAULT_IMPORTANCE, Arm, Found, Hit, Kind, Mode
from holdfast.kernel.recall.times import NO_TIMES, Times

RECENT_DAYS = 30.0
# Parts are whole multiples of one over this, a power of two: floating point adds those without error, in any order.
PER_UNIT = 2.0**20

# Without close reading, meaning alone opens a list from the first of these on. An open list takes what is close in meaning
# down to the second.
CREDIBLE_SIMILARITY = 0.25
FAINT_SIMILARITY = 0.1
# An identifier that more objects than this share does not decide between them.
MAX_IDENTIFIED = 10


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part may add to a score, before scaling. The benchmark chose these; an org may set its own."""

    lexical: float = 0.5
    semantic: float = 0.5
    session: float = 0.22
    temporal: float = 0.25
    actor: float = 0.08
    spoken_by_user: float = 0.16
    recency: float = 0.02
    importance: float = 0.03
    pinned: float = 0.03
    close_reading: float = 0.5
    preference: float = 0.1

    @classmethod
    def of(cls, chosen: Mapping[str, float] | None) -> "Weights":
        """The defaults with what an org chose."""
        return replace(DEFAULTS, **chosen) if chosen else DEFAULTS


DEFAULTS = Weights()


@dataclass(frozen=True, slots=True)
class Asked:
    """What ranking knows about a question."""

    mode: Mode
    now: datetime
    times: Times = NO_TIMES
    names: frozenset[str] = frozenset()  # of those who speak here, that the query names
    semantic: bool = True  # whether the query has a vector
    identifiers: frozenset[str] = frozenset()  # that the query names
    tokens: bytes | None = None  # of the query, for close reading
    first_person: bool = False  # it asks about the one who asks

    @property
    def closely(self) -> bool:
        """Whether the candidates are read closely."""
        return bool(self.tokens) and self.mode == "hybrid"


def fuse(candidates: Sequence[tuple[Any, ...]], asked: Asked, weights: Weights) -> Found:
    """Every object by its best passage, best first. Each candidate is a `Candidate`, or its fields in their order."""
    return Fusion(candidates, asked, weights).found()


class Fusion:
    """A ranking in two steps: what is likely to come first can be read while the candidates are read closely."""

    def __init__(
        self, candidates: Sequence[tuple[Any, ...]], asked: Asked, weights: Weights
    ) -> None:
        """Each candidate is a `Candidate`, or its fields in their order."""
        self._asked, self._weights = asked, weights
        self._view = Columns.of(candidates, semantic=asked.semantic) if candidates else None
        self._known: dict[str, Floats] = {}  # parts that close reading does not change

    def likely(self, most: int) -> list[str]:
        """The objects of the best candidates, so many of these, if each were as close as its like are."""
        view, asked = self._view, self._asked
        if view is None:
            return []
        parts = _parts(view, view.expected if asked.closely else None, asked, self._weights)
        if asked.closely:
            self._known = parts
        scores: Floats = np.array([*parts.values()]).sum(axis=0)
        identified = _identified(view, asked)
        if identified is not None:
            scores += identified
        best = np.argsort(-scores)[:most].tolist()
        return list(dict.fromkeys(view.fields.object_id[place] for place in best))

    def found(self) -> Found:
        """Every object by its best passage, best first."""
        view, asked = self._view, self._asked
        if view is None:
            return Found([], [], asked.semantic)
        close = view.read_closely(asked.tokens) if asked.closely and asked.tokens else None
        if self._known and close is not None:
            parts = self._known | _close_parts(view, close, self._weights)
        else:
            parts = _parts(view, close, asked, self._weights)
        sure = None if close is None else _confidence(view, close, asked)
        parts, scores = _scaled(parts, sure)
        identified = _identified(view, asked)
        if identified is not None:
            _lift(parts, scores, identified, view.fields.object_id)
        is_open = identified is not None or _is_open(view, asked, sure)
        lexically = asked.mode == "lexical"
        order = _lexical_order(view.fields) if lexically else _order(view, scores)
        return _found(view, asked, order, parts, scores, is_open=is_open)


def _parts(
    view: Columns, close: Floats | None, asked: Asked, weights: Weights
) -> dict[str, Floats]:
    """What speaks for each candidate; `close` is how close each is, None where they are not read closely. A part that none has
    may be missing."""
    match asked.mode:
        case "lexical":
            rank = np.array(view.fields.rank)
            return {"rank": rank / (rank + 1)}
        case "semantic":
            return {"semantic": view.similarity}
        case "hybrid":
            return _hybrid_parts(view, close, asked, weights)


def _hybrid_parts(
    view: Columns, close: Floats | None, asked: Asked, weights: Weights
) -> dict[str, Floats]:
    fields = view.fields
    close_weight = 0.0 if close is None else weights.close_reading
    # Where there are no vectors to compare, the words speak for both.
    words_alone = weights.lexical + (weights.semantic + close_weight)
    days = np.maximum((asked.now.timestamp() - np.array(fields.updated_s)) / 86_400, 0.0)
    parts = {
        "lexical": np.where(view.compared, weights.lexical, words_alone) * view.lexical,
        "semantic": weights.semantic * view.similarity,
        "recency": weights.recency * RECENT_DAYS / (RECENT_DAYS + days),
    }
    if set(fields.importance) != {DEFAULT_IMPORTANCE}:
        importance = np.array(fields.importance, np.float64)
        parts["importance"] = weights.importance * (importance - DEFAULT_IMPORTANCE) / 5
    if any(fields.pinned):
        parts["pinned"] = weights.pinned * np.array(fields.pinned, np.float64)
    parts |= _close_parts(view, close, weights)
    if any(fields.preference):
        own = np.array([actor not in _ASSISTANTS for actor in fields.actor])
        parts["preference"] = weights.preference * own * np.array(fields.preference, np.float64)
    if asked.times:
        fits = np.array([asked.times.fit(each) for each in fields.at])
        parts["temporal"] = weights.temporal * fits
    return parts | _actor_parts(fields.actor, asked, weights)


def _close_parts(view: Columns, close: Floats | None, weights: Weights) -> dict[str, Floats]:
    """The parts that close reading changes."""
    parts = {"session": weights.session * _best_of_sessions(view, close)}
    if close is not None:
        parts["close_reading"] = weights.close_reading * close * view.compared
    return parts


_ASSISTANTS = frozenset({"assistant", "ai", "bot", "model", "system"})


def _actor_parts(actors: Sequence[str | None], asked: Asked, weights: Weights) -> dict[str, Floats]:
    lowered = {actor: actor.lower() for actor in set(actors) if actor}
    named = {a for a, low in lowered.items() if not asked.names.isdisjoint(low.split())}
    users = {a for a, low in lowered.items() if low in ("user", "human")}
    parts = {}
    if named:
        parts["actor"] = weights.actor * np.array([actor in named for actor in actors])
    if users:
        by_user = np.array([actor in users for actor in actors])
        parts["spoken_by_user"] = weights.spoken_by_user * by_user
    return parts


def _best_of_sessions(view: Columns, close: Floats | None) -> Floats:
    """How well the best passage of its session fits, by its words and by its tokens: what was said around it gains by that.

    By tokens, a passage outside of sessions counts as a session of its own: it does not lose to the others, and gains nothing by
    them.
    """
    sessions = view.sessions
    fit = np.where(sessions.alone, 0.0, sessions.best(view.lexical))
    if close is None:
        return fit
    # Where there is no vector yet, the words speak for the tokens too.
    close = np.maximum(np.where(view.compared, close, view.lexical), 0.0)
    return fit + np.where(sessions.alone, close, sessions.best(close))


def exact(part: float) -> float:
    """A part as it is added up and shown."""
    return round(part * PER_UNIT) / PER_UNIT


# --- how sure ---------------------------------------------------------------------------------------------------------


def _confidence(view: Columns, close: Floats, asked: Asked) -> float:
    """How sure it is that something here answers the query."""
    whole = np.array(view.fields.whole, np.bool_)
    words = view.lexical * whole
    # Where there is no vector yet, the words speak for all.
    similarity = np.where(view.compared, view.similarity, words)
    close = np.where(view.compared, close, expected_closeness(words))
    return confidence(
        Evidence(
            similarity=float(similarity.max()),
            closeness=float(close.max()),
            lexical=float(words.max()),
            scope_size=view.fields.scope_size[0],
            names_a_speaker=bool(asked.names),
            first_person=asked.first_person,
        )
    )


def _scaled(parts: dict[str, Floats], sure: float | None) -> tuple[dict[str, Floats], Floats]:
    """The parts as they are shown, and their sums; where it is known how sure the query is, its best result scores that. Sums lie
    between 0 and 1, and what that takes is a part of its own."""
    rows = np.array([*parts.values()])
    factor = 1.0
    if sure is not None:
        factor = sure / max(float(rows.sum(axis=0).max()), 1e-9)
    rows = np.rint(rows * (factor * PER_UNIT)) / PER_UNIT
    total: Floats = rows.sum(axis=0)
    bounded = total.clip(0.0, 1.0)
    return {**dict(zip(parts, rows, strict=True)), "bounds": bounded - total}, bounded


def _is_open(view: Columns, asked: Asked, sure: float | None) -> bool:
    """Whether something credible was found, so that there is an answer at all."""
    if sure is not None:
        return sure >= OPEN
    by_words = asked.mode == "hybrid" and any(view.fields.whole)
    return by_words or bool((view.similarity >= CREDIBLE_SIMILARITY).any())


# --- identifiers ------------------------------------------------------------------------------------------------------


def _identified(view: Columns, asked: Asked) -> npt.NDArray[np.bool_] | None:
    """Which candidates have an identifier of the query; None where none has, or many objects have it."""
    fields = view.fields
    if asked.mode != "hybrid" or not asked.identifiers:
        return None
    held = np.array([not asked.identifiers.isdisjoint(terms) for terms in fields.terms])
    objects = {id for id, has in zip(fields.object_id, held, strict=True) if has}
    return held if 0 < len(objects) <= MAX_IDENTIFIED else None


def _lift(
    parts: dict[str, Floats],
    scores: Floats,
    identified: npt.NDArray[np.bool_],
    objects: Sequence[str],
) -> None:
    """Bring what holds an identifier above all that does not, in the order that it has."""
    holders = {object_id for object_id, has in zip(objects, identified, strict=True) if has}
    others = np.array([object_id not in holders for object_id in objects])
    top = float(scores[others].max()) if others.any() else 0.0
    lift = np.where(identified, np.rint(top * (1.0 - scores) * PER_UNIT) / PER_UNIT, 0.0)
    parts["identifier"] = lift
    scores += lift


# --- order ------------------------------------------------------------------------------------------------------------


def _order(view: Columns, scores: Floats) -> list[int]:
    fields = view.fields
    # Tuples compare without a call for each: score, the latest change, the id.
    rows = zip(scores.tolist(), fields.updated_s, fields.object_id, range(len(scores)), strict=True)
    return [place for _, _, _, place in sorted(rows, reverse=True)]


def _lexical_order(fields: Fields) -> list[int]:
    """ts_rank_cd, then pinned, importance, the latest change."""
    by = (fields.rank, fields.pinned, fields.importance, fields.updated_s, fields.object_id)
    rows = zip(*by, range(len(fields.rank)), strict=True)
    return [place for *_, place in sorted(rows, key=itemgetter(0, 1, 2, 3, 4), reverse=True)]


def _found(
    view: Columns,
    asked: Asked,
    order: Sequence[int],
    parts: dict[str, Floats],
    scores: Floats,
    *,
    is_open: bool,
) -> Found:
    fields = view.fields
    arms = _arms(view, asked, is_open=is_open)
    if len(set(fields.object_id)) < len(order):  # an object has several passages: its best counts
        best: dict[tuple[Kind, str], int] = {}
        for place in order:
            best.setdefault((fields.kind[place], fields.object_id[place]), place)
        order = list(best.values())
    shown = [place for place in order if arms[place]]
    faint = [place for place in order if not arms[place]]
    made = partial(_hit, fields, arms, scores, parts)
    return Found(LazyHits(shown, made), LazyHits(faint, made), asked.semantic)


def _hit(
    fields: Fields,
    arms: Sequence[tuple[Arm, ...]],
    scores: Floats,
    parts: Mapping[str, Floats],
    place: int,
) -> Hit:
    return Hit(
        fields.kind[place],
        fields.object_id[place],
        float(scores[place]),
        LazyParts(parts, place),
        arms[place],
        tuple(fields.terms[place]),
        fields.starts[place],
        fields.ends[place],
    )


def _arms(view: Columns, asked: Asked, *, is_open: bool) -> list[tuple[Arm, ...]]:
    """Which arms found each. None of them: what speaks for it is no more than chance."""
    by_words = asked.mode == "lexical" or (asked.mode == "hybrid" and is_open)
    floor = FAINT_SIMILARITY if is_open else CREDIBLE_SIMILARITY
    by_meaning = asked.mode == "semantic" or (asked.mode == "hybrid" and is_open)
    worded = (view.lexical > 0) & by_words
    close = (view.similarity >= floor) & by_meaning
    return [_ARMS[number] for number in (worded + 2 * close).tolist()]


_ARMS: tuple[tuple[Arm, ...], ...] = ((), ("lexical",), ("semantic",), ("lexical", "semantic"))
