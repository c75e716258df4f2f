"""What a memory is, and how big it may be."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from holdfast.kernel import limits
from holdfast.kernel.caller import Actor
from holdfast.kernel.clock import Instant, now
from holdfast.kernel.errors import Invalid
from holdfast.kernel.sight import Audience

Scope = Literal["global", "project", "agent"]
Dedupe = Literal["update", "create"]
Trust = Literal["user", "assistant", "tool", "import"]
SourceKind = Literal["message", "session", "entry", "url"]
IfMatch = list[int] | None  # the versions that a change may replace; None: any

MAX_KEY_CHARS = 255
MAX_VALUE_CHARS = 8_000
MAX_SUMMARY_CHARS = 1_000
MAX_LABEL_CHARS = 64  # a category, a tag, a source
MAX_TAGS = 32
MAX_BATCH = 1_000
MAX_SOURCES = 100
MAX_REF_CHARS = 2_048
MAX_QUOTE_CHARS = 2_000

_TEXT_LIMITS = {
    "key": MAX_KEY_CHARS,
    "value": MAX_VALUE_CHARS,
    "summary": MAX_SUMMARY_CHARS,
    "category": MAX_LABEL_CHARS,
    "source": MAX_LABEL_CHARS,
}
_MAY_BE_EMPTY = frozenset({"summary"})
NEVER_NULL = ("key", "value", "category", "tags", "importance", "pinned", "source", "trust")
# What a new row has where a save does not say (as in queries.sql).
DEFAULTS: Mapping[str, Any] = {
    "summary": None,
    "category": "fact",
    "tags": (),
    "importance": 5,
    "pinned": False,
    "expires_at": None,
    "source": "manual",
    "valid_from": None,
    "valid_to": None,
    "trust": "user",
}
# From what is trusted most to what is trusted least.
TRUSTS: tuple[Trust, ...] = ("user", "assistant", "tool", "import")


@dataclass(frozen=True, slots=True)
class Source:
    """A link to what produced a memory."""

    kind: SourceKind
    ref: str
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Asset:
    """A file attached to a memory; its bytes are in the object store."""

    id: str
    name: str
    content_type: str
    size: int
    sha256: str
    created_at: Instant


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
    expires_at: Instant | None
    source: str
    scope: Scope
    user_id: str | None
    project_id: str | None
    agent_id: str | None
    session_id: str | None
    workspace_id: str | None
    sources: list[Source]
    assets: list[Asset]
    node_ids: list[str]
    valid_from: Instant | None
    valid_to: Instant | None
    superseded_by: str | None
    trust: Trust
    version: int
    created_at: Instant
    updated_at: Instant

    def __post_init__(self) -> None:
        """A row brings its sources and assets as JSON: they become values too."""
        object.__setattr__(self, "sources", [_as_source(each) for each in self.sources])
        object.__setattr__(self, "assets", [_as_asset(each) for each in self.assets])


def _as_source(given: Any) -> Source:
    return given if isinstance(given, Source) else Source(**given)


def _as_asset(given: Any) -> Asset:
    if isinstance(given, Asset):
        return given
    return Asset(**{**given, "created_at": datetime.fromisoformat(given["created_at"])})


def audience_of(row: Memory) -> Audience:
    """Who sees a memory, as the generated column `audience` has it."""
    match row.scope:
        case "global":
            return Audience(user_id=row.user_id)
        case "project":
            return Audience(project_id=row.project_id)
        case "agent":
            return Audience(agent_id=row.agent_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedMemory(Memory):
    """A memory as a save left it; `created` unless it was there."""

    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PastMemory:
    """One change of a memory, and the row as it was after it."""

    version_id: str
    version: int
    action: str
    actor: Actor
    user_id: str | None = None  # the user that the actor acted for
    created_at: Instant
    id: str
    type: Literal["memory_row"] = "memory_row"
    key: str
    value: str
    summary: str | None = None
    category: str
    tags: list[str]
    importance: int
    pinned: bool
    expires_at: Instant | None = None
    source: str
    scope: Scope
    project_id: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    workspace_id: str | None = None
    sources: list[Source]
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    superseded_by: str | None = None
    trust: Trust
    updated_at: Instant


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call says it speaks from."""

    project_id: str | None = None
    agent_id: str | None = None
    session_id: str | None = None


