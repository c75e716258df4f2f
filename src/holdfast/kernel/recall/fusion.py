"""Candidates in, a ranking out: what speaks for each passage, added up.

The sum is convex rather than by ranks: each arm's score keeps its size, so that a passage both arms like goes first and the
score means the same from query to query. BM25 has no upper end; b / (b + HALF) brings it to 0..1.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from holdfast.kernel.recall.model import DEFAULT_IMPORTANCE, Arm, Candidate, Found, Hit, Mode
from holdfast.kernel.recall.times import NO_TIMES, Times

HALF = 18.0
RECENT_DAYS = 30.0
# Parts are whole multiples of one over this, a power of two: floating point adds those without error, in any order.
PER_UNIT = 2.0**20

# Meaning alone opens a list from the first of these on, and keeps adding to one that is open down to the second. Without
# a word in common and below both, nothing is said at all.
CREDIBLE_SIMILARITY = 0.25
FAINT_SIMILARITY = 0.1
# An identifier that more objects than this share does not decide between them.
MAX_IDENTIFIED = 10


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part may add to a score. The benchmark chose these; an org may set its own."""

    lexical: float = 0.5
    semantic: float = 0.5
    session: float = 0.22
    temporal: float = 0.25
    actor: float = 0.08
    spoken_by_user: float = 0.16
    recency: float = 0.02
    importance: float = 0.03
    pinned: float = 0.03

    @classmethod
    def of(cls, chosen: Mapping[str, float] | None) -> "Weights":
        """The defaults with what an org chose."""
        return cls(**{**asdict(cls()), **(chosen or {})})


@dataclass(frozen=True, slots=True)
class Asked:
    """What ranking knows about a question."""

    mode: Mode
    now: datetime
    times: Times = NO_TIMES
    names: frozenset[str] = frozenset()  # of those who speak here, that the query names
    semantic: bool = True  # whether the query has a vector
    identifiers: frozenset[str] = frozenset()  # that the query names


def fuse(candidates: Iterable[Candidate], asked: Asked, weights: Weights) -> Found:
    """Every object by its best passage, best first."""
    candidates = list(candidates)
    in_session = _best_of_sessions(candidates)
    is_open = _is_open(candidates, asked)
    best: dict[tuple[str, str], tuple[Hit, Candidate]] = {}
    for candidate in candidates:
        hit = _judge(candidate, asked, weights, in_session, is_open=is_open)
        known = best.get((candidate.kind, candidate.object_id))
        if known is None or hit.score > known[0].score:
            best[candidate.kind, candidate.object_id] = hit, candidate
    if asked.mode == "hybrid" and asked.identifiers:
        best = _identified_first(best, asked.identifiers)
    order = _lexical_order if asked.mode == "lexical" else _order
    ranked = sorted(best.values(), key=lambda pair: order(*pair), reverse=True)
    return Found(
        hits=[hit for hit, _ in ranked if hit.arms],
        faint=[hit for hit, _ in ranked if not hit.arms],
        semantic=asked.semantic,
    )


def _judge(
    candidate: Candidate,
    asked: Asked,
    weights: Weights,
    in_session: Mapping[str, float],
    *,
    is_open: bool,
) -> Hit:
    match asked.mode:
        case "lexical":
            parts = {"rank": candidate.rank / (candidate.rank + 1)}
        case "semantic":
            parts = {"semantic": max(candidate.similarity or 0.0, 0.0)}
        case "hybrid":
            parts = _hybrid_parts(candidate, asked, weights, in_session)
    parts = {name: kept for name, part in parts.items() if part and (kept := exact(part))}
    score = sum(parts.values())
    if not 0.0 <= score <= 1.0:
        bound = min(max(score, 0.0), 1.0)
        parts["bounds"] = bound - score
        score = bound
    return Hit(
        kind=candidate.kind,
        object_id=candidate.object_id,
        score=score,
        parts=parts,
        arms=_arms(candidate, asked, is_open=is_open),
        terms=tuple(candidate.terms),
        starts=candidate.starts,
        ends=candidate.ends,
    )


