"""What fits a budget of tokens: the most valuable first, and an account of everything left out.

In order of value: the user's core memory; the newest messages, with the conversation's system messages; this turn's
reminders; what was recalled for the message; core entries; earlier messages; the other entries. Within each, the first that does not fit closes it, so
that an older, smaller one never jumps the queue and a conversation has no holes.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from holdfast.context.model import ContextMessage, Dropped, Part
from holdfast.entries.model import CORE

# Of the messages, the newest this many are worth more than reminders and entries.
RECENT_MESSAGES = 10


class Priced(NamedTuple):
    """A thing that may go into a prompt: what it is called, what it costs, and where it stands in its part."""

    part: Part
    name: str
    tokens: int
    place: int


Unit = Sequence[Priced]  # what goes or stays together
Queue = Sequence[Unit]  # the most valuable first


class Purse:
    """What is left of a budget; None is no bound."""

    def __init__(self, max_tokens: int | None) -> None:
        self.left = max_tokens
        self.kept: list[Priced] = []
        self.dropped: list[Priced] = []

    def spend(self, queue: Queue) -> bool:
        """Keep units while they fit; whether all of them did."""
        still_open = True
        for unit in queue:
            cost = sum(each.tokens for each in unit)
            still_open = still_open and (self.left is None or cost <= self.left)
            if not still_open:
                self.dropped += unit
                continue
            self.kept += unit
            if self.left is not None:
                self.left -= cost
        return still_open

    def refuse(self, queue: Queue) -> None:
        """Leave all of it out."""
        self.dropped += [each for unit in queue for each in unit]

    def places(self, part: Part) -> list[int]:
        """What was kept of a part, in its own order."""
        return sorted(each.place for each in self.kept if each.part == part)

    def tokens(self, part: Part) -> int:
        """What the kept of a part cost."""
        return sum(each.tokens for each in self.kept if each.part == part)

    def account(self) -> list[Dropped]:
        """Everything left out, by part."""
        parts = dict.fromkeys(each.part for each in self.dropped)
        return [
            _account(part, [each for each in self.dropped if each.part == part]) for part in parts
        ]


def _account(part: Part, dropped: list[Priced]) -> Dropped:
    dropped.sort(key=lambda each: each.place)
    return Dropped(
        part=part,
        reason="max_tokens",
        count=len(dropped),
        tokens=sum(each.tokens for each in dropped),
        ids=[each.name for each in dropped],
    )


def fill(
    purse: Purse,
    *,
    reminders: Sequence[Priced],
    recalled: Sequence[Priced],
    entries: Sequence[tuple[Priced, str]],
    messages: Sequence[tuple[Priced, ContextMessage]],
) -> None:
    """Spend what user memory left: reminders and recalled texts best first, entries newest first (each with its
    category), messages oldest first."""
    system, said = _units(messages)
    recent, earlier = said[:RECENT_MESSAGES], said[RECENT_MESSAGES:]
    purse.spend(system)
    unbroken = purse.spend(recent)
    purse.spend([[each] for each in reminders])
    purse.spend([[each] for each in recalled])
    purse.spend([[each] for each, category in entries if category == CORE])
    if unbroken:
        purse.spend(earlier)
    else:
        purse.refuse(earlier)
    purse.spend([[each] for each, category in entries if category != CORE])


def _units(messages: Sequence[tuple[Priced, ContextMessage]]) -> tuple[Queue, Queue]:
    """System messages, and the rest newest first. A tool call and its results are one unit: no provider takes a half."""
    system: list[Unit] = []
    said: list[Unit] = []
    caller_of: dict[str, list[Priced]] = {}
    for priced, message in messages:
        if message.role == "system":
            system.append([priced])
            continue
        unit = caller_of.get(message.tool_call_id or "")
        if unit is None:
            unit = []
            said.append(unit)
        unit.append(priced)
        caller_of |= dict.fromkeys(_call_ids(message), unit)
    return system, said[::-1]


def _call_ids(message: ContextMessage) -> Iterable[str]:
    calls = (call for call in message.tool_calls or [] if isinstance(call, dict))
    return (str(call["id"]) for call in calls if call.get("id"))
