"""Read, list, write, delete, restore; what became of a block. (Searching an archive: recall.py.)"""

from dataclasses import replace
from datetime import datetime
from typing import Literal

from holdfast.blocks import archive
from holdfast.blocks.archive import NO_AGENT, Archive
from holdfast.blocks.model import Block, BlockRevision, BlockScope, BlockType, check_content
from holdfast.kernel import clock, revisions, sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, Malformed, NotFound, PreconditionFailed
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.places import enter_agent
from holdfast.kernel.revisions import Revision
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import load

queries = load(__file__)

IfMatch = list[int] | None
KIND = "block"


def place_of(caller: Caller, scope: BlockScope | None, agent_id: str | None) -> Audience:
    """Whose block is meant: the user's, or the user's with one agent. `agent_id` alone means that agent's.

    An agent's key that says `agent` means its own agent.
    """
    user_id = caller.must_be_user()
    if scope == "user" and agent_id is not None:
        raise Malformed.field("agent_id", "goes with scope=agent; scope=user is for all agents")
    if scope == "agent" and agent_id is None:
        agent_id = caller.agent_id
        if agent_id is None:
            raise Malformed.field("agent_id", "name the agent that scope=agent is about")
    return Audience(user_id=user_id, agent_id=agent_id)


async def read_block(db: Database, caller: Caller, where: Audience, block_type: BlockType) -> Block:
    """One block as it is now."""
    async with db.read(caller) as tx:
        await enter(tx, caller, where, to_write=False)
        block = await _current(tx, where, block_type)
    if block is None:
        raise NotFound(f"there is no {block_type} block here yet")
    return block


async def list_blocks(
    db: Database,
    caller: Caller,
    scope: Literal["user", "agent", "all"] | None = None,
    agent_id: str | None = None,
) -> list[Block]:
    """The user's blocks, the user's with its agents (or with one), or all of them; core before archival."""
    scope = scope or ("user" if agent_id is None else "agent")
    if scope == "user":
        agent_id = place_of(caller, scope, agent_id).agent_id
    elif caller.credential == "agent":
        agent_id = agent_id or caller.agent_id
    where = Audience(user_id=caller.must_be_user(), agent_id=agent_id)
    async with db.read(caller) as tx:
        await enter(tx, caller, where, to_write=False)
        if scope != "user" and agent_id is None:
            return await tx.all(
                Block,
                queries.list_blocks,
                user_id=where.user_id,
                workspace_id=caller.workspace_id,
                with_user=scope == "all",
            )
        return await tx.all(
            Block,
            queries.blocks_at,
            user_id=where.user_id,
            places=[NO_AGENT, agent_id or NO_AGENT] if scope == "all" else [agent_id or NO_AGENT],
            block_types=["core", "archival"],
            workspace_id=caller.workspace_id,
        )


async def read_core(db: Database, caller: Caller, agent_id: str | None) -> list[Block]:
    """The user's core block, and that with an agent, as far as there are any; in one round trip."""
    return await db.all(
        caller,
        Block,
        queries.blocks_at,
        user_id=caller.must_be_user(),
        places=[NO_AGENT, agent_id or NO_AGENT],
        block_types=["core"],
        workspace_id=caller.workspace_id,
    )


async def write_block(
    db: Database,
    caller: Caller,
    where: Audience,
    block_type: BlockType,
    content: str,
    *,
    expected_updated_at: datetime | None,
    if_match: IfMatch = None,
) -> Block:
    """Replace a block whole, unless it changed since the caller read it.

    `expected_updated_at` is the `updated_at` last read; None means "there is none yet". Conflict otherwise, with the
    block as it is.
    """
    check_content(block_type, content)
    return await _replace(
        db, caller, where, block_type, content, expected_updated_at, if_match, action=None
    )


async def restore_block(
    db: Database,
    caller: Caller,
    where: Audience,
    block_type: BlockType,
    version: int,
    *,
    expected_updated_at: datetime | None,
    if_match: IfMatch = None,
) -> Block:
    """Bring an earlier text back as a new version, under the same compare-and-set; of a deleted block too."""
    async with db.read(caller) as tx:
        await enter(tx, caller, where, to_write=False)
        block_id = await must_have_been(tx, where, block_type)
        then = await revisions.at_version(tx, KIND, block_id, version)
    if then.content is None:
        raise NotFound(f"version {version} has no text to bring back: it is {then.action}")
    return await _replace(
        db,
        caller,
        where,
        block_type,
        then.content,
        expected_updated_at,
        if_match,
        action="restored",
    )


async def delete_block(
    db: Database,
    caller: Caller,
    where: Audience,
    block_type: BlockType,
    *,
    expected_updated_at: datetime | None = None,
    if_match: IfMatch = None,
) -> None:
    """Delete a block; with `expected_updated_at` only if it is unchanged since. Its history stays."""
    async with db.begin(speaker_for(caller, where)) as tx:
        await enter(tx, caller, where, to_write=False)
        held = await tx.send(
            Archive, queries.hold_archive, names_of(where)
        )  # travels with what follows
        gone = await tx.one(
            Block,
            queries.delete_block,
            **names_of(where),
            block_type=block_type,
            expected_updated_at=expected_updated_at,
            if_match=if_match,
        )
        if gone is None:
            current = await _current(tx, where, block_type)
            if current is None and if_match is None:
                raise NotFound(f"there is no {block_type} block here")
            raise refusal(current, if_match)
        await tx.revise(
            KIND, gone.id, version=gone.version, action="deleted", label=_label(where, block_type)
        )
        if block_type == "archival":
            await archive.reindex(tx, None, await held.fetchone())


