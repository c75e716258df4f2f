"""Learning on demand: append to a session, settle it now, extract from messages that are sent along."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from holdfast.conversations import service as conversations
from holdfast.conversations.instances import InstanceRequest
from holdfast.conversations.intake import as_list, take_in
from holdfast.conversations.model import MAX_MESSAGES_PER_APPEND, AppendResult
from holdfast.conversations.resources.config import BUILT_IN, built_in
from holdfast.directory import sessions as directory
from holdfast.kernel.caller import Caller
from holdfast.kernel.ids import new_id
from holdfast.learning import run as learning_run
from holdfast.learning.privacy import masked, org_redactor
from holdfast.learning.proposal import Proposal
from holdfast.learning.reading import Readable, Reading, learn, read
from holdfast.learning.recording import Origin
from holdfast.learning.sessions import read_session, request_settling
from holdfast.learning.settle import (
    Learning,
    ReadPart,
    RollBack,
    again_if_changed,
    has_new,
    read_ahead,
    rehearse,
)
from holdfast.memories.model import Place
from holdfast.memories.sight import enter


@dataclass(frozen=True, slots=True)
class Settling:
    """The job that settles a session; without one there was nothing new."""

    job_id: str | None
    status: Literal["queued", "running", "nothing_new"]


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What settling would propose."""

    proposals: list[Proposal]


@dataclass(frozen=True, slots=True)
class Extraction:
    """What messages were made into, and how much of it was written."""

    proposals: list[Proposal]
    applied: int


async def append_messages(
    learning: Learning,
    caller: Caller,
    session_id: str,
    messages: Any,
    *,
    agent_id: str | None = None,
    project_id: str | None = None,
) -> AppendResult:
    """Append to the session's own conversation, in the resource `sessions` under the session's id."""
    request = InstanceRequest(BUILT_IN, session_id, None, agent_id, project_id, session_id)
    return await conversations.append(learning.backends, caller, request, messages)


async def settle_session(learning: Learning, caller: Caller, session_id: str) -> Settling:
    """Have a job learn from what is new in a session."""
    db = learning.backends.db
    await directory.read_session(db, caller, session_id)
    session = await read_session(db, caller, session_id)
    if not await has_new(learning, session, caller):
        return Settling(None, "nothing_new")
    async with db.begin(session.acting(caller)) as tx:
        job_id, status = await request_settling(tx, session_id)
    return Settling(job_id, "running" if status == "running" else "queued")


async def read_session_ahead(learning: Learning, caller: Caller, session_id: str) -> list[ReadPart]:
    """Have the extractor read what is new in a session, for `rehearse_settling`. Belongs before any transaction."""
    db = learning.backends.db
    await directory.read_session(db, caller, session_id)
    session = await read_session(db, caller, session_id)
    return await read_ahead(learning, session, caller)


async def rehearse_settling(
    learning: Learning, caller: Caller, session_id: str, *, read: list[ReadPart] | None = None
) -> Rehearsed:
    """What settling would propose now. Nothing is changed. `read` is what `read_session_ahead` gave."""
    db = learning.backends.db
    await directory.read_session(db, caller, session_id)
    session = await read_session(db, caller, session_id)
    return Rehearsed(await rehearse(learning, session, caller, read))


async def read_messages(
    learning: Learning, caller: Caller, messages: Any, *, agent_id: str | None = None
) -> Reading:
    """Have the extractor read messages that were sent along. Asks models, so it belongs before any transaction."""
    db = learning.backends.db
    given = as_list(messages, MAX_MESSAGES_PER_APPEND)
    resource = built_in()
    intake = await take_in(resource, learning.backends.counter(resource), given)
    redactor = await org_redactor(db, caller)
    text = Readable(await masked(intake.drafts, redactor), redactors=(redactor,))
    named = caller if agent_id is None else caller.speaking_as(agent_id)
    return await read(db, learning.extractor, named, text)


async def extract_now(
    learning: Learning,
    caller: Caller,
    messages: Any,
    *,
    agent_id: str | None = None,
    session_id: str | None = None,
    dry_run: bool = False,
    reading: Reading | None = None,
) -> Extraction:
    """Learn from messages that are sent along, without keeping them; `reading` is what they were read as before."""
    db = learning.backends.db
    known = reading or await read_messages(learning, caller, messages, agent_id=agent_id)
    place = Place(None, agent_id, session_id)
    conversation = f"{BUILT_IN}/{session_id}" if session_id else f"extract/{new_id('req')}"
    origin = Origin(learning.extractor.name, conversation, session_id)

    async def attempt() -> list[Proposal]:
        proposals: list[Proposal] = []
        with suppress(RollBack):
            async with db.begin(caller) as tx:
                speaking = await enter(tx, caller, place, to_write=True)
                run = await learning_run.open_run(db, tx, speaking, origin)
                proposals = await learn(run, known)
                if dry_run:
                    proposals = [each.rehearsed for each in proposals]
                    raise RollBack
        return proposals

    made = await again_if_changed(attempt)
    changed = [each for each in made if each.status == "applied" and each.action != "none"]
    return Extraction(made, 0 if dry_run else len(changed))
