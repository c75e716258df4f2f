"""Which model's vectors serve, and vectors that follow later: after an outage, or for another model.

The settings name the wanted embedder; the database says which model is active. They differ from the moment the setting is
changed until `holdfast reembed` has given every passage a vector of the wanted model: until then the old one serves, for
writes and for queries. Each step can be done again, so a run that was cut short goes on where it was.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import structlog

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.embed import JOB_PATIENCE_S, Embedder, Embedders
from holdfast.kernel.embedding_models import EmbedderUnavailable
from holdfast.kernel.jobs import Handler, Outcome
from holdfast.kernel.recall.model import Document
from holdfast.kernel.recall.passages import embedding_texts, put_if_absent, queries
from holdfast.kernel.recall.underway import filled

log = structlog.get_logger("holdfast.recall")

DocumentReader = Callable[[Tx, Sequence[str]], Awaitable[list[Document]]]
"""Reads objects of one kind, whoever may see them, as recall indexes them."""

BATCH = 64


@dataclass(frozen=True, slots=True)
class Indexed:
    """An object of the index, and the last of its passages that was looked at."""

    kind: str
    object_id: str
    last_passage: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How many passages an org has, and how many have a vector of a model."""

    passages: int
    embedded: int


async def start(db: Database) -> None:
    """Make the wanted model known. The first one ever serves from then on; another waits for `holdfast reembed`."""
    embedder = await db.services.get(Embedders).wanted()
    if embedder is None:
        return
    # Models are the deployment's: no org is entered, and there is nothing to prove.
    [active] = await db.prove(str, queries.register, proof="", model=embedder.model)
    await db.services.get(Embedders).serving(active)
    if active != embedder.model:
        log.warning("run `holdfast reembed` to change models", active=active, wanted=embedder.model)


def embed_later(db: Database, readers: Mapping[str, DocumentReader]) -> Handler:
    """The job that embeds what its writers could not wait for: every passage of the org that has no vector yet."""

    async def embed(caller: Caller, _subject: str) -> Outcome:
        # Asked of the database: this process may not have noticed yet that another model serves.
        begun = await db.one(caller, tuple, queries.begin, scopes=[], words=[])
        active = begun[1] if begun is not None else None
        embedder = await db.services.get(Embedders).serving(active)
        if embedder is None:
            return Outcome({"embedded": 0})
        made = [number async for number in reembed_org(db, caller, readers, embedder)]
        return Outcome({"embedded": sum(made)})

    return embed


def index_later(db: Database, readers: Mapping[str, DocumentReader]) -> Handler:
    """The job that indexes objects of a transaction that wrote very much; its subject is `kind/id,id,…`."""

    async def index(caller: Caller, subject: str) -> Outcome:
        kind, _, ids = subject.partition("/")
        async with db.begin(caller) as tx:
            for document in await readers[kind](tx, ids.split(",")):
                await put_if_absent(tx, document)
        return Outcome()

    return index


async def progress(db: Database, caller: Caller, model: str) -> Progress:
    """How far an org is with a model."""
    found = await db.one(caller, Progress, queries.progress, model=model)
    return found or Progress(0, 0)


async def reembed_org(
    db: Database, caller: Caller, readers: Mapping[str, DocumentReader], embedder: Embedder
) -> AsyncIterator[int]:
    """Give every passage of an org a vector of this model; yields how many were made, batch by batch."""
    after = 0
    while True:
        missing = await db.all(
            caller, Indexed, queries.missing, model=embedder.model, after=after, limit=BATCH
        )
        if not missing:
            return
        by_kind: dict[str, list[str]] = {}
        for each in missing:
            by_kind.setdefault(each.kind, []).append(each.object_id)
        yield await _embed(db, caller, readers, embedder, by_kind)
        after = max(each.last_passage for each in missing)


async def _embed(
    db: Database,
    caller: Caller,
    readers: Mapping[str, DocumentReader],
    embedder: Embedder,
    by_kind: Mapping[str, Sequence[str]],
) -> int:
    """Read, embed with no transaction open, then fill in; an object that changed meanwhile was indexed anew."""
    documents: list[Document] = []
    for kind, ids in by_kind.items():
        reader = readers.get(kind)
        if reader is None:
            raise EmbedderUnavailable(f"nothing here reads objects of kind {kind!r}")
        async with db.read(caller) as tx:
            documents += await reader(tx, ids)
    made = 0
    for document in documents:
        vectors = await embedder.embed(embedding_texts(document), patience_s=JOB_PATIENCE_S)
        async with db.begin(caller) as tx:
            number = await tx.one(int, queries.fill, **filled(document, vectors, embedder.model))
        made += number or 0
    return made
