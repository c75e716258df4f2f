"""A question in, what it brought up out: by word and by meaning, fused."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from holdfast.kernel import metrics, usage
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.embedding_models import EmbedderUnavailable, Embedding
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.half_vectors import HalfVector
from holdfast.kernel.recall import times, words
from holdfast.kernel.recall.confidence import is_first_person
from holdfast.kernel.recall.fusion import Asked, Fusion, Weights
from holdfast.kernel.recall.model import Candidate, Found, Question
from holdfast.kernel.recall.passages import queries
from holdfast.kernel.recall.suggestion import preferences_wanted
from holdfast.kernel.recall.times import Times
from holdfast.kernel.recall.underway import Underway, wait_for

# What each arm brings to the fusion: for short answers the first, for longer ones the second. Beyond, recall at 10 and at 50
# gain less than a thousandth.
PER_ARM = 80
PER_LONG_ARM = 150
SHORT = 20
# Of both arms together the best are read, four for each result and so many at least: with 76, or with 48, a category of a tuning set
# loses a piece of evidence, which was far down in both arms or held up by others of its session; with 80 none does. Not where the
# query names a time or an identifier, which may bring up what is neither close nor alike; and of memories alone, since other kinds
# of objects may have hundreds of passages.
READ_AT_LEAST = 80
READ_FOR_A_RESULT = 4
# What `lexical` ranks by ts_rank_cd: all that matches, up to this many of the best by BM25.
RANKED = 2_000

_object_id = itemgetter(Candidate._fields.index("object_id"))


@dataclass(frozen=True, slots=True)
class Begun:
    """What was to be known before a query was embedded."""

    names: list[str]
    model: str | None
    weights: dict[str, float] | None
    underway: int | None = None  # the newest passage whose vector is being made


@dataclass(frozen=True, slots=True)
class Understood:
    """A question as the index is asked it."""

    words: words.Words
    names: frozenset[str]
    vector: HalfVector | None
    tokens: bytes | None  # for close reading
    model: str | None
    weights: Weights
    times: Times  # that the query names
    embedder_down: bool = False  # there is an embedder, and it did not answer


async def search(db: Database, caller: Caller, question: Question) -> Found:
    """Everything the question brought up in the scopes it names, best first."""
    return await rank(db, caller, question, await understand(db, caller, question))


async def begin(db: Database, caller: Caller, query: str, scopes: Sequence[str]) -> Begun:
    """What must be known of these scopes before the query is embedded."""
    begun = await db.one(
        caller,
        Begun,
        queries.begin,
        scopes=list(scopes),
        words=sorted(words.spoken(query)),
    )
    if begun is None:
        raise RuntimeError("recall did not begin")
    return begun


async def understand(
    db: Database, caller: Caller, question: Question, begun: Begun | None = None
) -> Understood:
    """Take the query apart, and embed it without the names of those who speak there: they say nothing of what was said.

    `begun` is what a caller asked for already, together with something else.
    """
    by_meaning = question.mode != "lexical"
    if by_meaning:
        await db.services.get(Underway).wait_for(caller)
    begun = begun or await begin(db, caller, question.text, question.scopes)
    if by_meaning:
        await wait_for(db, caller, question.scopes, begun.underway)
    made, down = None, False
    if by_meaning and question.text.strip():
        made = await _embed(db, question, _without_names(question, begun), begun.model)
        down = made is None and db.services.get(Embedders).configured
    asked_words = words.of_query(question.text)
    return _understood(db, question, asked_words, begun, made, down=down)


async def understanding_at_once(
    db: Database, question: Question, begun: Begun
) -> Callable[[words.Words], Understood] | None:
    """`understand` of a hybrid question, given its words, as a function that embeds it here and now, to be called while the database
    does something else; None where that would hold others up."""
    if not (db.overlaps and question.text.strip()):
        return None
    try:
        embedder = await db.services.get(Embedders).serving(begun.model)
    except EmbedderUnavailable:
        return None
    text = _without_names(question, begun)
    if embedder is None or not embedder.embeds_at_once(text):
        return None

    def understood(asked_words: words.Words) -> Understood:
        try:
            made = embedder.embed_at_once(text)
        except EmbedderUnavailable:
            return _understood(db, question, asked_words, begun, None, down=True)
        return _understood(db, question, asked_words, begun, made, down=False)

    return understood


def _without_names(question: Question, begun: Begun) -> str:
    return words.without(question.text, set(begun.names))


def _understood(
    db: Database,
    question: Question,
    asked_words: words.Words,
    begun: Begun,
    made: Embedding | None,
    *,
    down: bool,
) -> Understood:
    closely = made is not None and db.services.get(Embedders).close_reading
    return Understood(
        words=asked_words,
        names=frozenset(begun.names),
        vector=None if made is None else made.vector,
        tokens=made.tokens if made is not None and closely else None,
        model=begun.model,
        weights=Weights.of(begun.weights),
        times=times.named_in(question.text, question.now),
        embedder_down=down,
    )


async def _embed(
    db: Database, question: Question, text: str, model: str | None
) -> Embedding | None:
    """The query's embedding; None where hybrid recall must do without."""
    try:
        embedder = await db.services.get(Embedders).serving(model)
        if embedder is None:
            raise EmbedderUnavailable("this service has no embedder (HOLDFAST_EMBEDDER is none)")
        return await embedder.embed_query(text, alone=db.idle)
    except EmbedderUnavailable as error:
        if question.mode == "semantic":
            raise BackendUnavailable(str(error)) from error
        return None


