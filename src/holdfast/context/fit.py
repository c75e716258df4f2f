"""Fit the parts of a context into its budget of tokens: what is kept, what each part costs, what was left out and why."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from holdfast.blocks.model import Block, BlockScope
from holdfast.context.budget import Priced, Purse, fill
from holdfast.context.conversation import Said
from holdfast.context.model import (
    Context,
    Dropped,
    MemoryPolicy,
    Part,
    RecalledText,
    Reminder,
    Tokens,
    UserMemory,
)
from holdfast.context.user_memory import etag_of, render
from holdfast.entries.model import Entry
from holdfast.kernel.tokens import Tokenizer
from holdfast_client.context import rendering


@dataclass(frozen=True, slots=True)
class Hydrated:
    """What the agent has stored, and what each entry costs."""

    entries: list[Entry] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Parts:
    """All that could go into a prompt."""

    blocks: list[Block]
    reminders: list[Reminder]
    recalled: list[RecalledText]
    hydrated: Hydrated
    said: Said


async def fit(
    policy: MemoryPolicy, tokenizer: Tokenizer, max_tokens: int | None, parts: Parts
) -> Context:
    """The most valuable of the parts, within the budget."""
    entries, messages = parts.hydrated.entries, parts.said.messages
    purse = Purse(max_tokens)
    memory = _fit_user_memory(purse, policy, tokenizer, parts.blocks)
    reminders = [rendering.reminder(each.content) for each in parts.reminders]
    recalled = [rendering.recalled_item(each.text, each.when) for each in parts.recalled]
    if recalled:  # the best one bears the cost of what stands around them all
        recalled[0] = rendering.recalled([(parts.recalled[0].text, parts.recalled[0].when)])
    prices = await tokenizer.count_all([*reminders, *recalled])
    reminder_names = (each.name for each in parts.reminders)
    fill(
        purse,
        reminders=_priced("system_reminders", reminder_names, prices[: len(reminders)]),
        recalled=_priced(
            "recalled", (each.id for each in parts.recalled), prices[len(reminders) :]
        ),
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
        recalled=[parts.recalled[i] for i in purse.places("recalled")],
        entries=[entries[i] for i in purse.places("entries")],
        messages=[messages[i] for i in purse.places("messages")],
        tokens=_tokens(purse),
        dropped=[*purse.account(), *_dropped_before(parts)],
    )


def core_of(found: Sequence[Block], scope: BlockScope) -> str:
    """The text of a core block, "" where there is none."""
    return next((each.content for each in found if each.scope == scope), "")


def _priced(part: Part, names: Iterable[str], prices: Iterable[int]) -> list[Priced]:
    return [
        Priced(part, name, tokens, index)
        for index, (name, tokens) in enumerate(zip(names, prices, strict=True))
    ]


def _fit_user_memory(
    purse: Purse, policy: MemoryPolicy, tokenizer: Tokenizer, found: Sequence[Block]
) -> UserMemory:
    """Both core blocks, or the one that fits; the user's before the agent's."""
    user = core_of(found, "user") if policy.include_user_core else ""
    agent = core_of(found, "agent") if policy.include_agent_core else ""
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
        recalled=purse.tokens("recalled"),
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
