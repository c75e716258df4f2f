"""Into the index and out of it, in the transaction of whoever writes: readable by its words as soon as it commits."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from psycopg import AsyncCursor

from holdfast.kernel import jobs
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.embed import Embedder, Embedders
from holdfast.kernel.embedding_models import EmbedderUnavailable, Embedding, Said
from holdfast.kernel.recall import words
from holdfast.kernel.recall.model import Document, Kind
from holdfast.kernel.recall.underway import Followed, Underway
from holdfast.kernel.sql import load

queries = load(__file__)

# The bundled model reads 256 tokens, about a thousand characters.
PASSAGE_CHARS = 1_000
OVERLAP_CHARS = 200
# How many passages a write waits for; what is beyond is embedded by a job.
MAX_AT_ONCE = 32
MAX_INSIDE = 2
# How many texts may wait for the local model before a write waits until there are fewer.
MAX_BEHIND = 16
# How many passages one transaction indexes itself: a batch of a thousand memories, and then some.
MAX_IN_TRANSACTION = 4_000
# How many objects beyond that each job indexes.
OBJECTS_PER_JOB = 100

_ends_sentence = re.compile(r"[.!?。！？]\s|\n")
_wordy = re.compile(r"[^\W\d_]+(?:[\s_./:-]+[^\W\d_]+)*")


def cut(text: str) -> list[tuple[int, int]]:
    """Where passages begin and end: together all of the text, each overlapping the one before, ends kept whole."""
    cuts: list[tuple[int, int]] = []
    start = 0
    while True:
        end = min(len(text), start + PASSAGE_CHARS)
        if end < len(text):
            end = _good_end(text, start, end)
        cuts.append((start, end))
        if end == len(text):
            return cuts
        start = _good_start(text, max(end - OVERLAP_CHARS, start + 1), end)


def _good_end(text: str, start: int, end: int) -> int:
    """After the last sentence of the second half, or between two words."""
    sentences = [found.end() for found in _ends_sentence.finditer(text, start, end)]
    if sentences and sentences[-1] > start + PASSAGE_CHARS // 2:
        return sentences[-1]
    space = text.rfind(" ", start + PASSAGE_CHARS // 2, end)
    return space + 1 if space > 0 else end


def _good_start(text: str, start: int, end: int) -> int:
    space = text.find(" ", start, end)
    return space + 1 if 0 < space < end - 1 else start


def embedding_texts(document: Document) -> list[Said]:
    """What is embedded, passage by passage: with the key where it is made of words, and the summary at first.

    The speaker's name goes before each, what was said before it before the first.
    """
    head = document.head if _wordy.fullmatch(document.head) else ""
    head = re.sub(r"[\s_./:-]+", " ", head)
    return [
        Said(
            text=": ".join(
                part
                for part in (
                    head,
                    document.summary if start == 0 else "",
                    document.body[start:end],
                )
                if part
            ),
            speaker=document.actor or "",
            before=document.before if start == 0 else "",
        )
        for start, end in cut(document.body)
    ]


@dataclass(slots=True)
class _Notes:
    """What a transaction has put so far."""

    put: int = 0
    left_to_job: bool = False


async def prefetch_embeddings(db: Database, documents: Sequence[Document]) -> bool:
    """Embed what is about to be put, before the transaction that puts it, as far as its writer can wait for it, or start
    to, where it may follow; whether it was waited for."""
    embedder = await db.services.get(Embedders).serving()
    if embedder is None or not documents:
        return False
    texts = [text for document in documents for text in embedding_texts(document)]
    if _follow_soon(embedder, texts):
        waited = await embedder.room(MAX_BEHIND)
        embedder.start(texts)
        return waited
    # A slow embedder, or much to embed, holds nobody up: put() leaves the rest to a job.
    with suppress(EmbedderUnavailable):
        await embedder.embed(texts[:MAX_AT_ONCE])
    return True


async def start_embedding(db: Database, document: Document) -> bool:
    """Start embedding what is likely to be put, if that keeps nobody waiting; whether it was started."""
    embedder = await db.services.get(Embedders).serving()
    texts = embedding_texts(document)
    if embedder is None or not _follow_soon(embedder, texts) or embedder.behind >= MAX_BEHIND:
        return False
    embedder.start(texts)
    return True


def _follow_soon(embedder: Embedder, texts: Sequence[Said]) -> bool:
    """Whether the vectors of a write may follow it: the local model makes a few in milliseconds."""
    return embedder.local and len(texts) <= MAX_INSIDE


async def put(
    tx: Tx,
    documents: Sequence[Document],
    *,
    only_prefetched: bool = False,
    revision_id: str | None = None,
) -> None:
    """Index these objects in place of what they said before; with a `revision_id`, only if that revision was written.

    What the local model is making already, or has little to do for, follows the transaction: until its vector is there an
    object is found by its words, and recall waits for it a moment (underway.py).

    In one transaction that writes very much (an import of a whole store) the first so many passages are indexed at
    once and the rest by jobs that follow it; until then the rest is not found, rather than found as it was. One that
    writes many asks for `only_prefetched` vectors: the others are left to a job.
    """
    embedder = await tx.services.get(Embedders).serving()
    notes = tx.notes.get(_Notes)
    complete, last = True, None
    later: list[Document] = []
    inside = 0 if only_prefetched else MAX_INSIDE
    for document in documents:
        if notes.put >= MAX_IN_TRANSACTION:
            later.append(document)
            continue
        texts = embedding_texts(document)
        notes.put += len(texts)
        vectors = None if embedder is None else embedder.all_at_hand(texts)
        follows = False
        if vectors is None and embedder is not None:
            unforeseen = sum(not embedder.is_coming(text) for text in texts)
            follows = embedder.local and unforeseen <= inside and tx.caller is not None
            inside -= unforeseen if follows else 0
            complete = complete and follows
        sent = await _put(tx, document, vectors, embedder, revision_id, underway=follows)
        if embedder is not None and follows:
            _follow(tx, embedder, document, texts)
        else:
            last = sent
    if last is not None and embedder is not None:
        # While this process looked elsewhere, `holdfast reembed` may have made another model serve.
        active = await last.fetchone()
        if active is None and revision_id is not None:
            return  # it was not written, so there is nothing to embed
        complete = complete and active == embedder.model
        await tx.services.get(Embedders).serving(active)
    if embedder is not None and not complete:
        await _embed_later(tx)
    await _leave_to_jobs(tx, later)


def _follow(tx: Tx, embedder: Embedder, document: Document, texts: Sequence[Said]) -> None:
    """Have the vectors of an object added once the transaction is committed."""
    db, caller = tx.services.get(Database), tx.caller
    if caller is None:
        raise RuntimeError("an object is indexed for a caller")
    embedder.start(texts)
    item = Followed(caller, embedder, document, texts)
    tx.on_commit(lambda: db.services.get(Underway).add(db, item))


async def _embed_later(tx: Tx) -> None:
    """Leave what has no vector to a job, once in a transaction."""
    notes = tx.notes.get(_Notes)
    if not notes.left_to_job:
        notes.left_to_job = True
        await jobs.enqueue(tx, "embed", "passages")


async def _leave_to_jobs(tx: Tx, documents: Sequence[Document]) -> None:
    by_kind: dict[Kind, list[str]] = {}
    for document in documents:
        by_kind.setdefault(document.kind, []).append(document.object_id)
    for kind, ids in by_kind.items():
        await drop(tx, kind, ids)
        for first in range(0, len(ids), OBJECTS_PER_JOB):
            some = ",".join(ids[first : first + OBJECTS_PER_JOB])
            await jobs.enqueue(tx, "index", f"{kind}/{some}")


async def put_if_absent(tx: Tx, document: Document) -> None:
    """Index an object that has no passages; one that was written again meanwhile has."""
    if not await tx.one(bool, queries.has, kind=document.kind, object_id=document.object_id):
        await put(tx, [document])


async def _put(
    tx: Tx,
    document: Document,
    made: Sequence[Embedding] | None,
    embedder: Embedder | None,
    revision_id: str | None,
    *,
    underway: bool,
) -> AsyncCursor[str]:
    """Send without waiting; what comes back is the name of the model that serves."""
    cuts = cut(document.body)
    params = {
        "kind": document.kind,
        "object_id": document.object_id,
        "scope": document.scope,
        "workspace_id": document.workspace_id,
        "session_id": document.session_id,
        "actor": None if document.actor is None else words.fold(document.actor),
        "labels": list(document.labels),
        "at": document.at,
        "updated_at": document.updated_at,
        "until": document.until,
        "importance": document.importance,
        "pinned": document.pinned,
        "starts": [start for start, _ in cuts],
        "ends": [end for _, end in cuts],
        "vectors": None if made is None else [each.vector.text for each in made],
        "tokens": None if made is None else [each.tokens for each in made],
        "model": None if embedder is None else embedder.model,
        "underway": underway,
        "revision_id": revision_id,
    }
    return await tx.send(str, queries.put, params | in_words(document))


def in_words(document: Document) -> dict[str, Any]:
    """What a document says, as the index takes it apart: by passage, and what stands beside each."""
    bodies = [document.body[start:end] for start, end in cut(document.body)]
    beside = f"{document.head}\n{document.summary}\n{document.about}\n"
    return {
        "head": words.plain(document.head),
        "summary": words.plain(document.summary),
        "about": words.plain(document.about),
        "bodies": [words.plain(body) for body in bodies],
        "literals": [words.of_text(beside + body).literal for body in bodies],
    }


async def drop_scope(tx: Tx, scope: str) -> None:
    """Take all that lies in a scope out of the index."""
    await tx.run(queries.drop_scope, scope=scope)


async def drop(tx: Tx, kind: Kind, object_ids: Sequence[str]) -> None:
    """Take these objects out of the index: their words and vectors are gone when the transaction commits.

    What was embedded with one of them as context is embedded anew by a job.
    """
    if not object_ids:
        return
    stale = await tx.one(bool, queries.drop, kind=kind, object_ids=list(object_ids))
    if stale:
        await _embed_later(tx)
