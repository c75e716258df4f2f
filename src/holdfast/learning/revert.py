"""Undo what a job wrote, through revisions: each object that nobody has changed since becomes what it was before the job.

A memory that the job made is retired, since nothing here deletes memories; everything else that it made is taken away.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from holdfast.blocks import service as blocks
from holdfast.blocks.lines import entries_of
from holdfast.blocks.model import BlockType
from holdfast.entries import history as entry_history
from holdfast.entries import service as entries
from holdfast.kernel import jobs, metrics, revisions
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import BackendUnavailable, Conflict, HoldfastError
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import load
from holdfast.learning.proposal import StoredProposal
from holdfast.learning.run import owner_of
from holdfast.memories import service as memories
from holdfast.memories.graph import edges, nodes
from holdfast.memories.graph.model import NewItem

queries = load(__file__)

ObjectKind = Literal["block", "memory", "entry", "node", "node_item", "node_edge"]
# Relations before the nodes that they join, rows before the blocks that lines came from.
ORDER: tuple[ObjectKind, ...] = ("node_edge", "node_item", "node", "memory", "entry", "block")
CHANGED = "it was changed since"


class _NothingLeft(Exception):
    """What the job made, the job itself has ended."""


@dataclass(frozen=True, slots=True)
class RevertedObject:
    """An object that is again what it was before the job."""

    kind: ObjectKind
    id: str


@dataclass(frozen=True, slots=True)
class KeptObject:
    """An object that stays as it is, and why."""

    kind: ObjectKind
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reverted:
    """What undoing a job came to."""

    job_id: str
    reverted: list[RevertedObject] = field(default_factory=list)
    kept: list[KeptObject] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Change:
    """What a job did to one object: versions `first` to `last`, and the newest there is."""

    kind: ObjectKind
    object_id: str
    first: int
    last: int
    number: int
    newest: int
    action: str
    label: str | None
    parent_id: str | None
    node_id: str | None

    @property
    def is_untouched(self) -> bool:
        """Whether nobody else has changed it since the job began with it."""
        return self.newest == self.last and self.number == self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class _Block:
    user_id: str
    agent_id: str | None
    block_type: BlockType
    updated_at: datetime
    is_deleted: bool


@dataclass(frozen=True, slots=True)
class _Undoing:
    db: Database
    tx: Tx
    caller: Caller
    job_proposals: list[str]


async def revert_job(db: Database, caller: Caller, job_id: str) -> Reverted:
    """Undo a job that is over, in one transaction."""
    job = await jobs.read_job(db, caller, job_id)
    if job.status in ("queued", "running"):
        raise Conflict(f"this job is {job.status}: cancel it, or wait for its end", current=job)
    answer = Reverted(job_id)
    async with db.begin(caller) as tx:
        await tx.run(queries.lock_owner, audience=owner_of(caller))
        proposals = await tx.all(StoredProposal, queries.job_proposals, job_id=job_id)
        undoing = _Undoing(db, tx, caller, [each.id for each in proposals])
        changes = await tx.all(_Change, queries.changes_of_job, job_id=job_id)
        for change in sorted(changes, key=lambda each: ORDER.index(each.kind)):
            await _undo(undoing, change, answer)
        done = {each.id for each in answer.reverted}
        over = [each.id for each in proposals if each.result and each.result.id in done]
        if over:
            await tx.run(queries.revert_proposals, ids=over)
            await tx.run(queries.end_facts, ids=over)
        _count(tx, answer)
    return answer


def _count(tx: Tx, answer: Reverted) -> None:
    tx.on_commit(lambda: metrics.learning_reverts.labels("reverted").inc(len(answer.reverted)))
    tx.on_commit(lambda: metrics.learning_reverts.labels("kept").inc(len(answer.kept)))


async def _undo(undoing: _Undoing, change: _Change, answer: Reverted) -> None:
    """Undo one object, or say why not."""
    if change.kind == "node" and change.first > 1:
        return  # only its items changed, which are undone themselves
    if not change.is_untouched:
        answer.kept.append(KeptObject(change.kind, change.object_id, CHANGED))
        return
    try:
        await UNDO[change.kind](undoing, change)
    except _NothingLeft:
        return
    except BackendUnavailable:
        raise  # the whole undoing failed: nothing of it is kept, and it may be asked for again
    except HoldfastError as error:
        answer.kept.append(KeptObject(change.kind, change.object_id, error.detail))
    else:
        answer.reverted.append(RevertedObject(change.kind, change.object_id))


async def _before(undoing: _Undoing, change: _Change) -> revisions.Revision | None:
    """The object as it was before the job; None where it was not there."""
    if change.first == 1:
        return None
    found = await revisions.at_version(undoing.tx, change.kind, change.object_id, change.first - 1)
    return None if found.content is None and found.state is None else found


async def _undo_memory(undoing: _Undoing, change: _Change) -> None:
    if change.first == 1:
        present = await memories.read_memory(
            undoing.db, undoing.caller, change.object_id, include_expired=True
        )
        if present.valid_to is not None and present.valid_to <= undoing.tx.now:
            raise _NothingLeft
        await memories.retire_memory(
            undoing.db, undoing.caller, change.object_id, if_match=[change.last]
        )
        return
    await memories.restore_memory(
        undoing.db,
        undoing.caller,
        change.object_id,
        change.first - 1,
        include_expired=True,
        if_match=[change.last],
        revive=False,
    )
    await undoing.tx.run(
        queries.fact_back, object_id=change.object_id, not_ids=undoing.job_proposals
    )


async def _undo_block(undoing: _Undoing, change: _Change) -> None:
    caller = undoing.caller
    block = await undoing.tx.one(
        _Block, queries.block_by_id, id=change.object_id, user_id=caller.must_be_user()
    )
    if block is None:
        raise Conflict("the block is another user's")
    where = Audience(user_id=block.user_id, agent_id=block.agent_id)
    before = await _before(undoing, change)
    if before is None:
        await blocks.delete_block(
            undoing.db, caller, where, block.block_type, expected_updated_at=block.updated_at
        )
        return
    await blocks.restore_block(
        undoing.db,
        caller,
        where,
        block.block_type,
        change.first - 1,
        expected_updated_at=None if block.is_deleted else block.updated_at,
    )
    await undoing.tx.run(
        queries.facts_back,
        audience=owner_of(caller),
        object_id=change.object_id,
        lines=[line.content for line in entries_of(before.content or "")],
        not_ids=undoing.job_proposals,
    )


async def _undo_entry(undoing: _Undoing, change: _Change) -> None:
    agent_id, scope = _entry_owner(change.parent_id or "")
    caller, key = undoing.caller, change.label or ""
    before = await _before(undoing, change)
    if before is None and change.action in ("forgotten", "evicted"):
        raise _NothingLeft
    if before is None:
        await entries.forget(undoing.db, caller, agent_id, key, scope=scope, if_match=[change.last])
    else:
        await entry_history.restore(
            undoing.db, caller, agent_id, key, change.first - 1, scope=scope
        )
        await undoing.tx.run(
            queries.fact_back, object_id=change.object_id, not_ids=undoing.job_proposals
        )


def _entry_owner(audience: str) -> tuple[str, Any]:
    """The agent and the scope of an entry, from `agent:bot` or `agent:bot+user:ana`."""
    names = dict(part.split(":", 1) for part in audience.split("+") if ":" in part)
    return names.get("agent", ""), "user" if "user" in names else "agent"


async def _undo_item(undoing: _Undoing, change: _Change) -> None:
    if change.first == 1 and change.last > 1:
        raise _NothingLeft
    if change.first == 1:
        await nodes.delete_item(undoing.db, undoing.caller, change.node_id or "", change.object_id)
        return
    was = await revisions.at_version(undoing.tx, "node_item", change.object_id, change.first - 1)
    state = was.state or {}
    item = NewItem(was.content or "", state.get("source", "manual"), state.get("memory_id"))
    await nodes.add_item(undoing.db, undoing.caller, state["node_id"], item)


async def _undo_edge(undoing: _Undoing, change: _Change) -> None:
    if change.first == 1:
        await edges.delete_edge(
            undoing.db, undoing.caller, change.object_id, if_match=[change.last]
        )
        return
    was = await revisions.at_version(undoing.tx, "node_edge", change.object_id, change.first - 1)
    state = was.state or {}
    given = {name: _time(state.get(name)) for name in ("valid_from", "valid_to")}
    await edges.put_edge(
        undoing.db,
        undoing.caller,
        from_id=state["from"],
        to_id=state["to"],
        relation=state["relation"],
        given={"weight": state["weight"], **given},
    )


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


async def _undo_node(undoing: _Undoing, change: _Change) -> None:
    node = await nodes.read_node(undoing.db, undoing.caller, change.object_id)
    if node.items:
        raise Conflict("others have written about this node since")
    await nodes.delete_node(undoing.db, undoing.caller, change.object_id)


Undo = Callable[[_Undoing, _Change], Awaitable[None]]

UNDO: dict[ObjectKind, Undo] = {
    "memory": _undo_memory,
    "block": _undo_block,
    "entry": _undo_entry,
    "node": _undo_node,
    "node_item": _undo_item,
    "node_edge": _undo_edge,
}

__all__: Sequence[str] = ("KeptObject", "Reverted", "RevertedObject", "revert_job")
