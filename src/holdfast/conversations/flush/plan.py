"""Which messages a flush removes: first in first out, least recently used, by cost, or into a summary. Pure: heads in, a plan out.

Always: the newest message stays; a tool call and its results leave together; system messages and compaction items leave last;
each share of the budget is within its cap afterwards. A flush cuts at turn boundaries: what is left does not begin with an
assistant's or tool's message whose question it removed.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from holdfast.conversations.budget import Budget
from holdfast.conversations.model import LONG_TERM, MessageHead, Strategy


@dataclass(frozen=True, slots=True)
class Plan:
    """What leaves (`removed`, oldest first) and what of it goes into a summary (`summarised`)."""

    strategy: Strategy
    removed: tuple[int, ...] = ()
    summarised: tuple[int, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing leaves."""
        return not self.removed


@dataclass(frozen=True, slots=True)
class _Unit:
    """Messages that leave together: one, or a tool call with its results."""

    heads: tuple[MessageHead, ...]

    @property
    def tokens(self) -> int:
        return sum(head.tokens for head in self.heads)

    @property
    def oldest(self) -> int:
        return self.heads[0].seq

    @property
    def seqs(self) -> set[int]:
        return {head.seq for head in self.heads}

    @property
    def rank(self) -> int:
        """System messages and compaction items leave last, the summary just before them."""
        if any(head.is_summary for head in self.heads):
            return 1
        return 2 if any(_stands_apart(head) for head in self.heads) else 0


_Order = Callable[[_Unit], tuple[object, ...]]

_ORDERS: dict[Strategy, _Order] = {
    "simple_fifo": lambda unit: (unit.oldest,),
    "lru": lambda unit: (max(h.accessed_at for h in unit.heads), unit.oldest),
    "token_aware_lru": lambda unit: (
        max(h.accessed_at for h in unit.heads),
        -unit.tokens,
        unit.oldest,
    ),
}
_FIFO = _ORDERS["simple_fifo"]


def plan_flush(heads: list[MessageHead], budget: Budget, strategy: Strategy) -> Plan:
    """What leaves to bring the list down to half of its limits. For hybrid_summary see `plan_summary`.

    The question of the newest message stays with it, where the limits themselves hold: then more than half may be left.
    """
    order = _ORDERS["simple_fifo" if strategy == "hybrid_summary" else strategy]
    gone = _shrink(heads, budget.half, order, hard=budget)
    return Plan(strategy, _in_order(heads, _at_turn_boundary(heads, gone)))


def plan_trim(heads: list[MessageHead], budget: Budget) -> tuple[int, ...]:
    """What a buffer drops to be within its limits: the oldest."""
    return _in_order(heads, _shrink(heads, budget, _FIFO))


def plan_summary(
    heads: list[MessageHead], budget: Budget, *, oldest_share: float, summary_tokens: int
) -> Plan:
    """The oldest messages, to be summarised; the earlier summary leaves with them, to be folded into the new one.

    Where a summary of `summary_tokens` would leave the list over a limit or a share over its cap, more leaves, oldest first.
    """
    if not heads:
        return Plan("hybrid_summary")
    earlier = {head.seq for head in heads if head.is_summary}
    # A stand-in for the summary at its longest, first in the list.
    summary = MessageHead(
        heads[0].seq - 1, "system", summary_tokens, LONG_TERM, heads[0].accessed_at
    )

    chosen = _oldest(heads, oldest_share, {heads[-1].seq, _question_of_newest(heads)})
    if not chosen and budget.is_over(len(heads), sum(head.tokens for head in heads)):
        chosen = _oldest(heads, oldest_share, {heads[-1].seq})
    if not chosen:
        return Plan("hybrid_summary")
    rest = [head for head in heads if head.seq not in chosen | earlier]
    gone = _at_turn_boundary(heads, chosen | earlier | _fit(rest, summary, budget))
    removed = _in_order(heads, gone)
    apart = {head.seq for head in heads if head.is_summary or head.is_compaction}
    return Plan("hybrid_summary", removed, tuple(seq for seq in removed if seq not in apart))


def summary_room(budget: Budget, summary_tokens: int) -> int:
    """How many tokens a summary may take: what the author gave it, within the share of summaries and the whole."""
    caps = (budget.cap(LONG_TERM), budget.max_tokens)
    return min([summary_tokens, *(cap for cap in caps if cap is not None)])


# --- turns -----------------------------------------------------------------------------------------------------------


def _stands_apart(head: MessageHead) -> bool:
    """Whether a message belongs to no turn."""
    return head.role == "system" or head.is_compaction


def _question_of_newest(heads: list[MessageHead]) -> int | None:
    """The place of the user's message that the newest message follows from; None where it is one itself, or there is none."""
    if not heads or heads[-1].role == "user":
        return None
    return next((head.seq for head in reversed(heads) if head.role == "user"), None)


