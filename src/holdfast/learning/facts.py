"""What learning wrote earlier and what memory holds besides, as one run compares candidates with it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from holdfast.kernel.db import Tx
from holdfast.kernel.sql import load
from holdfast.learning.model import KnownFact
from holdfast.learning.proposal import Draft, Place
from holdfast.memories.model import Source

queries = load(__file__)

MAX_FACTS = 5_000
"""How many statements of one owner are kept in sight; older ones are found by recall alone."""

WORTH = {"identity": 5, "instruction": 4, "preference": 3, "relation": 2}
"""How much a line of core is worth by its kind; every other kind is worth 1."""


@dataclass(slots=True, kw_only=True)
class Fact:
    """A statement that learning wrote. It changes while a run moves it or ends it."""

    id: str
    place: Place
    object_id: str
    kind: str
    content: str
    subject: str
    attribute: str
    value: str
    confidence: float
    trust: str
    said_at: datetime
    sources: list[dict[str, Any]] = field(default_factory=list)
    related: list[str] | None = None
    key: str | None = None
    agent_id: str | None = None
    scope: str | None = None
    block_type: str | None = None
    messages: list[str] = field(default_factory=list)  # conversation and message id
    is_new: bool = False
    was_moved: bool = False
    is_over: bool = False

    @property
    def worth(self) -> tuple[int, float, datetime]:
        """What it is worth as a line of core: by kind, then by confidence, then the newer."""
        return WORTH.get(self.kind, 1), self.confidence, self.said_at

    @property
    def said(self) -> str:
        """The words that it rests on first."""
        return str(self.sources[0].get("quote") or "") if self.sources else ""

    @property
    def links(self) -> tuple[Source, ...]:
        """Its sources, as a memory keeps them."""
        return tuple(Source(**each) for each in self.sources)


@dataclass(frozen=True, slots=True)
class Held:
    """Something that memory holds now, whoever wrote it."""

    known: KnownFact
    place: Place
    object_id: str
    content: str
    version: int | None = None
    said_at: datetime | None = None
    fact: Fact | None = None
    agent_id: str | None = None  # of a block or an entry
    block_type: str | None = None
    node_id: str | None = None
    key: str | None = None
    scope: str | None = None


class Facts:
    """The statements of one owner that learning wrote and that still stand."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.all = list(facts)

    @classmethod
    async def load(cls, tx: Tx, audience: str) -> "Facts":
        """Read them."""
        return cls(await tx.all(Fact, queries.facts_held, audience=audience, limit=MAX_FACTS))

    def held(self) -> list[Fact]:
        """Those that stand, as far as this run has come."""
        return [fact for fact in self.all if not fact.is_over]

    def in_slot(self, subject: str, attribute: str) -> list[Fact]:
        """Those that fill a slot."""
        if not attribute:
            return []
        return [
            fact
            for fact in self.held()
            if (fact.subject, fact.attribute) == (subject, attribute) and fact.place != "line"
        ]

    def at(self, place: Place, object_id: str, content: str | None = None) -> Fact | None:
        """The one that stands at a row, or on a line of a block."""
        for fact in self.held():
            if (fact.place, fact.object_id) == (place, object_id) and content in (
                None,
                fact.content,
            ):
                return fact
        return None

    def resting_on(self, messages: set[str]) -> list[Fact]:
        """Those that rest on these messages alone."""
        return [fact for fact in self.held() if fact.messages and set(fact.messages) <= messages]

    def add(self, fact: Fact) -> None:
        """A statement that this run writes."""
        self.all.append(fact)


def new_fact(proposal_id: str, draft: Draft, place: Place, object_id: str, *, at: datetime) -> Fact:
    """The statement that a proposal becomes."""
    return Fact(
        id=proposal_id,
        place=place,
        object_id=object_id,
        kind=draft.kind,
        content=draft.content,
        subject=draft.subject,
        attribute=draft.attribute,
        value=draft.value,
        confidence=draft.confidence,
        trust=draft.trust,
        said_at=draft.valid_from or at,
        related=None if draft.related is None else list(draft.related),
        key=draft.key,
        scope=draft.scope,
        block_type=draft.block_type,
        is_new=True,
    )


def known_as(held_id: str, content: str, fact: Fact | None) -> KnownFact:
    """A row as comparing sees it; the slot counts while the words are those that learning wrote."""
    if fact is None or fact.content != content:
        return KnownFact(held_id, content)
    return KnownFact(
        held_id, content, fact.subject, fact.attribute, fact.value, fact.said, fact.said_at
    )
