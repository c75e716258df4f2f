"""Why an object is not among the results."""

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.recall.fusion import FAINT_SIMILARITY
from holdfast.kernel.recall.model import Found, Hit, Kind, Miss, Question
from holdfast.kernel.recall.passages import queries
from holdfast.kernel.recall.search import Understood, as_asked


@dataclass(frozen=True, slots=True)
class Probed:
    """What can be said of an object beside a question."""

    object_id: str
    matches: bool
    embedded: bool
    similarity: float | None


async def why_not(
    db: Database,
    caller: Caller,
    question: Question,
    asked: Understood,
    found: Found,
    kind: Kind,
    ids: Sequence[str],
    *,
    min_score: float | None,
) -> list[Miss]:
    """A reason for each of these objects, which the caller may see and which are neither expired nor superseded."""
    if not ids:
        return []
    probed = await db.all(
        caller,
        Probed,
        queries.probe,
        kind=kind,
        object_ids=list(ids),
        scopes=list(question.scopes),
        vector=asked.vector,
        model=asked.model,
        **as_asked(asked.words),
    )
    by_id = {each.object_id: each for each in probed}
    return [_why(id, by_id.get(id), question, asked, found, kind, min_score) for id in ids]


def _why(
    id: str,
    probed: Probed | None,
    question: Question,
    asked: Understood,
    found: Found,
    kind: Kind,
    min_score: float | None,
) -> Miss:
    for place, hit in enumerate(found.hits, start=1):
        if (hit.kind, hit.object_id) == (kind, id):
            return _ranked(id, hit, place, len(found.hits), question, min_score)
    for hit in found.faint:
        if (hit.kind, hit.object_id) == (kind, id):
            return Miss(
                id, "below_floor", f"what speaks for it is noise; it scored {hit.score:.3f}"
            )
    if probed is None:
        return Miss(id, "no_match", "it is not in the places that this call searches")
    if question.labels and (probed.matches or _is_close(probed)):
        return Miss(id, "no_match", "the filters of this call leave it out")
    if probed.matches or _is_close(probed):
        return Miss(id, "crowded_out", "others fit better; it was not among the candidates")
    return _not_found_by_words(id, probed, question, asked)


def _not_found_by_words(id: str, probed: Probed, question: Question, asked: Understood) -> Miss:
    """Why meaning did not bring up an object that holds no word of the query."""
    if question.mode == "lexical":
        return Miss(id, "no_match", "no word of the query is in it")
    if asked.embedder_down:
        why = "the embedder does not answer, so meaning was not compared"
        return Miss(id, "not_embedded", f"no word of the query is in it, and {why}")
    if asked.vector is None:
        return Miss(id, "no_match", "no word of the query is in it, and there is no embedder")
    if not probed.embedded:
        return Miss(id, "not_embedded", "no word of the query is in it, and its embedding follows")
    return Miss(id, "no_match", "no word of the query is in it, nor is it close in meaning")


def _ranked(
    id: str, hit: Hit, place: int, of: int, question: Question, min_score: float | None
) -> Miss:
    if min_score is not None and hit.score < min_score:
        return Miss(id, "below_floor", f"it scored {hit.score:.3f}, under min_score {min_score:g}")
    return Miss(
        id,
        "crowded_out",
        f"it came {place} of {of} with {hit.score:.3f}; {question.limit} were asked for",
    )


def _is_close(probed: Probed) -> bool:
    return (probed.similarity or 0.0) >= FAINT_SIMILARITY
