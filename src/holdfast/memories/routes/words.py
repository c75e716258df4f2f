"""Parameters and bodies that several routes share: the place that a call speaks from, the fields of a save."""

from typing import Annotated, Any, ClassVar, TypedDict

from fastapi import Depends, Query, Request
from pydantic import Field

from holdfast.edge.wire import Body, page_cursor
from holdfast.kernel.clock import Instant
from holdfast.kernel.ids import ClientId
from holdfast.kernel.pages import Cursor
from holdfast.memories.assets.objects import ObjectStore
from holdfast.memories.model import (
    NEVER_NULL,
    Dedupe,
    NewMemory,
    Place,
    Scope,
    Source,
    SourceKind,
    Trust,
)

TheCursor = Annotated[Cursor, Depends(page_cursor)]

Importance = Annotated[int, Field(strict=True, ge=1, le=10, examples=[7])]


async def place(
    project_id: Annotated[ClientId | None, Query(description="speak from this project")] = None,
    agent_id: Annotated[ClientId | None, Query(description="speak for this agent")] = None,
    session_id: Annotated[ClientId | None, Query(description="speak from this session")] = None,
) -> Place:
    """Where the caller speaks from."""
    return Place(project_id=project_id, agent_id=agent_id, session_id=session_id)


ThePlace = Annotated[Place, Depends(place)]


class Lookup(TypedDict):
    """How a call finds the memory that it names."""

    place: Place
    include_expired: bool


async def lookup(
    place: ThePlace,
    include_expired: Annotated[bool, Query(description="find it also when it has expired")] = False,
) -> Lookup:
    """The query parameters of every call about one memory."""
    return Lookup(place=place, include_expired=include_expired)


TheLookup = Annotated[Lookup, Depends(lookup)]


async def the_assets(request: Request) -> ObjectStore:
    """The object store of this app."""
    store: ObjectStore = request.app.state.assets
    return store


TheAssets = Annotated[ObjectStore, Depends(the_assets)]


class SourceBody(Body):
    """A link to what produced a memory."""

    kind: SourceKind
    ref: str = Field(examples=["https://example.com/brief"])
    quote: str | None = Field(None, examples=["Ana takes her tea green"])

    def as_source(self) -> Source:
        """The link as a value."""
        return Source(kind=self.kind, ref=self.ref, quote=self.quote)


class MemorySave(Body):
    """A memory to save under its key. What is left out takes its default, or stays where the key is held already."""

    key: str = Field(examples=["favourite tea"])
    value: str = Field(examples=["Green, no sugar."])
    summary: str | None = Field(None, examples=["Drinks green tea"])
    category: str = Field("fact", examples=["preference"])
    tags: list[str] = Field(default_factory=list, examples=[["drinks"]])
    importance: Importance = 5
    pinned: bool = Field(False, strict=True)
    expires_at: Instant | None = None
    source: str = Field("manual", examples=["manual"])
    scope: Scope = "global"
    project_id: ClientId | None = None
    agent_id: ClientId | None = None
    session_id: ClientId | None = None
    sources: list[SourceBody] = Field(default_factory=list)
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    superseded_by: str | None = None
    trust: Trust = Field("user", examples=["user"])
    dedupe: Dedupe = "update"

    def as_new(self) -> NewMemory:
        """The save as a value; only what was given is among its fields."""
        return NewMemory(
            fields=self.model_dump(exclude_unset=True, exclude=_NOT_FIELDS),
            scope=self.scope,
            place=Place(self.project_id, self.agent_id, self.session_id),
            sources=tuple(source.as_source() for source in self.sources),
            dedupe=self.dedupe,
        )


_NOT_FIELDS = {"scope", "project_id", "agent_id", "session_id", "sources", "dedupe"}


class MemoryChange(Body):
    """What to change about a memory; a field that is left out stays, and null clears an optional one."""

    NEVER_NULL: ClassVar[tuple[str, ...]] = NEVER_NULL

    key: str | None = None
    value: str | None = Field(None, examples=["Oolong."])
    summary: str | None = None
    category: str | None = Field(None, examples=["preference"])
    tags: list[str] | None = None
    importance: Importance | None = None
    pinned: bool | None = Field(None, strict=True)
    expires_at: Instant | None = None
    source: str | None = Field(None, examples=["manual"])
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    superseded_by: str | None = None
    trust: Trust | None = None

    def given(self) -> dict[str, Any]:
        """Only what was given."""
        return self.model_dump(exclude_unset=True)
