"""Put a context together: every part asked for at once, then fitted into the budget."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from holdfast.blocks import service as blocks
from holdfast.blocks.archive import Archive
from holdfast.blocks.model import MAX_QUERY_CHARS, Block, BlockScope
from holdfast.blocks.recall import read_archives, scopes_of, search_archives
from holdfast.context.budget import Priced, Purse, fill
from holdfast.context.conversation import Said, read_messages, read_references
from holdfast.context.model import (
    Context,
    ConversationName,
    Dropped,
    MemoryPolicy,
    Reminder,
    Tokens,
    Turn,
    UserMemory,
)
from holdfast.context.prices import price_entries
from holdfast.context.turns import keep_turn, read_turn
from holdfast.context.user_memory import etag_of, render
from holdfast.conversations.backends import Backends
from holdfast.directory import agents
from holdfast.entries import hydration
from holdfast.entries.model import DEFAULT_BUDGET_BYTES, Entry
from holdfast.entries.reach import Reach
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.recall.answer import Ask as RecallAsk
from holdfast.kernel.recall.answer import View
from holdfast.kernel.recall.search import Begun, begin
from holdfast.kernel.tokens import Tokenizer, tokenizer_for
from holdfast_client.context import rendering


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a context is wanted for."""

    message: str
    agent_id: str | None = None
    session_id: str | None = None
    message_id: str | None = None
    policy: MemoryPolicy = field(default_factory=MemoryPolicy)
    conversation: ConversationName | None = None
    max_tokens: int | None = None
    model: str | None = None

    @property
    def turn(self) -> Turn | None:
        """The turn this is for, where both of its names are told."""
        if self.session_id is None or self.message_id is None:
            return None
        return Turn(self.session_id, self.message_id)


@dataclass(frozen=True, slots=True)
class Hydrated:
    """What the agent has stored, and what each entry costs."""

    entries: list[Entry] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Opened:
    """What is read first: the agent's conversations, the core blocks, what this turn was reminded of if it was asked for
    before, and the archives where the message is to search them."""

    references: list[dict[str, Any]]
    blocks: list[Block]
    remembered: list[Reminder] | None
    begun: Begun | None
    archives: list[Archive] | None


@dataclass(frozen=True, slots=True)
class Parts:
    """All that could go into a prompt, each with its price."""

    blocks: list[Block]
    reminders: list[Reminder]
    reminder_tokens: list[int]
    hydrated: Hydrated
    said: Said


async def assemble(backends: Backends, caller: Caller, ask: Ask) -> Context:
    """What to put in a prompt. Asking again for a turn gives the reminders it got at first."""
    db, speaker = backends.db, _speaking(caller, ask.agent_id)
    tokenizer = tokenizer_for(ask.model)
    turn = ask.turn if speaker.user_id is not None and ask.policy.archival_mode != "off" else None
    (opened, reminded, said), hydrated = await _together(
        _open_and_follow(backends, speaker, ask, turn, tokenizer),
        _hydrate(db, speaker, tokenizer),
    )

    async def fitted(reminders: list[Reminder]) -> Context:
        prices = await tokenizer.count_all([rendering.reminder(each.content) for each in reminders])
        return _fit(ask, tokenizer, Parts(opened.blocks, reminders, prices, hydrated, said))

    context = await fitted(reminded)
    if turn is None or opened.remembered is not None or ask.policy.archival_mode != "auto":
        return context
    kept = await keep_turn(db, speaker, turn, context.system_reminders)
    # Somebody may have asked for the same turn meanwhile and come first.
    return context if kept == context.system_reminders else await fitted(kept)


async def user_memory(db: Database, caller: Caller, agent_id: str | None) -> UserMemory:
    """The core blocks alone."""
    speaker = _speaking(caller, agent_id)
    async with db.together(speaker):
        found, _ = await _together(_read_blocks(db, speaker), _references(db, speaker))
    content = render(user_core=_core(found, "user"), agent_core=_core(found, "agent"))
    return UserMemory(content, etag_of(content), Tokenizer().count(content))


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
) -> tuple[Opened, list[Reminder], Said]:
    """The user's memory in one round trip; then what it leads to: the lines of the archives, and the conversations."""
    db, query = backends.db, _query(speaker, ask)
    async with db.together(speaker):
        opened = Opened(
            *await _together(
                _references(db, speaker),
                _read_blocks(db, speaker),
                _nothing() if turn is None else read_turn(db, speaker, turn),
                _nothing() if query is None else begin(db, speaker, query, _scopes(speaker)),
                _nothing() if query is None else read_archives(db, speaker, speaker.agent_id),
            )
        )
    reminded, said = await _together(
        _remind(db, speaker, ask, query, opened),
        _converse(backends, speaker, ask, opened, tokenizer),
    )
    return opened, reminded, said


def _query(speaker: Caller, ask: Ask) -> str | None:
    """What the archives are asked, where the policy lets the message search them."""
    query = ask.message[:MAX_QUERY_CHARS]
    if ask.policy.archival_mode != "auto" or speaker.user_id is None or not query.strip():
        return None
    return query


