"""What a memory is, and what goes in with a save."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Required, TypedDict

from holdfast_client.scope import Place

MemoryScope = Literal["global", "project", "agent"]
Dedupe = Literal["update", "create"]
Mode = Literal["hybrid", "lexical", "semantic"]
Trust = Literal["user", "assistant", "tool", "import"]  # from most to least
SourceKind = Literal["message", "session", "entry", "url"]


@dataclass(frozen=True, slots=True)
class Source:
    """A link to what produced a memory."""

    kind: SourceKind
    ref: str
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Asset:
    """A file attached to a memory."""

    id: str
    name: str
    content_type: str
    size: int
    sha256: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory as it is now."""

    id: str
    type: Literal["memory_row"] = "memory_row"
    key: str
    value: str
    summary: str | None
    category: str
    tags: list[str]
    importance: int
    pinned: bool
    expires_at: datetime | None
    source: str
    scope: MemoryScope
    user_id: str | None
    project_id: str | None
    agent_id: str | None
    session_id: str | None
    workspace_id: str | None
    sources: list[Source]
    assets: list[Asset]
    node_ids: list[str]
    valid_from: datetime | None
    valid_to: datetime | None
    superseded_by: str | None
    trust: Trust
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedMemory(Memory):
    """A memory as a save left it; `created` unless it was there."""

    created: bool


@dataclass(frozen=True, slots=True)
class Actor:
    """Who made a change."""

    type: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PastMemory:
    """One change of a memory, and the row as it was after it."""

    version: int
    action: str
    actor: Actor
    user_id: str | None  # the user that the actor acted for
    created_at: datetime
    id: str
    type: Literal["memory_row"] = "memory_row"
    key: str
    value: str
    summary: str | None
    category: str
    tags: list[str]
    importance: int
    pinned: bool
    expires_at: datetime | None
    source: str
    scope: MemoryScope
    project_id: str | None
    agent_id: str | None
    session_id: str | None
    workspace_id: str | None
    sources: list[Source]
    valid_from: datetime | None
    valid_to: datetime | None
    superseded_by: str | None
    trust: Trust
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What became of one memory of a batch; `error` is the problem of one that was not stored."""

    index: int
    key: str | None
    status: Literal["stored", "invalid", "refused"]
    created: bool
    id: str | None
    version: int | None
    error: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of a batch, item by item, in the order given."""

    stored: int
    skipped: int
    results: list[BatchResult]


# --- recall ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Matched:
    """Which arms found it, and by which words of the query."""

    arms: list[str]
    terms: list[str]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a score is made of: the parts sum to the total."""

    parts: dict[str, float]
    total: float


@dataclass(frozen=True, slots=True)
class Miss:
    """Why something that was asked about was not recalled."""

    id: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledMemory(Memory):
    """A memory that a query found, and how."""

    score: float
    matched: Matched
    explain: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """Memories, best first; `misses` for the ids that were asked about and are not among them."""

    data: list[RecalledMemory]
    tokens: int
    misses: list[Miss]


# --- what is given ---------------------------------------------------------------------------------------------------


class Details(TypedDict, total=False):
    """What a memory may be given besides its key and value; what is left out takes its default, or stays."""

    summary: str | None
    category: str
    tags: Sequence[str]
    importance: int
    pinned: bool
    expires_at: datetime | None
    source: str
    valid_from: datetime | None
    valid_to: datetime | None
    superseded_by: str | None
    trust: Trust


class Change(Details, total=False):
    """What to change about a memory."""

    key: str
    value: str


class SaveOptions(Details, Place, total=False):
    """How and where a memory is saved."""

    scope: MemoryScope
    sources: Sequence[Source]
    dedupe: Dedupe


class NewMemory(SaveOptions, total=False):
    """A memory of a batch."""

    key: Required[str]
    value: Required[str]


class RecallOptions(Place, total=False):
    """How a recall looks, and where from."""

    limit: int
    mode: Mode
    min_trust: Trust
    min_score: float
    max_tokens: int
    graph: bool
    explain: bool
    ids: Sequence[str]
    now: datetime


class MemoryRecallOptions(RecallOptions, total=False):
    """The same, among memories of a category or tag."""

    category: str
    tag: str


class Filters(Place, total=False):
    """Which memories a list shows."""

    scope: MemoryScope | None
    category: str | None
    tag: str | None
    source: str | None
    pinned: bool | None
    min_importance: int | None
    min_trust: Trust | None
    as_of: datetime | None
    include_expired: bool
    include_superseded: bool
