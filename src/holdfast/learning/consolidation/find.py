"""What is wrong with rows: said twice, contradicting each other, past their time, never used, in the wrong place. Pure."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from holdfast.learning.compare import REVERSIBLE
from holdfast.learning.consolidation.stored import StoredRow
from holdfast.learning.model import Message, Speaker
from holdfast.learning.naming import alike
from holdfast.learning.rules import extract
from holdfast.learning.rules.prefilter import may_fill_slot
from holdfast.learning.rules.text import compile_rule, fold
from holdfast.learning.stems import negates, stems
from holdfast.learning.things import MANY_VALUED

UNUSED_AFTER = timedelta(days=90)
"""A learned memory that no call was given for so long is unused."""
STANDING_KINDS = frozenset({"identity", "preference", "instruction", "relation"})
"""Kinds that are not retired for want of use: who somebody is does not wear out."""
DATED_KINDS = frozenset({"event", "plan", "decision"})
"""Kinds of learned lines that serve better as memories: core is in every prompt."""

_THIRD_PERSON: tuple[tuple[Any, str], ...] = tuple(
    (compile_rule(pattern), words)
    for pattern, words in (
        (r"^(?:the )?user's\b", "my"),
        (r"^(?:the )?user is\b", "I am"),
        (r"^(?:the )?user has\b", "I have"),
        (r"^(?:the )?user does not\b", "I do not"),
        (r"^(?:the )?user (\w+?)s\b", r"I \1"),
    )
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rows: the one that stays and the one that goes."""

    stays: StoredRow
    goes: StoredRow


def with_slots(rows: Iterable[StoredRow]) -> list[StoredRow]:
    """Rows that still hold; those that people wrote get the slot that the rules read in them."""
    return [_with_slot(row) for row in rows if not row.is_over]


def _with_slot(row: StoredRow) -> StoredRow:
    if row.attribute or row.is_learned or row.created_at is None:
        return row
    text = _in_first_person(row.content[:500])
    if not may_fill_slot(text):
        return row
    found = extract([Message("m", "user", text, row.created_at)], speaker=Speaker()).candidates
    slots = [each for each in found if each.attribute]
    if len(slots) != 1 or slots[0].quarantined:
        return row
    slot = slots[0]
    return replace(
        row,
        subject=slot.subject,
        attribute=slot.attribute,
        value=slot.value,
        is_relation=slot.related is not None,
    )


def _in_first_person(text: str) -> str:
    """As the user would say it, which is what the rules read."""
    if text[:8].lower().startswith(("user", "the user")):
        for pattern, words in _THIRD_PERSON:
            text = pattern.sub(words, text)
    return text


def duplicates(rows: Sequence[StoredRow]) -> list[Pair]:
    """Rows of one place that say the same: the same words but for order and endings, or one slot with one value.

    What a person wrote stays rather than what a job wrote, and the older rather than the newer.
    """
    gone: set[tuple[str, str]] = set()
    found: list[Pair] = []
    for key_of in (_same_words, _same_slot):
        for group in _grouped(rows, key_of):
            held = [row for row in group if _name(row) not in gone]
            if len(held) < 2:
                continue
            stays = min(held, key=lambda row: (not row.pinned, row.is_learned, row.id))
            for row in held:
                if row is not stays and not row.pinned and _says_the_same(row, stays):
                    gone.add(_name(row))
                    found.append(Pair(stays, row))
    return found


def contradictions(rows: Sequence[StoredRow]) -> list[Pair]:
    """Rows that give one slot different values: the newest stays."""
    found: list[Pair] = []
    for group in _grouped(rows, _slot):
        newest = max(group, key=lambda row: (_said(row), row.id))
        found += [
            Pair(newest, row)
            for row in group
            if row is not newest and not row.pinned and _contradicts(row, newest)
        ]
    return found


def expired(rows: Sequence[StoredRow], now: datetime) -> list[StoredRow]:
    """Memories past `expires_at` that nobody has retired."""
    return [
        row
        for row in rows
        if row.place == "memory"
        and not row.is_over
        and row.expires_at is not None
        and row.expires_at <= now
    ]


def unused(rows: Sequence[StoredRow], now: datetime) -> list[StoredRow]:
    """Memories that a job wrote long ago and that no call was given since."""
    return [
        row
        for row in rows
        if row.place == "memory"
        and row.is_learned
        and not (row.is_over or row.pinned or row.kind in STANDING_KINDS)
        and row.created_at is not None
        and row.created_at <= now - UNUSED_AFTER
        and (row.given_at is None or row.given_at <= now - UNUSED_AFTER)
    ]


def misplaced(rows: Sequence[StoredRow]) -> list[StoredRow]:
    """Lines of core that a job wrote and that tell of one day: better as memories."""
    return [
        row
        for row in rows
        if row.place == "line"
        and row.block_type == "core"
        and row.is_learned
        and row.kind in DATED_KINDS
    ]


def _name(row: StoredRow) -> tuple[str, str]:
    return row.id, row.content if row.place == "line" else ""


def _grouped(
    rows: Sequence[StoredRow], key_of: Callable[[StoredRow], Hashable | None]
) -> list[list[StoredRow]]:
    groups: dict[Hashable, list[StoredRow]] = defaultdict(list)
    for row in rows:
        key = key_of(row)
        if key is not None:
            groups[key].append(row)
    return [group for group in groups.values() if len(group) > 1]


def _same_words(row: StoredRow) -> Hashable | None:
    words = stems(row.content)
    whole = words or frozenset({" ".join(fold(row.content).lower().split())})
    return (row.place, row.agent_id, row.node_id, whole, negates(row.content))


def _same_slot(row: StoredRow) -> Hashable | None:
    return (row.place, row.agent_id, row.subject, row.attribute) if row.attribute else None


def _slot(row: StoredRow) -> Hashable | None:
    """The slot of one value: sisters may be several, and what is liked too."""
    if not row.attribute or row.is_relation:
        return None
    if row.attribute.startswith(MANY_VALUED) and not row.attribute.startswith(REVERSIBLE):
        return None
    return (row.place, row.agent_id, row.subject, row.attribute)


def _says_the_same(row: StoredRow, other: StoredRow) -> bool:
    if _same_words(row) == _same_words(other):
        return True
    return negates(row.content) == negates(other.content) and (
        row.attribute.startswith(MANY_VALUED) or alike(row.value, other.value)
    )


def _contradicts(row: StoredRow, other: StoredRow) -> bool:
    """Whether one says what the other denies, or another value; who no longer lives in Berlin may live in Porto."""
    denies, of_one_value = negates(row.content), not row.attribute.startswith(MANY_VALUED)
    if denies != negates(other.content):
        return not of_one_value or alike(row.value, other.value)
    return of_one_value and not denies and not alike(row.value, other.value)


def _said(row: StoredRow) -> float:
    return row.said_at.timestamp() if row.said_at is not None else 0.0
