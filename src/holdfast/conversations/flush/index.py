"""Summaries and flushed messages, stored for recall and for reading: written with the flush, whichever log keeps the messages.

Both carry the names of their instance: its owner sees them, and of a shared resource the whole org.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from psycopg.types.json import Jsonb

from holdfast.conversations.logs.values import from_json, to_json
from holdfast.conversations.model import LONG_TERM, Change, Draft, Instance, StoredMessage
from holdfast.conversations.resources.config import BUILT_IN
from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.ids import new_id
from holdfast.kernel.recall import passages
from holdfast.kernel.recall.model import Document
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import load

queries = load(__file__, "index.sql")

SUMMARY: Literal["summary"] = "summary"
FLUSHED: Literal["flushed"] = "flushed"


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a conversation's flushed messages, as recall shows it."""

    id: str
    conversation_id: str
    resource_id: str
    key: str
    user_id: str | None
    agent_id: str | None
    session_id: str | None
    message_id: str
    content: str
    created_at: Instant
    type: Literal["summary"] = "summary"


@dataclass(frozen=True, slots=True)
class FlushedMessage:
    """A flushed message, as recall shows it."""

    id: str
    conversation_id: str
    resource_id: str
    key: str
    user_id: str | None
    agent_id: str | None
    message_id: str
    role: str
    content: str
    created_at: Instant
    flushed_at: Instant
    type: Literal["flushed_message"] = "flushed_message"


def scopes_of(user_id: str | None, agent_id: str | None) -> tuple[str, ...]:
    """The scopes of the recall index that hold what a user, and an agent, may see of conversations."""
    owners = [Audience()]
    owners += [] if user_id is None else [Audience(user_id=user_id)]
    owners += [] if agent_id is None else [Audience(agent_id=agent_id)]
    return tuple(_scope(owner.text) for owner in owners)


async def prefetch_embeddings(db: Database, summary: Draft) -> None:
    """Embed a summary before the transaction that stores it."""
    document = _document(SUMMARY, "", summary.content, "org", "default", summary.created_at)
    await passages.prefetch_embeddings(db, [document])


# --- with a change ---------------------------------------------------------------------------------------------------


async def store_flushed(tx: Tx, instance: Instance, change: Change) -> None:
    """Store and index the messages that a flush (or a buffer) removed; drop what a change ends.

    A summary that was folded into the next one is not kept: what it stands for is.
    """
    after = change.after
    if after.version == 1 or change.action in ("deleted", "expired"):
        await tx.run(
            queries.drop_histories,
            resource_id=instance.resource_id,
            audience=instance.audience,
            key=instance.key,
        )
    elif change.action in ("cleared", "written", "restored"):
        ids = None if change.action == "cleared" else [draft.id for draft in change.added]
        await tx.run(queries.drop_flushed, conversation_id=after.conversation_id, message_ids=ids)
    if change.action in ("flushed", "appended"):
        await _put_flushed(tx, instance, change)


async def _put_flushed(tx: Tx, instance: Instance, change: Change) -> None:
    gone = [stored for stored in change.removed if stored.draft.share != LONG_TERM]
    if not gone:
        return
    await _open_history(tx, instance, change)
    rows = [
        {"id": new_id("flushed"), "seq": stored.seq, "message": to_json(stored.draft)}
        for stored in gone
    ]
    put = await tx.all(
        dict,
        queries.put_flushed,
        conversation_id=change.after.conversation_id,
        messages=Jsonb(rows),
    )
    documents = [
        _flushed_document(row["id"], row["message"], instance.audience, change.after.workspace_id)
        for row in put
    ]
    # There may be hundreds, and an append waits for them: a job embeds them, their words are found at once.
    await passages.put(tx, [each for each in documents if each.body], only_prefetched=True)


async def follow(tx: Tx, instance: Instance, change: Change) -> None:
    """Index the summary that a change added, drop the one it removed, and move the expiry of both kinds."""
    after = change.after
    if change.action in ("deleted", "expired"):
        return  # `store_flushed` dropped everything
    if any(stored.draft.share == LONG_TERM for stored in change.removed):
        await tx.run(queries.drop_summaries, conversation_id=after.conversation_id)
    added = [draft for draft in change.added if draft.share == LONG_TERM]
    if added:
        await _open_history(tx, instance, change)
        await _put_summaries(tx, instance, change, added)
    elif after.expires_at is not None:
        await tx.run(
            queries.history_lives_on,
            conversation_id=after.conversation_id,
            expires_at=after.expires_at,
        )


