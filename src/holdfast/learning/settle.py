"""The job that learns from a session: what came after `settled_through`, once.

Reading and extracting happen outside of a transaction, since a model may take its time. Everything that is decided and
written, and `settled_through` itself, is one transaction: it commits only where `settled_through` is still what was read. So a
worker that is killed at any step, two workers, and a repeated job come to the same end as one run.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from holdfast.conversations.backends import Backends
from holdfast.conversations.everything import MessagesAfter, read_after
from holdfast.conversations.instances import InstanceRequest, OpenInstance, open_instance
from holdfast.kernel import jobs, metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import Conflict, NotFound, PreconditionFailed
from holdfast.kernel.jobs import Handler, Outcome
from holdfast.kernel.sql import load
from holdfast.learning import run as learning_run
from holdfast.learning.extractor import Extractor
from holdfast.learning.privacy import drafts_of, masked, org_redactor
from holdfast.learning.proposal import Proposal
from holdfast.learning.reading import Readable, Reading, learn, read
from holdfast.learning.recording import Origin
from holdfast.learning.sessions import SessionRow, read_session

queries = load(__file__)

T = TypeVar("T")

BATCH = 100
"""How many messages one transaction learns from."""
ATTEMPTS = 5
"""How often a run decides again when somebody changed what it was about to change."""
CHANGED = (Conflict, PreconditionFailed, NotFound)


class Overtaken(Exception):
    """Another run has moved `settled_through` since it was read."""


@dataclass(frozen=True, slots=True)
class Learning:
    """What settling works with."""

    backends: Backends
    extractor: Extractor


@dataclass(frozen=True, slots=True)
class _Conversation:
    resource_id: str
    key: str
    message_id: str | None

    @property
    def name(self) -> str:
        return f"{self.resource_id}/{self.key}"


@dataclass(frozen=True, slots=True)
class _Part:
    """New messages of one conversation, as an extractor may read them."""

    conversation: _Conversation
    text: Readable


@dataclass(frozen=True, slots=True)
class ReadPart:
    """New messages of one conversation, and what the extractor made of them."""

    part: _Part
    reading: Reading


# --- the job ---------------------------------------------------------------------------------------------------------


def handler(learning: Learning) -> Handler:
    """The job `settle`; its subject is a session."""

    async def run(caller: Caller, subject: str) -> Outcome:
        session = await read_session(learning.backends.db, caller, subject)
        acting, job_id = session.acting(caller), caller.credential_id
        for conversation in await _conversations(learning, acting, subject):
            await _settle_conversation(learning, acting, conversation, job_id)
        return await _finish(learning, acting, session, job_id)

    return run


async def _settle_conversation(
    learning: Learning, acting: Caller, conversation: _Conversation, job_id: str
) -> None:
    """Learn from a conversation until nothing is new."""
    for _ in range(10_000):
        part = await _read_part(learning, acting, conversation)
        if part is None:
            return
        reading = await read(learning.backends.db, learning.extractor, acting, part.text)
        with suppress(Overtaken):  # another run learned from these messages
            await _apply(learning, acting, ReadPart(part, reading), job_id)
        conversation = await _again(learning, acting, conversation)


async def _again(learning: Learning, acting: Caller, conversation: _Conversation) -> _Conversation:
    found = await _conversations(learning, acting, acting.session_id or "")
    return next((each for each in found if each.name == conversation.name), conversation)


async def _conversations(
    learning: Learning, acting: Caller, session_id: str
) -> list[_Conversation]:
    return await learning.backends.db.all(
        acting, _Conversation, queries.conversations_of, session_id=session_id
    )


async def _read_part(
    learning: Learning, acting: Caller, conversation: _Conversation
) -> _Part | None:
    """The next new messages of a conversation, privacy rules applied; None where there are none."""
    opened, found = await _read_new(learning, acting, conversation)
    if opened is None or found is None or not found.messages:
        return None
    redactors = (opened.resource.redactor, await org_redactor(learning.backends.db, acting))
    new = await masked(drafts_of(found.messages[:BATCH]), *redactors)
    context = await masked(drafts_of(found.context), *redactors)
    return _Part(conversation, Readable(new, context, redactors))


async def _read_new(
    learning: Learning, acting: Caller, conversation: _Conversation
) -> tuple[OpenInstance | None, MessagesAfter | None]:
    """What came after the last message that was learned from. A shared conversation holds other people's words: it is
    not learned from."""
    request = InstanceRequest(conversation.resource_id, conversation.key)
    try:
        opened = await open_instance(learning.backends, acting, request, to_write=False)
    except NotFound:
        return None, None  # the resource is gone
    if opened.resource.shared:
        return None, None
    return opened, await read_after(learning.backends, opened, conversation.message_id)


async def _apply(learning: Learning, acting: Caller, read: ReadPart, job_id: str) -> None:
    """Decide, write and move `settled_through`; decide again where somebody changed what was about to be changed."""
    number = len(read.part.text.messages)
    tokens = read.reading.found.tokens

    async def apply() -> None:
        async with learning.backends.db.begin(acting) as tx:
            await _learn(learning, tx, acting, read, job_id)
            await jobs.add_progress(tx, job_id, tokens=tokens, messages=number)
            tx.on_commit(lambda: metrics.messages_learned.inc(number))

    await again_if_changed(apply)


async def again_if_changed(step: Callable[[], Awaitable[T]]) -> T:
    """Repeat a transaction that found something changed since it read it; the last failure is raised."""
    for _ in range(ATTEMPTS - 1):
        try:
            return await step()
        except CHANGED:
            continue
    return await step()


async def _learn(
    learning: Learning, tx: Tx, acting: Caller, read: ReadPart, job_id: str | None
) -> list[Proposal]:
    conversation, messages = read.part.conversation, read.part.text.messages
    names = {
        "session_id": acting.session_id,
        "resource_id": conversation.resource_id,
        "key": conversation.key,
    }
    origin = Origin(learning.extractor.name, conversation.name, acting.session_id, job_id)
    run = await learning_run.open_run(learning.backends.db, tx, acting, origin)
    if await tx.one(str, queries.hold_progress, **names) != conversation.message_id:
        raise Overtaken
    proposals = await learn(run, read.reading)
    last = messages[-1].id
    await tx.run(queries.move_progress, **names, message_id=last, number=len(messages))
    return proposals


@dataclass(frozen=True, slots=True)
class _Counted:
    action: str
    status: str
    number: int


async def _finish(learning: Learning, acting: Caller, session: SessionRow, job_id: str) -> Outcome:
    """Mark the session settled and the job done, in one transaction."""
    async with learning.backends.db.begin(acting) as tx:
        counted = await tx.all(_Counted, queries.count_proposals, job_id=job_id)
        result = _result(learning, session.id, counted)
        await tx.run(
            queries.mark_settled,
            session_id=session.id,
            activity=session.last_activity_at,
            job_id=job_id,
        )
        await jobs.succeed(tx, job_id, result)
        tx.on_commit(metrics.sessions_settled.labels(learning.extractor.name).inc)
    return Outcome(result)


def _result(learning: Learning, session_id: str, counted: list[_Counted]) -> dict[str, Any]:
    by_action: dict[str, int] = {}
    for each in counted:
        by_action[each.action] = by_action.get(each.action, 0) + each.number
    return {
        "session_id": session_id,
        "extractor": learning.extractor.name,
        "proposals": by_action,
        "applied": sum(
            each.number for each in counted if each.status == "applied" and each.action != "none"
        ),
    }


# --- on demand -------------------------------------------------------------------------------------------------------


class RollBack(Exception):
    """Ends a dry run."""


async def has_new(learning: Learning, session: SessionRow, caller: Caller) -> bool:
    """Whether a session has messages that were not learned from."""
    acting = session.acting(caller)
    for conversation in await _conversations(learning, acting, session.id):
        _, found = await _read_new(learning, acting, conversation)
        if found is not None and found.messages:
            return True
    return False


async def read_ahead(learning: Learning, session: SessionRow, caller: Caller) -> list[ReadPart]:
    """Have the extractor read what is new in a session. Asks models, so it belongs before any transaction."""
    acting = session.acting(caller)
    ahead: list[ReadPart] = []
    for conversation in await _conversations(learning, acting, session.id):
        part = await _read_part(learning, acting, conversation)
        if part is not None:
            reading = await read(learning.backends.db, learning.extractor, acting, part.text)
            ahead.append(ReadPart(part, reading))
    return ahead


async def rehearse(
    learning: Learning,
    session: SessionRow,
    caller: Caller,
    read: Sequence[ReadPart] | None = None,
) -> list[Proposal]:
    """What settling would propose now; everything that it writes is rolled back.

    `read` is what `read_ahead` gave. Where a job has learned from these messages since, the session is read again.
    """
    for _ in range(ATTEMPTS):
        known = read if read is not None else await read_ahead(learning, session, caller)
        try:
            return await _rehearse(learning, session.acting(caller), known)
        except Overtaken:
            read = None
    raise Conflict("jobs keep settling this session: ask again")


async def _rehearse(learning: Learning, acting: Caller, read: Sequence[ReadPart]) -> list[Proposal]:
    proposals: list[Proposal] = []
    with suppress(RollBack):
        async with learning.backends.db.begin(acting) as tx:
            for each in read:
                proposals += await _learn(learning, tx, acting, each, None)
            raise RollBack
    return [each.rehearsed for each in proposals]