async def history(
    db: Database,
    caller: Caller,
    where: Audience,
    block_type: BlockType,
    cursor: Cursor = revisions.LATEST,
) -> Page[BlockRevision]:
    """Revisions of a block, newest first, those before a deletion included."""
    async with db.read(caller) as tx:
        await enter(tx, caller, where, to_write=False)
        block_id = await must_have_been(tx, where, block_type)
        found = await revisions.history(tx, KIND, block_id, cursor)
    return found.showing(lambda each: _as_it_was(each, block_type))


# --- what they share -------------------------------------------------------------------------------------------------


def speaker_for(caller: Caller, where: Audience) -> Caller:
    """The caller with the block's agent, for the revision."""
    return caller if where.agent_id is None else caller.speaking_as(where.agent_id)


async def enter(tx: Tx, caller: Caller, where: Audience, *, to_write: bool) -> None:
    """Refuse an agent or a user that the caller may not act for; a write registers the agent."""
    if where.agent_id is not None:
        caller = await enter_agent(tx, caller, where.agent_id, to_write=to_write)
    sight.must_see(caller, where)


async def _current(tx: Tx, where: Audience, block_type: BlockType) -> Block | None:
    return await tx.one(
        Block,
        queries.read_block,
        **names_of(where),
        block_type=block_type,
    )


async def _replace(
    db: Database,
    caller: Caller,
    where: Audience,
    block_type: BlockType,
    content: str,
    expected_updated_at: datetime | None,
    if_match: IfMatch,
    *,
    action: str | None,
) -> Block:
    """Write a text under compare-and-set, with its revision and, of an archive, its lines in recall."""
    before = None
    if block_type == "archival":
        # Read ahead: when the compare-and-set holds, this is what it replaces, and new lines are embedded by then.
        before = await db.one(caller, Archive, queries.archive_before, **names_of(where))
        await archive.prefetch_embeddings(
            db, _archive(where, "", content, before, clock.now()), before
        )
    async with db.begin(speaker_for(caller, where)) as tx:
        await enter(tx, caller, where, to_write=True)
        block = await put_text(
            tx, where, block_type, content, before, expected_updated_at, if_match, action=action
        )
        if block is None:
            raise refusal(await _current(tx, where, block_type), if_match)
    return block


async def put_text(
    tx: Tx,
    where: Audience,
    block_type: BlockType,
    content: str,
    before: Archive | None,
    expected_updated_at: datetime | None,
    if_match: IfMatch,
    *,
    action: str | None = None,
) -> Block | None:
    """Write a text with its revision and, of an archive, its lines in recall; `before` is the archive that it replaces. None
    where the compare-and-set failed."""
    draft = _archive(where, new_id("blk"), content, before, tx.now)
    block = await _write(tx, block_type, draft, expected_updated_at, if_match)
    if block is None:
        return None
    await tx.revise(
        KIND,
        block.id,
        version=block.version,
        action=action or ("created" if expected_updated_at is None else "updated"),
        label=_label(where, block_type),
        state={"entries": block.entries, "characters": block.characters},
        content=content,
    )
    if block_type == "archival":
        await archive.reindex(tx, replace(draft, id=block.id), before)
    return block


def _archive(
    where: Audience, block_id: str, content: str, before: Archive | None, now: datetime
) -> Archive:
    return Archive(
        id=before.id if before is not None else block_id,
        user_id=where.user_id or "",
        agent_id=where.agent_id,
        content=content,
        came_at=archive.times_of(content, before, now),
        updated_at=now,
    )


async def _write(
    tx: Tx,
    block_type: BlockType,
    draft: Archive,
    expected_updated_at: datetime | None,
    if_match: IfMatch,
) -> Block | None:
    """Write the row; None where the compare-and-set failed."""
    return await tx.one(
        Block,
        queries.create_block if expected_updated_at is None else queries.replace_block,
        id=draft.id,
        user_id=draft.user_id,
        agent_id=draft.agent_id,
        place=draft.agent_id or NO_AGENT,
        block_type=block_type,
        content=draft.content,
        entries=len(draft.came_at),
        came_at=draft.came_at,
        expected_updated_at=expected_updated_at,
        if_match=if_match,
    )


def names_of(where: Audience) -> dict[str, str | None]:
    """Whose block it is, as the parameters of a statement."""
    return {"user_id": where.user_id, "place": where.agent_id or NO_AGENT}


def refusal(current: Block | None, if_match: IfMatch) -> Conflict | PreconditionFailed:
    """The error for a write that matched no row: If-Match is checked first, then expected_updated_at."""
    if if_match is not None and (current is None or current.version not in if_match):
        return PreconditionFailed("the block changed since that ETag")
    if current is None:
        return Conflict("there is no such block any more: write it with expected_updated_at null")
    return Conflict(
        "the block is not as it was read: merge with `current`, and send its updated_at",
        current=current,
    )


async def must_have_been(tx: Tx, where: Audience, block_type: BlockType) -> str:
    """The id of a block, deleted ones included; NotFound if there never was one."""
    block_id = await tx.one(
        str,
        queries.id_of_block,
        **names_of(where),
        block_type=block_type,
    )
    if block_id is None:
        raise NotFound(f"there never was a {block_type} block here")
    return block_id


def _label(where: Audience, block_type: BlockType) -> str:
    return f"{'user' if where.agent_id is None else where.agent_id}/{block_type}"


def _as_it_was(revision: Revision, block_type: BlockType) -> BlockRevision:
    state = revision.state or {}
    return BlockRevision(
        id=revision.id,
        version_id=revision.id,
        block_type=block_type,
        version=revision.version,
        action=revision.action,
        actor=revision.actor,
        user_id=revision.user_id,
        created_at=revision.created_at,
        request_id=revision.request_id,
        content=revision.content,
        entries=state.get("entries"),
        characters=state.get("characters"),
    )