async def _open_history(tx: Tx, instance: Instance, change: Change) -> None:
    await tx.run(
        queries.open_history,
        conversation_id=change.after.conversation_id,
        resource_id=instance.resource_id,
        user_id=instance.user_id,
        agent_id=instance.agent_id,
        key=instance.key,
        workspace_id=change.after.workspace_id,
        expires_at=change.after.expires_at,
    )


async def _put_summaries(
    tx: Tx, instance: Instance, change: Change, added: Sequence[Draft]
) -> None:
    documents = []
    for draft in added:
        id = new_id("sum")
        await tx.run(
            queries.put_summary,
            id=id,
            conversation_id=change.after.conversation_id,
            message_id=draft.id,
            content=draft.content,
            resource_id=instance.resource_id,
            key=instance.key,
            user_id=instance.user_id,
            agent_id=instance.agent_id,
            built_in=BUILT_IN,
            created_at=draft.created_at,
        )
        documents.append(
            _document(
                SUMMARY,
                id,
                draft.content,
                instance.audience,
                change.after.workspace_id,
                draft.created_at,
            )
        )
    await passages.put(tx, documents)


# --- reading ---------------------------------------------------------------------------------------------------------


async def read_flushed(
    db: Database, caller: Caller, conversation_id: str, *, kept_for: timedelta | None
) -> list[tuple[StoredMessage, datetime]]:
    """The flushed messages of an instance, in order, each with when it was flushed."""
    async with db.read(caller) as tx:
        rows = await tx.all(
            dict,
            queries.flushed_of,
            conversation_id=conversation_id,
            since=None if kept_for is None else tx.now - kept_for,
        )
    return [
        (StoredMessage(row["seq"], from_json(row["message"]), row["flushed_at"]), row["flushed_at"])
        for row in rows
    ]


async def read_recalled(
    db: Database, caller: Caller, agent_id: str | None, ids: Sequence[str]
) -> Mapping[str, Summary]:
    """Summaries by their ids, as far as the caller (speaking for the agent) sees them."""
    rows = await db.all(
        caller, Summary, queries.recalled_summaries, ids=list(ids), **_sight(caller, agent_id)
    )
    return {row.id: row for row in rows}


async def read_recalled_flushed(
    db: Database, caller: Caller, agent_id: str | None, ids: Sequence[str]
) -> Mapping[str, FlushedMessage]:
    """Flushed messages by their ids, as far as the caller (speaking for the agent) sees them."""
    rows = await db.all(
        caller, dict, queries.recalled_flushed, ids=list(ids), **_sight(caller, agent_id)
    )
    return {row["id"]: _recalled(row) for row in rows}


async def read_documents(tx: Tx, ids: Sequence[str]) -> list[Document]:
    """Summaries of the org, to be embedded again."""
    rows = await tx.all(dict, queries.summaries_to_index, ids=list(ids))
    return [_document(SUMMARY, **row) for row in rows]


async def read_flushed_documents(tx: Tx, ids: Sequence[str]) -> list[Document]:
    """Flushed messages of the org, to be embedded again."""
    rows = await tx.all(dict, queries.flushed_to_index, ids=list(ids))
    return [_flushed_document(**row) for row in rows]


def _sight(caller: Caller, agent_id: str | None) -> dict[str, Any]:
    return sight.params(replace(caller, agent_id=agent_id))


def _recalled(row: Mapping[str, Any]) -> FlushedMessage:
    draft = from_json(row["message"])
    return FlushedMessage(
        id=row["id"],
        conversation_id=row["conversation_id"],
        resource_id=row["resource_id"],
        key=row["key"],
        user_id=row["user_id"],
        agent_id=row["agent_id"],
        message_id=draft.id,
        role=draft.role,
        content=draft.content,
        created_at=draft.created_at,
        flushed_at=row["flushed_at"],
    )


def _flushed_document(
    id: str, message: Mapping[str, Any], audience: str, workspace_id: str
) -> Document:
    draft = from_json(message)
    return _document(FLUSHED, id, draft.content, audience, workspace_id, draft.created_at)


def _document(
    kind: Literal["summary", "flushed"],
    id: str,
    content: str,
    audience: str,
    workspace_id: str,
    created_at: datetime,
) -> Document:
    return Document(
        kind=kind,
        object_id=id,
        scope=_scope(audience),
        body=content,
        workspace_id=workspace_id,
        at=created_at,
        updated_at=created_at,
    )


def _scope(audience: str) -> str:
    return f"conversation/{audience}"