def _at_turn_boundary(heads: list[MessageHead], gone: set[int]) -> set[int]:
    """`gone`, and what the list would begin with otherwise: messages whose question is gone.

    A tool's results go with their call, so a unit leaves as a whole. The newest message stays in any case.
    """
    gone = set(gone)
    newest = heads[-1].seq if heads else None
    question_gone = False
    for unit in _units(heads):
        first = unit.heads[0]
        if _stands_apart(first):
            continue
        if unit.oldest in gone:
            question_gone = question_gone or first.role == "user"
        elif first.role == "user" or not question_gone or newest in unit.seqs:
            break
        else:
            gone |= unit.seqs
    return gone


# --- how much --------------------------------------------------------------------------------------------------------


def _oldest(heads: list[MessageHead], share: float, stays: set[int | None]) -> set[int]:
    """The oldest units that make up a share of the messages, without what stays and what stands apart."""
    units = [unit for unit in _units(heads) if unit.rank == 0 and not unit.seqs & stays]
    candidates = [head for head in heads if not head.is_summary]
    wanted = max(1, math.ceil(len(candidates) * share - 1e-9))
    chosen: set[int] = set()
    for unit in sorted(units, key=lambda unit: unit.oldest):
        if len(chosen) >= wanted:
            break
        chosen |= unit.seqs
    return chosen


def _fit(rest: list[MessageHead], summary: MessageHead, budget: Budget) -> set[int]:
    """What else leaves so that summary and rest are within the limits."""
    whole = [summary, *rest]
    if budget.is_over(len(whole), sum(head.tokens for head in whole)):
        return _shrink(whole, budget.half, _FIFO, keep=summary.seq, hard=budget)
    return _over_cap(_by_rank(rest, _FIFO, None), rest, budget, {rest[-1].seq})


def _shrink(
    heads: list[MessageHead],
    budget: Budget,
    order: _Order,
    *,
    keep: int | None = None,
    hard: Budget | None = None,
) -> set[int]:
    """Units out in order until the limits of `budget` hold, then more where a share is over its cap.

    With `hard`, the question of the newest message leaves after all ordinary ones, and only where that limit does not hold.
    """
    if not heads:
        return set()
    count, tokens = len(heads), sum(head.tokens for head in heads)
    gone: set[int] = set()
    stays = {heads[-1].seq, keep}
    question = None if hard is None else _question_of_newest(heads)
    units = _by_rank(heads, order, question)
    for unit in units:
        limit = hard if question in unit.seqs and hard is not None else budget
        if not limit.is_over(count, tokens):
            break
        if unit.seqs & stays:
            continue
        gone |= unit.seqs
        count -= len(unit.heads)
        tokens -= unit.tokens
    left = [head for head in heads if head.seq not in gone]
    return gone | _over_cap(units, left, budget, stays)


def _by_rank(heads: list[MessageHead], order: _Order, question: int | None) -> list[_Unit]:
    """The units in the order in which they leave: ordinary ones, the question of the newest, the summary, system messages."""

    def rank(unit: _Unit) -> tuple[object, ...]:
        return (unit.rank, question in unit.seqs, *order(unit))

    return sorted(_units(heads), key=rank)


def _over_cap(
    units: list[_Unit], left: list[MessageHead], budget: Budget, stays: set[int | None]
) -> set[int]:
    """What leaves because its share holds more than its cap. The caps are of the whole limit, not of half of it."""
    there = {head.seq for head in left}
    used: dict[str, int] = {}
    for head in left:
        used[head.share] = used.get(head.share, 0) + head.tokens
    gone: set[int] = set()
    for unit in units:
        if unit.oldest not in there or unit.seqs & stays:
            continue
        shares = {head.share for head in unit.heads}
        caps = {share: budget.cap(share) for share in shares}
        if not any(cap is not None and used[share] > cap for share, cap in caps.items()):
            continue
        gone |= unit.seqs
        for head in unit.heads:
            used[head.share] -= head.tokens
    return gone


def _units(heads: list[MessageHead]) -> list[_Unit]:
    """The list in units, in the order of their first messages. A result belongs to the nearest call of that id before it."""
    members: dict[int, list[MessageHead]] = {}
    calls: dict[str, int] = {}  # call id → its unit
    for head in heads:
        home = calls.get(head.answers) if head.answers is not None else None
        home = head.seq if home is None else home
        members.setdefault(home, []).append(head)
        for call in head.calls:
            calls[call] = home
    return [_Unit(tuple(each)) for each in members.values()]


def _in_order(heads: list[MessageHead], gone: set[int]) -> tuple[int, ...]:
    return tuple(head.seq for head in heads if head.seq in gone)