def _identified_first(
    best: dict[tuple[str, str], tuple[Hit, Candidate]], identifiers: frozenset[str]
) -> dict[tuple[str, str], tuple[Hit, Candidate]]:
    """Lift the objects that hold an identifier of the query above all others, in the order that they have."""
    held = {
        name
        for name, (hit, _) in best.items()
        if hit.arms and not identifiers.isdisjoint(hit.terms)
    }
    if not 0 < len(held) <= MAX_IDENTIFIED:
        return best
    top = max((hit.score for name, (hit, _) in best.items() if name not in held), default=0.0)
    return {
        name: (_lifted(hit, top) if name in held else hit, candidate)
        for name, (hit, candidate) in best.items()
    }


def _lifted(hit: Hit, above: float) -> Hit:
    """The hit with a score between `above` and 1."""
    part = exact(above * (1.0 - hit.score))
    return hit._replace(score=hit.score + part, parts={**hit.parts, "identifier": part})


def _hybrid_parts(
    candidate: Candidate, asked: Asked, weights: Weights, in_session: Mapping[str, float]
) -> dict[str, float]:
    # Where there are no vectors to compare, the words speak for both.
    compared = asked.semantic and candidate.embedded
    word_weight = weights.lexical + (0.0 if compared else weights.semantic)
    days = max((asked.now - candidate.updated_at).total_seconds() / 86_400, 0.0)
    parts = {
        "lexical": word_weight * saturated(candidate.lexical),
        "semantic": weights.semantic * max(candidate.similarity or 0.0, 0.0),
        "recency": weights.recency * RECENT_DAYS / (RECENT_DAYS + days),
        "importance": weights.importance * (candidate.importance - DEFAULT_IMPORTANCE) / 5,
        "pinned": weights.pinned * candidate.pinned,
    }
    if candidate.session_id is not None:
        parts["session"] = weights.session * in_session[candidate.session_id]
    if asked.times:
        parts["temporal"] = weights.temporal * asked.times.fit(candidate.at)
    if candidate.actor:
        actor = candidate.actor.lower()
        parts["actor"] = weights.actor * (not asked.names.isdisjoint(actor.split()))
        parts["spoken_by_user"] = weights.spoken_by_user * (actor in ("user", "human"))
    return parts


def exact(part: float) -> float:
    """A part as it is added up and shown."""
    return round(part * PER_UNIT) / PER_UNIT


def saturated(bm25: float) -> float:
    """BM25 between 0 and 1."""
    return bm25 / (bm25 + HALF)


def _best_of_sessions(candidates: Iterable[Candidate]) -> dict[str, float]:
    """How well the best passage of each session fits by its words: what was said around it gains by it."""
    best: dict[str, float] = defaultdict(float)
    for candidate in candidates:
        if candidate.session_id is not None:
            best[candidate.session_id] = max(
                best[candidate.session_id], saturated(candidate.lexical)
            )
    return best


def _is_open(candidates: Iterable[Candidate], asked: Asked) -> bool:
    """Whether something credible was found: a word of the query (not one only spelled like it), or a close meaning."""
    return any(
        (asked.mode == "hybrid" and each.whole) or (each.similarity or 0.0) >= CREDIBLE_SIMILARITY
        for each in candidates
    )


def _arms(candidate: Candidate, asked: Asked, *, is_open: bool) -> tuple[Arm, ...]:
    """Which arms found it. None: what speaks for it is no more than chance."""
    arms: list[Arm] = []
    by_words = asked.mode == "lexical" or (asked.mode == "hybrid" and is_open)
    if by_words and candidate.lexical > 0:
        arms.append("lexical")
    floor = FAINT_SIMILARITY if is_open else CREDIBLE_SIMILARITY
    if asked.mode != "lexical" and (candidate.similarity or 0.0) >= floor:
        arms.append("semantic")
    return tuple(arms)


def _order(hit: Hit, candidate: Candidate) -> tuple[float, datetime, str]:
    return hit.score, candidate.updated_at, candidate.object_id


def _lexical_order(hit: Hit, candidate: Candidate) -> tuple[float, bool, int, datetime, str]:
    """ts_rank_cd, then pinned, importance, the latest change."""
    return (
        candidate.rank,
        candidate.pinned,
        candidate.importance,
        candidate.updated_at,
        hit.object_id,
    )