async def rank(db: Database, caller: Caller, question: Question, asked: Understood) -> Found:
    """Ask the index, and fuse what it gives."""
    where = {"scopes": list(question.scopes), "workspace_id": question.workspace_id}
    params = where | candidate_params(question, asked)
    candidates = await db.all(caller, tuple, queries.candidates, **params)
    if crowded(question, asked, candidates):
        params["keep"] = None
        candidates = await db.all(caller, tuple, queries.candidates, **params)
    return ranked(question, fusion(question, asked, candidates))


def fusion(question: Question, asked: Understood, candidates: Sequence[tuple[Any, ...]]) -> Fusion:
    """What the index gave for a question, to be fused."""
    return Fusion(
        candidates,
        Asked(
            mode=question.mode,
            now=question.now,
            times=asked.times,
            names=asked.names,
            semantic=asked.vector is not None,
            identifiers=asked.words.identifiers,
            tokens=asked.tokens,
            first_person=is_first_person(question.text),
        ),
        asked.weights,
    )


def ranked(question: Question, candidates: Fusion) -> Found:
    """What the index gave for a question, fused."""
    found = candidates.found()
    tally = usage.current()
    tally.recalls += 1
    tally.hits += bool(found.hits)
    metrics.recalls.labels(question.mode, "yes" if found.hits else "no").inc()
    return found


def candidate_params(question: Question, asked: Understood) -> dict[str, Any]:
    """What the index is asked with, besides where to look."""
    per_arm = PER_ARM if question.limit <= SHORT else PER_LONG_ARM
    return {
        "kinds": list(question.kinds),
        "labels": list(question.labels),
        "vector": asked.vector,
        "model": asked.model,
        "lexical_limit": {"hybrid": per_arm, "lexical": RANKED, "semantic": 0}[question.mode],
        "semantic_limit": per_arm,
        "asked_at": question.now,
        "closely": asked.tokens is not None and question.mode == "hybrid",
        "keep": _kept(question, asked),
        "preferences": preferences_wanted(question.text) if question.mode == "hybrid" else None,
        **as_asked(asked.words),
    }


def _kept(question: Question, asked: Understood) -> int | None:
    """How many candidates are read; None for all."""
    by_both = question.mode == "hybrid" and asked.vector is not None
    if not by_both or question.kinds != ("memory",) or asked.times or asked.words.identifiers:
        return None
    return max(READ_AT_LEAST, READ_FOR_A_RESULT * question.limit)


def crowded(question: Question, asked: Understood, candidates: Sequence[tuple[Any, ...]]) -> bool:
    """Whether the candidates that were read are passages of too few objects, so that all must be."""
    kept = _kept(question, asked)
    if kept is None or len(candidates) < kept:
        return False
    return len(set(map(_object_id, candidates))) < question.limit


def as_asked(asked: words.Words) -> dict[str, Any]:
    """A query's words as parameters."""
    return {"text": asked.plain, "literals": asked.literal}
