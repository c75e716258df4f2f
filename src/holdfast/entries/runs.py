"""Runs: a run's `conversation` entries live exactly as long as it does.

A run ends when it is told to, or 24 hours after it was last used. The second holds for every read and write from that
instant on; a job deletes the entries. A run's row is always locked before its agent's quota. Runs belong to their agent:
agent keys and service keys start, end and use them (`sight.must_act_as_agent`); for a user's key there is none.
"""

from datetime import datetime, timedelta

from holdfast.entries import hydration
from holdfast.entries.model import (
    DEFAULT_BUDGET_BYTES,
    RUN_IDLES_AT_MOST,
    HydratedRun,
    Run,
)
from holdfast.entries.quota import Quota
from holdfast.entries.reach import Reach
from holdfast.entries.retention import Gone
from holdfast.kernel import jobs, sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import NotFound, RunEnded, ScopeDenied
from holdfast.kernel.ids import is_id, new_id
from holdfast.kernel.places import enter_agent
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import load

queries = load(__file__)

END_IDLE = "entries.end_idle_run"
# Reads move a run's last activity at most this often.
READS_COUNT_EVERY = timedelta(minutes=1)


async def start_run(
    db: Database,
    caller: Caller,
    agent_id: str,
    *,
    with_hydration: bool = False,
    budget_bytes: int = DEFAULT_BUDGET_BYTES,
) -> Run:
    """A new run of an agent; with what the agent sees at its start, when asked for."""
    speaking = caller.speaking_as(agent_id)
    sight.must_act_as_agent(caller, "starting a run")
    async with db.begin(speaking) as tx:
        await enter_agent(tx, caller, agent_id, to_write=True)
        run_id = new_id("run")
        await tx.run(queries.start_run, run_id=run_id, agent_id=agent_id)
        await tx.revise("run", run_id, version=1, action="started", parent_id=_agent(agent_id))
        await _watch(tx, run_id)
        if not with_hydration:
            return Run(run_id, agent_id, tx.now, None)
        reach = Reach.of(caller, agent_id, run_id)
        seen = await hydration.fill(tx, reach, budget_bytes=budget_bytes)
        return HydratedRun(run_id, agent_id, tx.now, None, hydration=seen)


async def end_run(db: Database, caller: Caller, agent_id: str, run_id: str) -> Run:
    """End a run and delete its entries; one that has ended stays as it is."""
    speaking = caller.speaking_as(agent_id)
    sight.must_act_as_agent(caller, "ending a run")
    async with db.begin(speaking) as tx:
        await enter_agent(tx, caller, agent_id, to_write=False)
        _check_form(run_id)
        ended = await tx.one(Run, queries.end_run, run_id=run_id, agent_id=agent_id, **_limits(tx))
        if ended is None:
            return await _find(tx, agent_id, run_id)
        quota = await _delete_entries(tx, ended)
    quota.tally.report()
    return ended


async def end_if_idle(db: Database, caller: Caller, run_id: str) -> jobs.Outcome:
    """The job: end a run that idled too long, or look again when it could have."""
    quota = None
    async with db.begin(caller) as tx:
        ended = await tx.one(Run, queries.end_if_idle, run_id=run_id, **_limits(tx))
        if ended is not None:
            quota = await _delete_entries(tx, ended)
        else:
            await _watch(tx, run_id)
    if quota is not None:
        quota.tally.report()
    return jobs.Outcome({"ended": ended is not None})


async def write_under(tx: Tx, caller: Caller, agent_id: str, run_id: str | None) -> None:
    """Refuse a write under a run that has ended (RunEnded) or is not this agent's (NotFound); note that it is used."""
    if run_id is None:
        return
    sight.must_act_as_agent(caller, "writing under a run")
    _check_form(run_id)
    live = await tx.one(
        str, queries.write_under_run, run_id=run_id, agent_id=agent_id, **_limits(tx)
    )
    if live is None:
        run = await _find(tx, agent_id, run_id)
        raise RunEnded(f"run {run.run_id!r} has ended; start another")


async def read_under(tx: Tx, caller: Caller, agent_id: str, run_id: str | None) -> str | None:
    """The run if it lives, None if it has ended; NotFound if it is not this agent's, and for a user's key."""
    if run_id is None:
        return None
    try:
        sight.must_act_as_agent(caller, "reading a run")
    except ScopeDenied:
        raise NotFound(f"there is no run {run_id!r}") from None
    _check_form(run_id)
    run = await _find(tx, agent_id, run_id)
    if run.ended_at is not None:
        return None
    await tx.run(
        queries.read_under_run,
        run_id=run_id,
        agent_id=agent_id,
        stale_since=tx.now - READS_COUNT_EVERY,
        **_limits(tx),
    )
    return run_id


def _check_form(run_id: str) -> None:
    """Refuse what cannot be the id of a run."""
    if not is_id(run_id, "run"):
        raise NotFound(f"there is no run {run_id!r}")


async def _find(tx: Tx, agent_id: str, run_id: str) -> Run:
    run = await tx.one(Run, queries.read_run, run_id=run_id, agent_id=agent_id, **_limits(tx))
    if run is None:
        raise NotFound(f"there is no run {run_id!r} of agent {agent_id!r}")
    return run


async def _delete_entries(tx: Tx, run: Run) -> Quota:
    """Delete the entries of a run that has just ended."""
    agent = _agent(run.agent_id)
    await tx.revise("run", run.run_id, version=2, action="ended", parent_id=agent)
    quota = await Quota.lock(tx, agent, [])
    entries = await tx.all(Gone, queries.entries_of_run, run_id=run.run_id)
    await quota.remove(entries, "run_ended")
    await quota.save()
    return quota


def _agent(agent_id: str) -> str:
    return Audience(agent_id=agent_id).text


async def _watch(tx: Tx, run_id: str) -> None:
    """Have a job look at the run when it could have idled too long."""
    deadline = await tx.one(datetime, queries.idle_deadline, run_id=run_id, idles=RUN_IDLES_AT_MOST)
    if deadline is not None:
        once = f"{run_id} {deadline.isoformat()}"
        await jobs.enqueue(tx, END_IDLE, run_id, once=once, not_before=deadline)


def _limits(tx: Tx) -> dict[str, object]:
    return {"idle_since": tx.now - RUN_IDLES_AT_MOST, "idles": RUN_IDLES_AT_MOST}
