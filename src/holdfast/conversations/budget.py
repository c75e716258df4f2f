"""The budget of an instance: its limits, when they call for a flush, and how the shares divide it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.conversations.model import LONG_TERM, SHORT_TERM, SYSTEM, MessageHead

_EPSILON = 1e-9  # 0.1 × 30 is a hair over 3 in binary; people mean 3


def at_least(limit: int, share: float) -> int:
    """The smallest whole number that reaches a share of a limit."""
    return math.ceil(limit * share - _EPSILON)


def at_most(limit: int, share: float) -> int:
    """The greatest whole number within a share of a limit."""
    return math.floor(limit * share + _EPSILON)


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits. `shares` is empty where tokens are not divided."""

    max_tokens: int | None = None
    max_messages: int | None = None
    threshold: float = 0.8
    shares: Mapping[str, float] = field(default_factory=dict)
    divided_tokens: int | None = None  # what the shares are shares of, where it is not max_tokens

    def is_due(self, message_count: int, token_count: int) -> bool:
        """Whether a flush is called for."""
        return (
            self.max_tokens is not None
            and token_count >= max(1, at_least(self.max_tokens, self.threshold))
        ) or (
            self.max_messages is not None
            and message_count >= max(1, at_least(self.max_messages, self.threshold))
        )

    def is_over(self, message_count: int, token_count: int) -> bool:
        """Whether a limit itself is passed."""
        return (self.max_tokens is not None and token_count > self.max_tokens) or (
            self.max_messages is not None and message_count > self.max_messages
        )

    @property
    def half(self) -> "Budget":
        """What a flush goes down to; the shares stay those of the whole."""
        return Budget(
            None if self.max_tokens is None else self.max_tokens // 2,
            None if self.max_messages is None else self.max_messages // 2,
            self.threshold,
            self.shares,
            self.max_tokens,
        )

    def cap(self, share: str) -> int | None:
        """How many tokens a share may hold; None where it is not capped."""
        whole = self.divided_tokens or self.max_tokens
        if whole is None or share not in self.shares:
            return None
        return at_most(whole, self.shares[share])

    def tokens_until_flush(self, token_count: int) -> int | None:
        """How many more tokens call for a flush."""
        if self.max_tokens is None:
            return None
        return max(0, at_least(self.max_tokens, self.threshold) - token_count)

    def fullness(self, message_count: int, token_count: int) -> float:
        """How full the fuller of its limits is; may pass 1."""
        by_tokens = token_count / self.max_tokens if self.max_tokens else 0.0
        by_messages = message_count / self.max_messages if self.max_messages else 0.0
        return max(by_tokens, by_messages)


def share_of(role: str, allocation: object, shares: Mapping[str, float]) -> str:
    """The share a message counts to: one named in its metadata, the system's, or short-term. Summaries are long-term."""
    if isinstance(allocation, str) and allocation in shares and allocation not in (
        SHORT_TERM, LONG_TERM, SYSTEM,
    ):  # fmt: skip
        return allocation
    return SYSTEM if role == "system" else SHORT_TERM


def used_by(heads: list[MessageHead]) -> dict[str, int]:
    """Tokens by share."""
    used: dict[str, int] = {}
    for head in heads:
        used[head.share] = used.get(head.share, 0) + head.tokens
    return used