def _scopes(speaker: Caller) -> tuple[str, ...]:
    return scopes_of(speaker, speaker.agent_id)


async def _remind(
    db: Database, speaker: Caller, ask: Ask, query: str | None, opened: Opened
) -> list[Reminder]:
    """What the turn was reminded of before; else the lines of the archives that fit the message."""
    if opened.remembered is not None or query is None or opened.begun is None:
        return opened.remembered or []
    policy = ask.policy
    asked = RecallAsk(query=query, limit=policy.archival_limit, min_score=policy.archival_min_score)
    view = View(_scopes(speaker), {}, begun=opened.begun)
    lines = await search_archives(db, speaker, asked, opened.archives or [], view)
    return [Reminder.of(line) for line in lines]


async def _hydrate(db: Database, speaker: Caller, tokenizer: Tokenizer) -> Hydrated:
    if speaker.agent_id is None:
        return Hydrated()
    reach = Reach.of(speaker, speaker.agent_id)
    filled = await hydration.look(db, speaker, reach, budget_bytes=DEFAULT_BUDGET_BYTES)
    tokens = await price_entries(tokenizer, filled.data)
    return Hydrated(filled.data, tokens, filled.dropped_entries)


async def _converse(
    backends: Backends, speaker: Caller, ask: Ask, opened: Opened, tokenizer: Tokenizer
) -> Said:
    """The conversation that was named, else those the agent refers to. Where no model is named, a message costs what its
    resource counted when it was appended."""
    counted_by = tokenizer if ask.model is not None else None
    if ask.conversation is not None:
        return await read_messages(backends, speaker, ask.conversation, counted_by)
    return await read_references(
        backends, speaker, opened.references, _variables(speaker, ask), counted_by
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


# --- the fit ---------------------------------------------------------------------------------------------------------


def _core(found: Sequence[Block], scope: BlockScope) -> str:
    return next((each.content for each in found if each.scope == scope), "")


def _fit(ask: Ask, tokenizer: Tokenizer, parts: Parts) -> Context:
    entries, messages = parts.hydrated.entries, parts.said.messages
    purse = Purse(ask.max_tokens)
    memory = _fit_user_memory(purse, ask.policy, tokenizer, parts.blocks)
    fill(
        purse,
        reminders=[
            Priced("system_reminders", each.name, tokens, index)
            for index, (each, tokens) in enumerate(
                zip(parts.reminders, parts.reminder_tokens, strict=True)
            )
        ],
        entries=[
            (Priced("entries", each.key, tokens, index), each.category)
            for index, (each, tokens) in enumerate(zip(entries, parts.hydrated.tokens, strict=True))
        ],
        messages=[
            (Priced("messages", each.id, each.tokens, index), each)
            for index, each in enumerate(messages)
        ],
    )
    return Context(
        user_memory=memory,
        system_reminders=[parts.reminders[i] for i in purse.places("system_reminders")],
        entries=[entries[i] for i in purse.places("entries")],
        messages=[messages[i] for i in purse.places("messages")],
        tokens=_tokens(purse),
        dropped=[*purse.account(), *_dropped_before(parts)],
    )


def _fit_user_memory(
    purse: Purse, policy: MemoryPolicy, tokenizer: Tokenizer, found: Sequence[Block]
) -> UserMemory:
    """Both core blocks, or the one that fits; the user's before the agent's."""
    user = _core(found, "user") if policy.include_user_core else ""
    agent = _core(found, "agent") if policy.include_agent_core else ""
    price = {
        choice: tokenizer.count(render(user_core=choice[0], agent_core=choice[1]))
        for choice in ((user, agent), (user, ""), ("", agent), ("", ""))
    }
    chosen = next(c for c, tokens in price.items() if purse.left is None or tokens <= purse.left)
    for index, (name, alone) in enumerate((("user_core", (user, "")), ("agent_core", ("", agent)))):
        if price[alone] and not chosen[index]:
            purse.refuse([[Priced("user_memory", name, price[alone], index)]])
    content = render(user_core=chosen[0], agent_core=chosen[1])
    purse.spend([[Priced("user_memory", "user_memory", price[chosen], 0)]])
    return UserMemory(content, etag_of(content), price[chosen])


def _tokens(purse: Purse) -> Tokens:
    return Tokens(
        user_memory=purse.tokens("user_memory"),
        system_reminders=purse.tokens("system_reminders"),
        entries=purse.tokens("entries"),
        messages=purse.tokens("messages"),
        total=sum(each.tokens for each in purse.kept),
    )


def _dropped_before(parts: Parts) -> list[Dropped]:
    """What the faces left out before tokens were counted."""
    dropped = []
    if parts.hydrated.dropped:
        dropped.append(Dropped("entries", "budget_bytes", parts.hydrated.dropped, None, []))
    if parts.said.unresolved:
        dropped.append(Dropped("messages", "unresolved", 0, None, parts.said.unresolved))
    earlier = parts.said.total_count - len(parts.said.messages)
    if earlier > 0:
        dropped.append(Dropped("messages", "window", earlier, None, []))
    return dropped
