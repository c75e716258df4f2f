"""The operations on blocks.

`scope="user"` is the user across all agents, `scope="agent"` the user with one agent: the one that is named, else the
client's own. An `agent_id` alone means that agent's.
"""

from datetime import datetime
from typing import Literal

from holdfast_client.blocks.model import Block, BlockRevision, BlockScope, BlockType, RecalledLine
from holdfast_client.calls import Call, Query, ask, at, data_of, delete, get, one, post, put
from holdfast_client.scope import Scope
from holdfast_client.values import given, instant


def list_blocks(
    asker: Scope,
    *,
    scope: Literal["user", "agent", "all"] | None = None,
    agent_id: str | None = None,
) -> Call[list[Block]]:
    """The user's blocks; those with its agents (or one); or `all` of them."""
    return get(asker, "/memory/blocks", data_of(Block), {"scope": scope, "agent_id": agent_id})


def read_block(
    asker: Scope,
    block_type: BlockType,
    *,
    scope: BlockScope | None = None,
    agent_id: str | None = None,
) -> Call[Block]:
    """One block."""
    path = at("memory", "blocks", block_type)
    return get(asker, path, one(Block), _place(asker, scope, agent_id))


def write_block(
    asker: Scope,
    block_type: BlockType,
    content: str,
    *,
    expected_updated_at: datetime | None,
    scope: BlockScope | None = None,
    agent_id: str | None = None,
    if_match: int | None = None,
) -> Call[Block]:
    """Replace a block whole, if it is still as it was read: `expected_updated_at` is its `updated_at`, None when there
    was none. Conflict otherwise, with the block as it is now as `current`, to merge with and try again."""
    return put(
        asker,
        at("memory", "blocks", block_type),
        one(Block),
        {"content": content, "expected_updated_at": _stamp(expected_updated_at)},
        query=_place(asker, scope, agent_id),
        if_match=if_match,
        conflict_as=Block,
    )


def delete_block(
    asker: Scope,
    block_type: BlockType,
    *,
    expected_updated_at: datetime | None = None,
    scope: BlockScope | None = None,
    agent_id: str | None = None,
    if_match: int | None = None,
) -> Call[None]:
    """Delete a block, if it is still as it was read where a stamp is given. Its history stays."""
    place = {**_place(asker, scope, agent_id), "expected_updated_at": expected_updated_at}
    path = at("memory", "blocks", block_type)
    return delete(asker, path, query=place, if_match=if_match, conflict_as=Block)


def history(
    asker: Scope,
    block_type: BlockType,
    *,
    scope: BlockScope | None = None,
    agent_id: str | None = None,
) -> Call[list[BlockRevision]]:
    """Every revision of a block, newest first, the current one included."""
    path = at("memory", "blocks", block_type, "history")
    return get(asker, path, data_of(BlockRevision), _place(asker, scope, agent_id))


def restore_block(
    asker: Scope,
    block_type: BlockType,
    version: int,
    *,
    expected_updated_at: datetime | None,
    scope: BlockScope | None = None,
    agent_id: str | None = None,
    if_match: int | None = None,
) -> Call[Block]:
    """Bring an earlier text back as a new version; `expected_updated_at` as for a write, None when it is deleted."""
    return post(
        asker,
        at("memory", "blocks", block_type, "restore"),
        one(Block),
        {"version": version, "expected_updated_at": _stamp(expected_updated_at)},
        query=_place(asker, scope, agent_id),
        if_match=if_match,
        conflict_as=Block,
    )


def recall_lines(
    asker: Scope,
    query: str,
    *,
    agent_id: str | None = None,
    limit: int = 10,
    min_score: float | None = None,
) -> Call[list[RecalledLine]]:
    """Lines of the user's archive, best first, and of that with an agent: the one named, else the client's own. An
    empty query lists the lines."""
    body = given(query=query, agent_id=agent_id or asker.agent, limit=limit, min_score=min_score)
    return ask(asker, "/memory/recall", data_of(RecalledLine), body)


def _place(asker: Scope, scope: BlockScope | None, agent_id: str | None) -> Query:
    if scope == "agent":
        return {"scope": "agent", "agent_id": asker.must_agent(agent_id)}
    return {"scope": scope, "agent_id": agent_id}


def _stamp(at: datetime | None) -> str | None:
    return None if at is None else instant(at)
