"""What the routes of stores share: bodies, parameters, the ETag."""

from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query, Response
from pydantic import Field

from holdfast.edge.preconditions import set_etag
from holdfast.edge.wire import Body, page_cursor
from holdfast.kernel.clock import Instant
from holdfast.kernel.pages import Cursor
from holdfast.kernel.revisions import MAX_VERSION
from holdfast.stores.model import Store, StoreEntry, Visibility
from holdfast.stores.service import Period

TheCursor = Annotated[Cursor, Depends(page_cursor)]
PREFIX = "/memory_stores"

Thing = TypeVar("Thing", Store, StoreEntry)
VersionNumber = Annotated[int, Field(ge=1, le=MAX_VERSION, examples=[1])]

MetadataKey = Annotated[str, Field(json_schema_extra={"minLength": 1})]
NO_CONTROLS: dict[str, Any] = {"pattern": r"^[^\x00-\x1f\x7f-\x9f]*$"}
# Relative and without control characters; that it has no `..` is checked apart.
_PATH_FORM: dict[str, Any] = {"pattern": r"^[^/\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"}


class StoreCreate(Body):
    """A new store."""

    name: str = Field(examples=["Team handbook"])
    description: str = Field("", examples=["How we work"])
    metadata: dict[MetadataKey, str] = Field(default_factory=dict, examples=[{"team": "support"}])
    visibility: Visibility = Field("org", description="`private`: for the user that makes it alone")
    read_only: bool = Field(False, description="user and agent keys only read its entries")


class StoreChange(Body):
    """What to change about a store; what is left out stays, a null in the metadata removes its key."""

    name: str | None = Field(None, examples=["Handbook"])
    description: str | None = Field(None, examples=["How we work"])
    metadata: dict[MetadataKey, str | None] | None = Field(None, examples=[{"team": None}])
    visibility: Visibility | None = None
    read_only: bool | None = None


class EntryCreate(Body):
    """A text and where it lies."""

    path: str = Field(examples=["notes/tea.md"], json_schema_extra=_PATH_FORM)
    content: str = Field(examples=["Ana drinks green tea.\n"])
    metadata: dict[MetadataKey, str] = Field(default_factory=dict, examples=[{"source": "chat"}])


class EntryUpdate(Body):
    """What an entry becomes, and the version it was read at."""

    content: str = Field(examples=["Ana drinks black tea.\n"])
    version: VersionNumber
    metadata: dict[MetadataKey, str] | None = Field(None, examples=[{"source": "chat"}])
    path: str | None = Field(None, examples=["notes/drinks.md"], json_schema_extra=_PATH_FORM)


class EntryRestore(Body):
    """The version to bring back, and the version that the entry was read at."""

    version_id: str = Field(examples=["memver_0190f5a8c0de7a3bb1c2d3e4f5061728"])
    version: VersionNumber


async def created_between(
    gte: Annotated[Instant | None, Query(alias="created_at[gte]")] = None,
    lte: Annotated[Instant | None, Query(alias="created_at[lte]")] = None,
) -> Period:
    """The filter by time of a list."""
    return Period(gte, lte)


ThePeriod = Annotated[Period, Depends(created_between)]


def tagged(response: Response, thing: Thing) -> Thing:
    """A store or an entry, with its version as the ETag."""
    set_etag(response, thing.version)
    return thing
