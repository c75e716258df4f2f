"""Put a context together: every part asked for at once, then fitted into the budget."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from holdfast.blocks import service as blocks
from holdfast.blocks.archive import Archive
from holdfast.blocks.lines import entries_of
from holdfast.blocks.model import MAX_QUERY_CHARS, Block
from holdfast.blocks.recall import read_archives, scopes_of, search_archives
from holdfast.context import recalled
from holdfast.context.conversation import Said, read_messages, read_references
from holdfast.context.fit import Hydrated, Parts, core_of, fit
from holdfast.context.model import (
    Context,
    ConversationName,
    MemoryPolicy,
    RecallPolicy,
    Reminder,
    Turn,
    UserMemory,
)
from holdfast.context.prices import price_entries
from holdfast.context.turns import Given, keep_turn, read_turn
from holdfast.context.user_memory import etag_of, render
from holdfast.conversations.backends import Backends
from holdfast.conversations.resources.config import BUILT_IN
from holdfast.directory import agents
from holdfast.entries import hydration, runs
from holdfast.entries.model import DEFAULT_BUDGET_BYTES
from holdfast.entries.reach import Reach
from holdfast.kernel import clock, metrics, usage
from holdfast.kernel import given as given_texts
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import Invalid
from holdfast.kernel.given import GivenText
from holdfast.kernel.recall.answer import Ask as RecallAsk
from holdfast.kernel.recall.answer import View
from holdfast.kernel.recall.model import Question
from holdfast.kernel.recall.search import Begun, Understood, begin, understand
from holdfast.kernel.tokens import Tokenizer, tokenizer_for
from holdfast.memories.model import ANYWHERE
from holdfast.memories.view import look
from holdfast.stores.recall import stores_in_sight


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a context is wanted for."""

    message: str
    agent_id: str | None = None
    session_id: str | None = None
    message_id: str | None = None
    run_id: str | None = None
    policy: MemoryPolicy = field(default_factory=MemoryPolicy)
    recall: RecallPolicy = field(default_factory=RecallPolicy)
    conversation: ConversationName | None = None
    max_tokens: int | None = None
    model: str | None = None
    given_to: str | None = (
        None  # the MCP session that is given the context, where no session is named
    )

    @property
    def turn(self) -> Turn | None:
        """The turn this is for, where both of its names are given."""
        if self.session_id is None or self.message_id is None:
            return None
        return Turn(self.session_id, self.message_id)

    @property
    def query(self) -> str:
        """What is searched for; "" where the message says nothing."""
        return self.message[:MAX_QUERY_CHARS].strip()


@dataclass(frozen=True, slots=True)
class Lines:
    """The archives, read whole, where the message is to search them."""

    begun: Begun
    archives: list[Archive]


@dataclass(frozen=True, slots=True)
class Opened:
    """What is read first: the agent's conversations, the core blocks, what this turn was given before, and where the message
    is to search."""

    references: list[dict[str, Any]]
    blocks: list[Block]
    given: Given
    lines: Lines | None
    recalling: recalled.Recalling | None


async def assemble(backends: Backends, caller: Caller, ask: Ask) -> Context:
    """What to put in a prompt. Asking again for a turn gives the reminders and recalled texts that it got at first."""
    db, speaker = backends.db, _speaking(caller, ask.agent_id)
    if ask.run_id is not None and speaker.agent_id is None:
        raise Invalid.field("run_id", "is a run of an agent: give the agent_id too")
    tokenizer = tokenizer_for(ask.model)
    turn = ask.turn if speaker.user_id is not None else None
    (opened, found, said), hydrated = await _together(
        _open_and_follow(backends, speaker, ask, turn, tokenizer),
        _hydrate(db, speaker, ask.run_id, tokenizer),
    )

    async def fitted(given: Given) -> Context:
        parts = Parts(opened.blocks, given.reminders or [], given.recalled or [], hydrated, said)
        return await fit(ask.policy, tokenizer, ask.max_tokens, parts)

    context = await fitted(found)
    if turn is not None:
        kept = _allowed(ask, await _keep(db, speaker, ask, turn, opened.given, context))
        # Somebody may have asked for the same turn meanwhile and come first.
        if (kept.reminders, kept.recalled) != (context.system_reminders, context.recalled):
            context = await fitted(kept)
    _count(context)
    session_id = ask.session_id or ask.given_to
    await given_texts.record(db, speaker, session_id, _given_by(context, opened.blocks))
    return context