ANYWHERE = Place()


@dataclass(frozen=True, slots=True)
class NewMemory:
    """What a save asks for. `fields` holds only what was given: on a row that is there, the rest stays."""

    fields: Mapping[str, Any]
    scope: Scope = "global"
    place: Place = Place()
    sources: tuple[Source, ...] = ()
    dedupe: Dedupe = "update"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories a list, or a deletion, is about; None asks for nothing."""

    scope: Scope | None = None
    category: str | None = None
    tag: str | None = None
    source: str | None = None
    project_id: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    pinned: bool | None = None
    min_importance: int | None = None
    min_trust: Trust | None = None
    include_expired: bool = False
    include_superseded: bool = False

    @property
    def names_nothing(self) -> bool:
        """Whether no field narrows the filter; the two `include_` fields only widen it."""
        return replace(self, include_expired=False, include_superseded=False) == Filter()

    @property
    def place(self) -> Place:
        """A list is filtered by the place it is asked from."""
        return Place(self.project_id, self.agent_id, self.session_id)


@dataclass(frozen=True, slots=True)
class MemoryBatchResult:
    """What became of one memory of a batch."""

    index: int
    key: str | None
    status: Literal["stored", "invalid", "refused"]
    created: bool = False
    id: str | None = None
    version: int | None = None
    error: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class MemoryBatch:
    """What became of a batch, item by item, in the order given."""

    stored: int
    skipped: int
    results: list[MemoryBatchResult] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Deletion:
    """Which memories were erased, or on a dry run would be."""

    deleted: int
    ids: list[str]
    dry_run: bool = False


def check_fields(fields: Mapping[str, Any]) -> None:
    """Refuse fields that are empty, too long or contradict each other, and an expiry that has passed."""
    for name in NEVER_NULL:
        if name in fields and fields[name] is None:
            raise Invalid.field(name, "may not be null")
    for name, limit in _TEXT_LIMITS.items():
        text = fields.get(name)
        if text is None:
            continue
        if not text.strip() and name not in _MAY_BE_EMPTY:
            raise Invalid.field(name, "may not be blank")
        limits.at_most_chars(text, limit, what=name)
    tags = fields.get("tags")
    if tags is not None:
        limits.at_most(len(tags), MAX_TAGS, what="tags")
        for tag in tags:
            if not tag.strip():
                raise Invalid.field("tags", "a tag may not be blank")
            limits.at_most_chars(tag, MAX_LABEL_CHARS, what="a tag")
    expires_at = fields.get("expires_at")
    if expires_at is not None and expires_at <= now():
        raise Invalid.field("expires_at", "has passed: an expiry must be in the future")
    check_validity(fields.get("valid_from"), fields.get("valid_to"))


def check_validity(valid_from: Any, valid_to: Any) -> None:
    """Refuse a validity that ends before it begins."""
    if valid_from is not None and valid_to is not None and valid_to < valid_from:
        raise Invalid.field("valid_to", "is before valid_from")


def check_sources(sources: tuple[Source, ...]) -> None:
    """Refuse links that are blank or too long."""
    limits.at_most(len(sources), MAX_SOURCES, what="sources")
    for source in sources:
        if not source.ref.strip():
            raise Invalid.field("sources.ref", "may not be blank")
        limits.at_most_chars(source.ref, MAX_REF_CHARS, what="the ref of a source")
        limits.at_most_chars(source.quote or "", MAX_QUOTE_CHARS, what="the quote of a source")
