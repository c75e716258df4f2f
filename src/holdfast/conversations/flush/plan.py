"""Which messages leave: first in first out, least recently used, by cost, or into a summary. Pure: heads in, a plan out.

Always: the newest message stays; a tool call and its results leave together; system messages leave last; and each share
of the budget is within its cap afterwards.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from holdfast.conversations.budget import Budget
from holdfast.conversations.model import LONG_TERM, Head, Strategy


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

    heads: tuple[Head, ...]

    @property
    def tokens(self) -> int:
        return sum(head.tokens for head in self.heads)

    @property
    def oldest(self) -> int:
        return self.heads[0].seq

    @property
    def rank(self) -> int:
        """System messages leave last, the summary just before them."""
        if any(head.role == "system" and not head.is_summary for head in self.heads):
            return 2
        return 1 if any(head.is_summary for head in self.heads) else 0


_Order = Callable[[_Unit], tuple[object, ...]]

_ORDERS: dict[Strategy, _Order] = {
    "simple_fifo": lambda unit: (unit.rank, unit.oldest),
    "lru": lambda unit: (unit.rank, max(h.accessed_at for h in unit.heads), unit.oldest),
    "token_aware_lru": lambda unit: (
        unit.rank,
        max(h.accessed_at for h in unit.heads),
        -unit.tokens,
        unit.oldest,
    ),
}


def plan_flush(heads: list[Head], budget: Budget, strategy: Strategy) -> Plan:
    """What leaves to bring the list down to half of its limits. For hybrid_summary see `plan_summary`."""
    order = _ORDERS["simple_fifo" if strategy == "hybrid_summary" else strategy]
    return Plan(strategy, _shrink(heads, budget.half, order))


def plan_trim(heads: list[Head], budget: Budget) -> tuple[int, ...]:
    """What a buffer drops to be within its limits: the oldest."""
    return _shrink(heads, budget, _ORDERS["simple_fifo"])


def plan_summary(
    heads: list[Head], budget: Budget, *, oldest_share: float, summary_tokens: int
) -> Plan:
    """The oldest messages to be summarised; with them goes the earlier summary, to be folded in.

    Instance a summary of `summary_tokens` would leave the list over a limit or a share over its cap, more leaves, oldest first.
    """
    units = [unit for unit in _units(heads) if unit.rank == 0 and heads[-1] not in unit.heads]
    candidates = [head for head in heads if not head.is_summary]
    wanted = max(1, math.ceil(len(candidates) * oldest_share - 1e-9))
    chosen: list[Head] = []
    for unit in sorted(units, key=lambda unit: unit.oldest):
        if len(chosen) >= wanted:
            break
        chosen.extend(unit.heads)
    if not chosen:
        return Plan("hybrid_summary")
    folded = [head for head in heads if head.is_summary]
    gone = {head.seq for head in (*chosen, *folded)}
    # The summary as it may become at most: a stand-in, first in the list.
    summary = Head(heads[0].seq - 1, "system", summary_tokens, LONG_TERM, heads[0].accessed_at)
    rest = [head for head in heads if head.seq not in gone]
    more = set(_fit(rest, summary, budget))
    removed = tuple(head.seq for head in heads if head.seq in gone | more)
    summarised = tuple(h.seq for h in heads if h.seq in gone | more and not h.is_summary)
    return Plan("hybrid_summary", removed, summarised)


def summary_room(budget: Budget, summary_tokens: int) -> int:
    """How many tokens a summary may take: what the author gave it, within the share of summaries and the whole."""
    caps = (budget.cap(LONG_TERM), budget.max_tokens)
    return min([summary_tokens, *(cap for cap in caps if cap is not None)])


def _fit(rest: list[Head], summary: Head, budget: Budget) -> tuple[int, ...]:
    """What else leaves so that summary and rest are within the limits."""
    whole = [summary, *rest]
    if not budget.is_over(len(whole), sum(head.tokens for head in whole)):
        return tuple(s for s in _over_cap(_units(rest), rest, budget, _ORDERS["simple_fifo"]))
    gone = _shrink(whole, budget.half, _ORDERS["simple_fifo"], keep=summary.seq)
    return tuple(seq for seq in gone if seq != summary.seq)


def _shrink(
    heads: list[Head], budget: Budget, order: _Order, *, keep: int | None = None
) -> tuple[int, ...]:
    """Units out in order until the limits of `budget` hold, then more where a share is over its cap."""
    if not heads:
        return ()
    count, tokens = len(heads), sum(head.tokens for head in heads)
    gone: set[int] = set()
    stays = {heads[-1].seq, keep}
    units = _units(heads)
    for unit in sorted(units, key=order):
        if not budget.is_over(count, tokens):
            break
        if any(head.seq in stays for head in unit.heads):
            continue
        gone |= {head.seq for head in unit.heads}
        count -= len(unit.heads)
        tokens -= unit.tokens
    left = [head for head in heads if head.seq not in gone]
    gone |= set(_over_cap(units, left, budget, order, stays))
    return tuple(head.seq for head in heads if head.seq in gone)


def _over_cap(
    units: list[_Unit],
    left: list[Head],
    budget: Budget,
    order: _Order,
    stays: set[int | None] | None = None,
) -> set[int]:
    """What leaves because its share holds more than its cap. The caps are of the whole limit, not of half of it."""
    there = {head.seq for head in left}
    fixed = stays if stays is not None else {left[-1].seq} if left else set()
    used: dict[str, int] = {}
    for head in left:
        used[head.share] = used.get(head.share, 0) + head.tokens
    gone: set[int] = set()
    for unit in sorted(units, key=order):
        if unit.oldest not in there or any(head.seq in fixed for head in unit.heads):
            continue
        shares = {head.share for head in unit.heads}
        caps = {share: budget.cap(share) for share in shares}
        if not any(cap is not None and used[share] > cap for share, cap in caps.items()):
            continue
        gone |= {head.seq for head in unit.heads}
        for head in unit.heads:
            used[head.share] -= head.tokens
    return gone


def _units(heads: list[Head]) -> list[_Unit]:
    """The list in units. A result belongs to the nearest call of that id before it."""
    members: dict[int, list[Head]] = {}
    calls: dict[str, int] = {}  # call id → its unit
    for head in heads:
        home = calls.get(head.answers) if head.answers is not None else None
        home = head.seq if home is None else home
        members.setdefault(home, []).append(head)
        for call in head.calls:
            calls[call] = home
    return [_Unit(tuple(each)) for each in members.values()]