def _given_by(context: Context, core: Sequence[Block]) -> list[GivenText]:
    """What a context holds of memory, text by text: the lines of core, the reminders, what was recalled, the entries."""
    lines = [
        GivenText("block_line", block.id, line.content)
        for block in core
        for line in entries_of(block.content)
    ]
    return [
        *(lines if context.user_memory.content else ()),
        *(GivenText("block_line", each.name, each.content) for each in context.system_reminders),
        *(GivenText(each.kind, each.id, each.text) for each in context.recalled),
        *(GivenText("entry", each.id, each.content) for each in context.entries),
    ]


async def user_memory(db: Database, caller: Caller, agent_id: str | None) -> UserMemory:
    """The core blocks alone."""
    speaker = _speaking(caller, agent_id)
    async with db.together(speaker):
        found, _ = await _together(_read_blocks(db, speaker), _references(db, speaker))
    content = render(user_core=core_of(found, "user"), agent_core=core_of(found, "agent"))
    return UserMemory(content, etag_of(content), Tokenizer().count(content))


# --- what a turn was given -------------------------------------------------------------------------------------------


async def _keep(
    db: Database, speaker: Caller, ask: Ask, turn: Turn, before: Given, context: Context
) -> Given:
    """Store the parts that this call is the first to search for, as far as they fitted; what the turn has now."""
    fresh = Given(
        context.system_reminders
        if before.reminders is None and ask.policy.archival_mode == "auto"
        else None,
        context.recalled if before.recalled is None and ask.recall.mode == "auto" else None,
    )
    return before if fresh == Given() else await keep_turn(db, speaker, turn, fresh)


def _allowed(ask: Ask, given: Given) -> Given:
    """What a turn was given, without the parts that this call turns off."""
    return Given(
        [] if ask.policy.archival_mode == "off" else given.reminders or [],
        [] if ask.recall.mode == "off" else given.recalled or [],
    )


def _count(context: Context) -> None:
    for part in ("user_memory", "system_reminders", "recalled", "entries", "messages"):
        metrics.context_tokens.labels(part).inc(getattr(context.tokens, part))
    usage.current().tokens = context.tokens.total


# --- the parts -------------------------------------------------------------------------------------------------------


def _speaking(caller: Caller, agent_id: str | None) -> Caller:
    """The caller, for the agent it names; an agent's key speaks for its own without saying so."""
    return caller if agent_id is None else caller.speaking_as(agent_id)


async def _references(db: Database, speaker: Caller) -> list[dict[str, Any]]:
    """The conversations the agent refers to; MEM-002 where there is no such agent in this workspace."""
    if speaker.agent_id is None:
        return []
    return (await agents.read_agent(db, speaker, speaker.agent_id)).memory


async def _nothing() -> None:
    return None


async def _read_blocks(db: Database, speaker: Caller) -> list[Block]:
    return [] if speaker.user_id is None else await blocks.read_core(db, speaker, speaker.agent_id)


async def _open_and_follow(
    backends: Backends, speaker: Caller, ask: Ask, turn: Turn | None, tokenizer: Tokenizer
) -> tuple[Opened, Given, Said]:
    """The user's memory in one round trip; then what it leads to: what the message searches, and the conversations."""
    opened = await _open(backends.db, speaker, ask, turn)
    found, said = await _together(
        _search(backends.db, speaker, ask, opened),
        _converse(backends, speaker, ask, opened, tokenizer),
    )
    return opened, found, said


async def _open(db: Database, speaker: Caller, ask: Ask, turn: Turn | None) -> Opened:
    lines = bool(ask.query) and ask.policy.archival_mode == "auto" and speaker.user_id is not None
    recalls = bool(ask.query) and ask.recall.mode == "auto"
    # One statement each, and all of them gathered here: only then do they share a round trip.
    async with db.together(speaker):
        references, core, given, begun, archives, seen, store_ids = await _together(
            _references(db, speaker),
            _read_blocks(db, speaker),
            read_turn(db, speaker, turn) if turn else _nothing(),
            begin(db, speaker, ask.query, _scopes(speaker)) if lines else _nothing(),
            read_archives(db, speaker, speaker.agent_id) if lines else _nothing(),
            look(db, speaker, ANYWHERE, ask.query) if recalls else _nothing(),
            stores_in_sight(db, speaker) if recalls else _nothing(),
        )
    return Opened(
        references,
        core,
        given or Given(),
        Lines(begun, archives) if lines else None,
        recalled.views_of(db, speaker, seen[1], store_ids) if recalls else None,
    )


