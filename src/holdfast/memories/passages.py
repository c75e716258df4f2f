"""Memories as recall indexes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.places import Session, session_params
from holdfast.kernel.recall import passages
from holdfast.kernel.recall.model import Document
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import load
from holdfast.memories.last_said import LastSaid
from holdfast.memories.model import DEFAULTS, TRUSTS, Memory, NewMemory, Trust, audience_of

queries = load(__file__, "recall.sql")

# Sources that do not name a speaker.
_NOBODY = frozenset({"manual", "auto"})
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
# More than the 24 tokens that are read of what was said before.
BEFORE_CHARS = 400
# Above the ids of all memories: what a save is about to make comes after everything.
_YET_TO_COME = "~"


def trust_label(min_trust: Trust) -> str:
    """The label of passages whose memory has at least this trust."""
    return f"trust:{min_trust}"


@dataclass(frozen=True, slots=True)
class _Said:
    place: int  # which of the documents it comes before, from 1
    id: str
    source: str
    value: str


def document(row: Memory, before: str = "") -> Document:
    """A memory as recall indexes it."""
    return _document(
        {name: getattr(row, name) for name in ("key", "value", *DEFAULTS)},
        object_id=row.id,
        audience=audience_of(row).text,
        workspace_id=row.workspace_id,
        session_id=row.session_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
        before=before,
    )


def new_document(
    new: NewMemory,
    *,
    object_id: str = "",
    audience: str = "",
    workspace_id: str | None = None,
    session_id: str | None = None,
    before: str = "",
    now: datetime = _LONG_AGO,
) -> Document:
    """The document of a memory that a save is about to make."""
    return _document(
        {**DEFAULTS, **new.fields},
        object_id=object_id,
        audience=audience,
        workspace_id=workspace_id,
        session_id=session_id,
        created_at=now,
        updated_at=now,
        before=before,
    )


def _document(
    fields: Mapping[str, Any],
    *,
    object_id: str,
    audience: str,
    workspace_id: str | None,
    session_id: str | None,
    created_at: datetime,
    updated_at: datetime,
    before: str,
) -> Document:
    category, tags, source = fields["category"], dict.fromkeys(fields["tags"]), fields["source"]
    ends = [at for at in (fields["expires_at"], fields["valid_to"]) if at is not None]
    return Document(
        kind="memory",
        object_id=object_id,
        scope=f"memory/{audience}",
        body=fields["value"],
        head=fields["key"],
        summary=fields["summary"] or "",
        about=" ".join([category, *tags]),
        updated_at=updated_at,
        at=fields["valid_from"] or created_at,
        workspace_id=workspace_id,
        session_id=session_id,
        actor=None if source in _NOBODY else source,
        before=before,
        labels=(
            f"category:{category}",
            *(f"tag:{tag}" for tag in tags),
            *map(trust_label, TRUSTS[TRUSTS.index(fields["trust"]) : -1]),
        ),
        until=min(ends) if ends else None,
        importance=fields["importance"],
        pinned=fields["pinned"],
    )


async def prefetch_embeddings(db: Database, caller: Caller, news: Sequence[NewMemory]) -> list[str]:
    """Start embedding these memories before the write transaction: key, summary and value, after what was said before in the
    session. Gives the latter for each."""
    documents = [_yet_to_come(caller, new) for new in news]
    if any(each.session_id for each in documents):
        async with db.read(caller) as tx:
            documents = await _after_what_was_said(tx, documents)
    await passages.prefetch_embeddings(db, documents)
    return [each.before for each in documents]


@dataclass(frozen=True, slots=True)
class _SessionOrSaid:
    is_session: bool
    agent_id: str | None
    project_id: str | None
    source: str | None
    value: str | None


async def prefetch_embedding_in_session(
    db: Database, caller: Caller, new: NewMemory, session_id: str
) -> tuple[Session | None, str]:
    """`prefetch_embeddings` for one memory of a session. In the same round trip the session is read: None where the caller
    cannot speak from it, or where the embedding took so long that it may have changed.

    Where this process made the last memory of the session, the embedding starts before the round trip, on the assumption that
    it still is the last; if it is not, another one is made."""
    document = _yet_to_come(caller, new)
    assumed = db.services.get(LastSaid).of(caller.org_id, document.scope, session_id)
    if assumed is not None and not await passages.start_embedding(
        db, replace(document, before=assumed)
    ):
        assumed = None
    rows = await db.all(
        caller,
        _SessionOrSaid,
        queries.session_and_said,
        session_id=session_id,
        index_scope=document.scope,
        yet_to_come=_YET_TO_COME,
        **session_params(caller),
    )
    session, before = None, ""
    for row in rows:
        if row.is_session:
            session = Session(row.agent_id, row.project_id)
        else:
            before = _spoken(row.source, row.value or "")
    waited = before != assumed and await passages.prefetch_embeddings(
        db, [replace(document, before=before)]
    )
    return (None if waited else session), before


def note_said(db: Database, caller: Caller, row: Memory) -> None:
    """Remember a memory that was made as the last of its session."""
    if row.session_id is not None:
        scope = f"memory/{audience_of(row).text}"
        said = _spoken(row.source, row.value)
        db.services.get(LastSaid).note(caller.org_id, scope, row.session_id, said)


def _yet_to_come(caller: Caller, new: NewMemory) -> Document:
    return new_document(
        new,
        object_id=_YET_TO_COME,
        audience=_audience(caller, new),
        session_id=new.place.session_id or caller.session_id,
    )


def _audience(caller: Caller, new: NewMemory) -> str:
    """Who will see it, as far as that is known before the place is entered; "org" where it is not."""
    match new.scope:
        case "global":
            return Audience(user_id=caller.user_id).text
        case "project":
            return Audience(project_id=new.place.project_id or caller.project_id).text
        case "agent":
            return Audience(agent_id=new.place.agent_id or caller.agent_id).text


async def _after_what_was_said(tx: Tx, documents: Sequence[Document]) -> list[Document]:
    """The documents, each with what was said just before it in its session: by one of these, or by what is there."""
    said = {
        each.place - 1: (each.id, _spoken(each.source, each.value))
        for each in await tx.all(
            _Said,
            queries.said_before,
            scopes=[each.scope for each in documents],
            sessions=[each.session_id for each in documents],
            ids=[each.object_id for each in documents],
        )
    }
    last: dict[tuple[str, str], tuple[str, str]] = {}
    found: list[Document] = []
    for place, each in enumerate(documents):
        before = said.get(place, ("", ""))
        if each.session_id is not None:
            session = (each.scope, each.session_id)
            earlier = last.get(session, ("", ""))
            if earlier[0] == _YET_TO_COME or before[0] < earlier[0] < each.object_id:
                before = earlier
            last[session] = each.object_id, _spoken(each.actor, each.body)
        found.append(replace(each, before=before[1]))
    return found


def _spoken(source: str | None, text: str) -> str:
    """A text with the name of who said it; its end is enough."""
    end = text[-BEFORE_CHARS:]
    return end if source is None or source in _NOBODY else f"{source}: {end}"


async def index_new(tx: Tx, new: Document, revision_id: str) -> None:
    """Put the passage of a new row, without waiting for the insert: skipped where the insert wrote no such revision."""
    await passages.put(tx, [new], revision_id=revision_id)


async def index(tx: Tx, rows: Sequence[Memory]) -> None:
    """Put the passages of rows as a write left them; a superseded row has none."""
    documents = [document(row) for row in rows if row.superseded_by is None]
    if any(each.session_id for each in documents):
        documents = await _after_what_was_said(tx, documents)
    await passages.put(tx, documents)
    await passages.drop(tx, "memory", [row.id for row in rows if row.superseded_by is not None])


async def read_documents(tx: Tx, ids: Sequence[str]) -> list[Document]:
    """Memories of the org, whatever their audience, to be embedded again."""
    rows = await tx.all(Memory, queries.memories_to_index, ids=list(ids))
    return await _after_what_was_said(
        tx, sorted(map(document, rows), key=lambda each: each.object_id)
    )
