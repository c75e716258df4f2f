"""Summaries as recall finds them: put with the flush that wrote them, gone with the message, for whoever's conversation it is.

A conversation is its sessions' users' (or, where a session has no user, its agent's); one without a session is that of
whoever wrote the message that led to the flush.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from holdfast.conversations.model import LONG_TERM, Change, Draft, Instance
from holdfast.conversations.resources.config import BUILT_IN
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.ids import new_id
from holdfast.kernel.recall import passages
from holdfast.kernel.recall.model import Document
from holdfast.kernel.sql import load

queries = load(__file__, "index.sql")

KIND: Literal["summary"] = "summary"


@dataclass(frozen=True, slots=True)
class Summary:
    """What a conversation came to, as recall shows it."""

    id: str
    conversation_id: str
    resource_id: str
    key: str
    session_id: str | None
    message_id: str
    content: str
    created_at: Instant
    type: Literal["summary"] = "summary"


@dataclass(frozen=True, slots=True)
class _Holder:
    """One of those whose conversation it is."""

    user_id: str | None
    agent_id: str | None
    session_id: str | None = None
    workspace_id: str | None = None


def scopes_of(user_id: str | None, agent_id: str | None) -> tuple[str, ...]:
    """Where a user, and the agent it speaks for, find summaries. No id has a slash."""
    users = () if user_id is None else (f"summary/user/{user_id}",)
    return users if agent_id is None else (*users, f"summary/agent/{agent_id}")


async def prefetch_embeddings(db: Database, summary: Draft) -> None:
    """Embed a summary before the change that keeps it."""
    at = summary.created_at
    await passages.prefetch_embeddings(db, [_document("", summary.content, None, None, None, at)])


async def follow(tx: Tx, instance: Instance, change: Change) -> None:
    """Let recall find what a conversation's summary says after a change, and no longer what it said before."""
    after = change.after
    named = {"resource_id": instance.resource_id, "key": instance.key}
    is_new = after.version == 1  # what an earlier instance of that key left is not its own
    is_over = change.action in ("deleted", "expired")
    if is_new or is_over or any(kept.draft.share == LONG_TERM for kept in change.removed):
        await tx.run(queries.drop_summaries, **named)
    added = [draft for draft in change.added if draft.share == LONG_TERM]
    if is_over:
        return
    if added:
        await _put(tx, instance, change, added)
    elif LONG_TERM in after.shares:
        await tx.run(queries.summaries_live_on, expires_at=after.expires_at, **named)


async def read_documents(tx: Tx, ids: Sequence[str]) -> list[Document]:
    """Summaries of the org, to be embedded again."""
    rows = await tx.all(dict, queries.summaries_to_index, ids=list(ids))
    return [_document(**row) for row in rows]


async def read_recalled(
    db: Database, caller: Caller, agent_id: str | None, ids: Sequence[str]
) -> Mapping[str, Summary]:
    """Summaries by their ids: the user's own, and those of the agent that is spoken for."""
    rows = await db.all(
        caller,
        Summary,
        queries.recalled_summaries,
        ids=list(ids),
        user_id=caller.user_id,
        agent_id=agent_id,
    )
    return {row.id: row for row in rows}


async def _put(tx: Tx, instance: Instance, change: Change, added: Sequence[Draft]) -> None:
    holders = await tx.all(
        _Holder,
        queries.holders,
        resource_id=instance.resource_id,
        key=instance.key,
        built_in=BUILT_IN,
    )
    caller = tx.caller
    if not holders and caller is not None and (caller.user_id or caller.agent_id):
        holders = [_Holder(caller.user_id, None if caller.user_id else caller.agent_id)]
    documents = []
    for draft in added:
        for holder in holders:
            id = new_id("sum")
            await tx.run(
                queries.put_summary,
                id=id,
                conversation_id=change.after.conversation_id,
                resource_id=instance.resource_id,
                key=instance.key,
                message_id=draft.id,
                content=draft.content,
                user_id=holder.user_id,
                agent_id=holder.agent_id,
                session_id=holder.session_id,
                workspace_id=holder.workspace_id,
                created_at=draft.created_at,
                expires_at=change.after.expires_at,
            )
            documents.append(
                _document(
                    id,
                    draft.content,
                    holder.user_id,
                    holder.agent_id,
                    holder.workspace_id,
                    draft.created_at,
                )
            )
    await passages.put(tx, documents)


def _document(
    id: str,
    content: str,
    user_id: str | None,
    agent_id: str | None,
    workspace_id: str | None,
    created_at: datetime,
) -> Document:
    [scope, *_] = scopes_of(user_id, agent_id) or ("",)
    return Document(
        kind=KIND,
        object_id=id,
        scope=scope,
        body=content,
        workspace_id=workspace_id,
        at=created_at,
        updated_at=created_at,
    )
