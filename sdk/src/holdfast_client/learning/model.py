"""The values of learning."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from holdfast_client.memories.model import Source, Trust

Action = Literal["add", "update", "supersede", "merge", "retire", "none"]
ProposalTarget = Literal["block", "memory", "entry", "node_item"]
ProposalStatus = Literal["pending", "applied", "rejected", "quarantined", "reverted"]


@dataclass(frozen=True, slots=True)
class Result:
    """The row that a proposal became, or that says the same already."""

    id: str
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What learning would have memory become, what it rests on, and what came of it."""

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
    valid_from: datetime | None = None
    status: ProposalStatus
    extractor: str | None = None
    job_id: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    project_id: str | None = None
    result: Result | None = None
    version: int
    created_at: datetime
    updated_at: datetime
    type: Literal["proposal"] = "proposal"


@dataclass(frozen=True, slots=True)
class Settling:
    """The job that settles a session; `nothing_new` without one. Of a dry run: the proposals."""

    job_id: str | None = None
    status: str = "dry_run"
    proposals: list[Proposal] | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """What messages were made into, and how much of it was written."""

    proposals: list[Proposal]
    applied: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """Proposals that were accepted together."""

    data: list[Proposal]


@dataclass(frozen=True, slots=True)
class RevertedObject:
    """An object that is again what it was before a job."""

    kind: str
    id: str


@dataclass(frozen=True, slots=True)
class KeptObject:
    """An object that a revert left as it is, and why."""

    kind: str
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reverted:
    """What undoing a job came to."""

    job_id: str
    reverted: list[RevertedObject]
    kept: list[KeptObject]


ConsolidationKind = Literal["duplicates", "contradictions", "expired", "unused", "core"]


@dataclass(frozen=True, slots=True)
class Consolidation:
    """The job that consolidates; of a dry run: the proposals."""

    job_id: str | None = None
    proposals: list[Proposal] | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """Two rows that say the same."""

    ids: list[str]
    contents: list[str]


@dataclass(frozen=True, slots=True)
class Findings:
    """How many, and the first few."""

    count: int
    examples: list[Example]


@dataclass(frozen=True, slots=True)
class KindHygiene:
    """The state of one kind of row. Duplicates and contradictions are those among the newest `compared` rows."""

    rows: int
    compared: int
    duplicates: Findings
    contradictions: int
    superseded: int
    stale: int
    never_recalled: int
    without_source: int
    quarantined: int


@dataclass(frozen=True, slots=True)
class Hygiene:
    """The state of what memory holds for a user or an agent, by kind of row."""

    memory: KindHygiene
    entry: KindHygiene
    block: KindHygiene
    node_item: KindHygiene
