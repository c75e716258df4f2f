"""Little conversations for the tests of learning."""

from datetime import UTC, datetime, timedelta

from holdfast.learning.model import Candidate, Extraction, Message, Role, Speaker
from holdfast.learning.rules import extract

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
"""When the first message is said: a Monday."""


def said(text: str, *, role: Role = "user", number: int = 0, name: str | None = None) -> Message:
    """A message; each number a minute later."""
    return Message(f"m{number}", role, text, MONDAY + timedelta(minutes=number), name)


def speaker(name: str | None = None) -> Speaker:
    """The user, with or without a name."""
    return Speaker(name)


def talk(*turns: str | tuple[Role, str]) -> list[Message]:
    """A conversation: plain texts are the user's."""
    pairs = [("user", turn) if isinstance(turn, str) else turn for turn in turns]
    return [said(text, role=role, number=number) for number, (role, text) in enumerate(pairs)]  # type: ignore[arg-type]


def learned(*turns: str | tuple[Role, str], name: str | None = None) -> Extraction:
    """What the rules make of a conversation."""
    return extract(talk(*turns), speaker=speaker(name))


def plain(extraction: Extraction) -> list[Candidate]:
    """The candidates that a job would apply."""
    return [each for each in extraction.candidates if not each.quarantined]
