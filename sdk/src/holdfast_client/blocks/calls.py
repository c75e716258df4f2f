"""The operations on blocks.

`scope="user"` is the block for all agents, `scope="agent"` the block with one agent: the given one, else the client's.
An `agent_id` without a scope means `scope="agent"`.
"""

from datetime import datetime
from typing import Literal

from holdfast_client.blocks.model import Block, BlockRevision, BlockScope, BlockType, RecalledLine
from holdfast_client.calls import (
    Call,
    Query,
    ask,
    at,
    data_of,
    delete,
    get,
    one,
    page_of,
    patch,
    post,
    put,
)
from holdfast_client.diffs import Point, TextDiff
from holdfast_client.scope import Scope
from holdfast_client.values import Page, given, instant


def list_blocks(
    asker: Scope,
    *,
    scope: Literal["user", "agent", "all"] | None = None,
    agent_id: str | None = None,
) -> Call[list[Block]]:
    """The user's blocks for all agents (`user`), with its agents or one of them (`agent`), or both (`all`)."""
    return get(asker, "/memory/blocks", data_of(Block), {"scope": scope, "agent_id": agent_id})


def read_block(
    asker: Scope,
    block_type: BlockType,
    *,
    scope: BlockScope | None = None,
    agent_id: str | None = None,
    as_of: datetime | None = None,
) -> Call[Block]:
    """One block, now or as it stood at an instant."""
    path = at("memory", "blocks", block_type)
    return get(asker, path, one(Block), {**_place(asker, scope, agent_id), "as_of": as_of})


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
    """Replace the whole block if its `updated_at` is still `expected_updated_at` (None: there is no block yet).

    Otherwise raises Conflict with the present block as `current`: merge with it and try again.
    """
    return put(
        asker,
        at("memory", "blocks", block_type),
        one(Block),
        {"content": content, "expected_updated_at": _stamp(expected_updated_at)},
        query=_place(asker, scope, agent_id),
        if_match=if_match,
        conflict_as=Block,
    )


def edit_line(
    asker: Scope,
    block_type: BlockType,
    *,
    old_line: str | None = None,
    new_line: str | None = None,
    scope: BlockScope | None = None,
    agent_id: str | None = None,
    if_match: int | None = None,
) -> Call[Block]:
    """Add a line (`new_line` alone; it creates the block if there is none), replace one, or remove one (`old_line` alone).

    Raises Conflict with the present block as `current` if `old_line` is not there exactly once.
    """
    return patch(
        asker,
        at("memory", "blocks", block_type),
        one(Block),
        given(old_line=old_line, new_line=new_line),
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
    """Delete a block; with `expected_updated_at`, only if that is still its `updated_at`. Its history stays."""
    place = {**_place(asker, scope, agent_id), "expected_updated_at": expected_updated_at}
    path = at("memory", "blocks", block_type)
    return delete(asker, path, query=place, if_match=if_match, conflict_as=Block)


def history(
    asker: Scope,
    block_type: BlockType,
    *,
    scope: BlockScope | None = None,
    agent_id: str | None = None,
    limit: int = 1000,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[BlockRevision]]:
    """Revisions of a block, newest first, the current one included. The cursors are their `version_id`."""
    path = at("memory", "blocks", block_type, "history")
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(asker, path, page_of(BlockRevision), {**page, **_place(asker, scope, agent_id)})


def diff(
    asker: Scope,
    block_type: BlockType,
    since: Point,
    until: Point,
    *,
    scope: BlockScope | None = None,
    agent_id: str | None = None,
) -> Call[TextDiff]:
    """What changed in a block between two versions or times, in either order."""
    path = at("memory", "blocks", block_type, "diff")
    asked: Query = {**_place(asker, scope, agent_id), "from": since, "to": until}
    return get(asker, path, one(TextDiff), asked)


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
    """Write an earlier text as a new version; `expected_updated_at` as for a write, None for a deleted block."""
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
    """Find archival lines of the user, best first, also of the block with the given agent, else the client's.

    An empty query lists all lines.
    """
    body = given(query=query, agent_id=agent_id or asker.agent, limit=limit, min_score=min_score)
    return ask(asker, "/memory/recall", data_of(RecalledLine), body)


def _place(asker: Scope, scope: BlockScope | None, agent_id: str | None) -> Query:
    if scope == "agent":
        return {"scope": "agent", "agent_id": asker.must_agent(agent_id)}
    return {"scope": scope, "agent_id": agent_id}


def _stamp(at: datetime | None) -> str | None:
    return None if at is None else instant(at)