def _scopes(speaker: Caller) -> tuple[str, ...]:
    return scopes_of(speaker, speaker.agent_id)


async def _search(db: Database, speaker: Caller, ask: Ask, opened: Opened) -> Given:
    """What the turn was given before; else what the message finds, in the archives and beyond them in one round trip."""
    before = _allowed(ask, opened.given)
    lines = opened.lines if opened.given.reminders is None else None
    recalling = opened.recalling if opened.given.recalled is None else None
    # The query is embedded before the round trip begins: a connection must not wait for a model.
    lines_asked = None if lines is None else await _understand(db, speaker, ask, lines.begun)
    asked = None if recalling is None else await _understand(db, speaker, ask, recalling.begun)
    if asked is None and lines_asked is None:
        return before
    async with db.together(speaker):
        reminders, texts = await _together(
            _nothing()
            if lines is None or lines_asked is None
            else _remind(db, speaker, ask, lines, lines_asked),
            _nothing()
            if recalling is None or asked is None
            else recalled.find(db, recalling, ask.recall, ask.query, asked),
        )
    return Given(
        before.reminders if reminders is None else reminders,
        before.recalled if texts is None else texts,
    )


async def _understand(db: Database, speaker: Caller, ask: Ask, begun: Begun) -> Understood:
    question = Question(text=ask.query, scopes=(), kinds=(), now=clock.now())
    return await understand(db, speaker, question, begun)


async def _remind(
    db: Database, speaker: Caller, ask: Ask, lines: Lines, asked: Understood
) -> list[Reminder]:
    """The lines of the archives that fit the message."""
    policy = ask.policy
    question = RecallAsk(
        query=ask.query, limit=policy.archival_limit, min_score=policy.archival_min_score
    )
    view = View(_scopes(speaker), {})
    found = await search_archives(db, speaker, question, lines.archives, view, asked)
    return [Reminder.of(line) for line in found]


async def _hydrate(
    db: Database, speaker: Caller, run_id: str | None, tokenizer: Tokenizer
) -> Hydrated:
    if speaker.agent_id is None:
        return Hydrated()
    reach = Reach.of(speaker, speaker.agent_id)
    if run_id is None:
        filled = await hydration.look(db, speaker, reach, budget_bytes=DEFAULT_BUDGET_BYTES)
    else:
        async with db.read(speaker) as tx:
            live = await runs.read_under(tx, speaker, speaker.agent_id, run_id)
            filled = await hydration.fill(tx, reach.within(live), budget_bytes=DEFAULT_BUDGET_BYTES)
    tokens = await price_entries(tokenizer, filled.data)
    return Hydrated(filled.data, tokens, filled.dropped_entries)


async def _converse(
    backends: Backends, speaker: Caller, ask: Ask, opened: Opened, tokenizer: Tokenizer
) -> Said:
    """The conversation that was named, else those the agent refers to and that of the session. Where no model is named, a
    message costs what its resource counted when it was appended."""
    counted_by = tokenizer if ask.model is not None else None
    if ask.conversation is not None:
        return await read_messages(backends, speaker, ask.conversation, counted_by)
    implied = None if ask.session_id is None else ConversationName(BUILT_IN, ask.session_id)
    return await read_references(
        backends, speaker, opened.references, _variables(speaker, ask), counted_by, implied
    )


def _variables(speaker: Caller, ask: Ask) -> dict[str, Any]:
    """What the key of a conversation may be made of."""
    named = {
        "user_id": speaker.user_id,
        "agent_id": speaker.agent_id,
        "session_id": ask.session_id,
    }
    known = {name: value for name, value in named.items() if value is not None}
    return {**known, "workflow": {"input": known}}


async def _together(*parts: Coroutine[Any, Any, Any]) -> list[Any]:
    """All parts at once. The first failure in their order is raised, once none of them is at work any more."""
    results = await asyncio.gather(*parts, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
