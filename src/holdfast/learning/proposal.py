"""Proposals: what learning would have memory become, what it rests on, and what came of it."""

from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Literal

from holdfast.kernel.clock import Instant
from holdfast.learning.model import Candidate, Kind, Trust
from holdfast.memories.model import Source

Action = Literal["add", "update", "supersede", "merge", "retire", "none"]
ProposalTarget = Literal["block", "memory", "entry", "node_item"]
Status = Literal["pending", "applied", "rejected", "quarantined", "reverted"]
Place = Literal["line", "memory", "entry", "node_item"]
"""Where a learned statement stands: a line of a block, or a row."""

MAX_CONTENT_CHARS = 8_000
MAX_QUOTE_CHARS = 500
MAX_ACCEPTED = 100
OPEN: tuple[Status, ...] = ("pending", "quarantined")
"""A person may still decide over these."""


@dataclass(frozen=True, slots=True)
class Result:
    """The row that a proposal became, or that says the same already."""

    id: str
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One proposal, as it is shown."""

    id: str
    action: Action
    target: ProposalTarget
    block_type: str | None = None
    scope: str | None = None
    key: str | None = None
    content: str
    before: str | None = None
    supersedes: str | None = None
    kind: str
    confidence: float
    trust: Trust
    reason: str
    sources: list[Source]
    valid_from: Instant | None = None
    status: Status
    extractor: str | None = None
    job_id: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    project_id: str | None = None
    result: Result | None = None
    version: int
    created_at: Instant
    updated_at: Instant
    type: Literal["proposal"] = "proposal"

    def __post_init__(self) -> None:
        """A row brings its sources and its result as JSON: they become values too."""
        object.__setattr__(
            self, "sources", [Source(**s) if isinstance(s, dict) else s for s in self.sources]
        )
        given: Any = self.result
        if isinstance(given, dict):
            object.__setattr__(self, "result", Result(**given))

    @property
    def rehearsed(self) -> "Proposal":
        """As a dry run shows it: nothing is applied, and a row that would be made has no id."""
        status: Status = "pending" if self.status == "applied" else self.status
        is_made = self.action in ("add", "supersede")
        return replace(self, status=status, result=None if is_made else self.result)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredProposal(Proposal):
    """A proposal with what only learning needs of it."""

    user_id: str | None
    workspace_id: str
    audience: str
    subject: str
    attribute: str
    value: str
    related: list[str] | None

    @property
    def shown(self) -> Proposal:
        """As others see it."""
        return Proposal(**{each.name: getattr(self, each.name) for each in fields(Proposal)})


@dataclass(frozen=True, slots=True)
class Cited:
    """The words that a proposal rests on: a part of a message of a conversation."""

    message_id: str
    quote: str
    slot: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A proposal to be made."""

    action: Action
    target: ProposalTarget
    content: str
    kind: Kind
    confidence: float
    trust: Trust
    reason: str
    cited: tuple[Cited, ...] = ()
    valid_from: datetime | None = None
    block_type: str | None = None
    scope: str | None = None
    key: str | None = None
    before: str | None = None
    supersedes: str | None = None
    subject: str = ""
    attribute: str = ""
    value: str = ""
    related: tuple[str, str] | None = None
    quarantined: bool = False

    def of(self, action: Action, reason: str | None = None) -> "Draft":
        """The same with another action, for another reason."""
        return replace(self, action=action, reason=reason or self.reason)


def draft_of(candidate: Candidate) -> Draft:
    """A candidate as a proposal to add it; where it goes is decided by `routing`."""
    slot = candidate.attribute
    return Draft(
        action="add",
        target="memory",
        content=candidate.text[:MAX_CONTENT_CHARS],
        kind=candidate.kind,
        confidence=candidate.confidence,
        trust=candidate.trust,
        reason=candidate.reason,
        cited=tuple(Cited(each.message_id, each.quote, slot) for each in candidate.sources),
        valid_from=candidate.valid_from,
        subject=candidate.subject,
        attribute=candidate.attribute,
        value=candidate.value,
        related=candidate.related,
        quarantined=candidate.quarantined,
    )


def sources_of(draft: Draft, session_id: str | None) -> tuple[Source, ...]:
    """The links that a row gets: its messages, then its session."""
    messages = {
        each.message_id: Source("message", each.message_id, each.quote[:MAX_QUOTE_CHARS])
        for each in draft.cited
    }
    session = () if session_id is None else (Source("session", session_id),)
    return (*messages.values(), *session)
