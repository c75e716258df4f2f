"""The values of memories, and the arguments of a save."""

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
    """A memory after a save; `created` says whether it is new."""

    created: bool


@dataclass(frozen=True, slots=True)
class Actor:
    """Who made a change."""

    type: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PastMemory:
    """One change of a memory, with the row after the change."""

    version_id: str
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
    """The result of one memory of a batch; `error` is set if it was not stored."""

    index: int
    key: str | None
    status: Literal["stored", "invalid", "refused"]
    created: bool
    id: str | None
    version: int | None
    error: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Batch:
    """The results of a batch, in the order of its items."""

    stored: int
    skipped: int
    results: list[BatchResult]


# --- recall ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Matched:
    """Which arms of recall found it, and by which words of the query."""

    arms: list[str]
    terms: list[str]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The parts of a score; they add up to the total."""

    parts: dict[str, float]
    total: float


@dataclass(frozen=True, slots=True)
class Miss:
    """Why an id of `ids` was not recalled."""

    id: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledMemory(Memory):
    """A recalled memory, with its score and how it was found."""

    score: float
    matched: Matched
    explain: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """Recalled memories, best first; `misses` explains the ids of `ids` that are not among them."""

    data: list[RecalledMemory]
    tokens: int
    misses: list[Miss]


# --- arguments ---------------------------------------------------------------------------------------------------


class Details(TypedDict, total=False):
    """The optional fields of a memory. A field that is left out has its default, or on an update is kept."""

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
    """The fields that can be changed."""

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
    """The options of a recall, and its agent, project and session."""

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
    """The options of a recall of memories; also by category or tag."""

    category: str
    tag: str


class Filters(Place, total=False):
    """The filters of a list of memories."""

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
