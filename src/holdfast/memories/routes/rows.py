"""Memories over HTTP: save, batch, list, read, change, retire, history, restore, delete."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Response
from pydantic import Field, ValidationError, WrapValidator

from holdfast.edge import wire
from holdfast.edge.json_body import check_strings
from holdfast.edge.openapi import BROWSER_ONLY
from holdfast.edge.preconditions import IfMatch, set_etag
from holdfast.edge.problems import invalid_from
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.kernel.clock import Instant
from holdfast.kernel.diffs import TextDiff
from holdfast.kernel.errors import HoldfastError, Invalid
from holdfast.kernel.ids import ClientId
from holdfast.kernel.pages import Page
from holdfast.kernel.revisions import MAX_VERSION
from holdfast.memories import batch, deletion, saving, service
from holdfast.memories.model import (
    MAX_BATCH,
    Deletion,
    Filter,
    Memory,
    MemoryBatch,
    PastMemory,
    SavedMemory,
    Scope,
    Trust,
)
from holdfast.memories.routes.words import (
    Importance,
    MemoryChange,
    MemorySave,
    TheAssets,
    TheCursor,
    TheLookup,
    ThePlace,
)


class BatchRoute(ApiRoute):
    """A batch: what is wrong with one memory concerns it alone."""

    batch_fields = frozenset({"memories"})


router = APIRouter(route_class=ApiRoute, tags=["memories"])
batch_router = APIRouter(route_class=BatchRoute, tags=["memories"])


class MemoryRestore(wire.Body):
    """The version to bring back."""

    version: int = Field(strict=True, ge=1, le=MAX_VERSION, examples=[1])


def _or_refusal(value: Any, parse: Callable[[Any], MemorySave]) -> MemorySave | HoldfastError:
    """The item, or the error of one that cannot be read: it is reported in its result, and the others are saved."""
    try:
        check_strings(value)
        return parse(value)
    except Invalid as error:
        return error
    except ValidationError as error:
        return invalid_from([{**each, "loc": ("body", *each["loc"])} for each in error.errors()])


class MemoryBatchSave(wire.Body):
    """Up to 1,000 memories to save in one transaction."""

    memories: list[Annotated[MemorySave, WrapValidator(_or_refusal)]] = Field(
        json_schema_extra={"minItems": 1, "maxItems": MAX_BATCH}
    )


class FilterBody(wire.Body):
    """Which memories to delete, as the list's filters say it."""

    scope: Scope | None = None
    category: str | None = Field(None, examples=["preference"])
    tag: str | None = None
    source: str | None = None
    project_id: ClientId | None = None
    agent_id: ClientId | None = None
    session_id: ClientId | None = None
    pinned: bool | None = None
    min_importance: Importance | None = None
    min_trust: Trust | None = None
    include_expired: bool = False
    include_superseded: bool = False

    def as_filter(self) -> Filter:
        """The filter as a value."""
        return Filter(**self.model_dump())


class DeletionBody(wire.Body):
    """Which memories to delete: those named, or those that a filter finds."""

    ids: list[str] | None = Field(None, examples=[["memory_0199c0ffee0070008000000000000001"]])
    filter: FilterBody | None = None
    dry_run: bool = False


@router.post(
    "/memories",
    operation_id="memories.save",
    status_code=201,
    responses={200: {"model": SavedMemory}},
)
async def post_memory(
    body: MemorySave, if_match: IfMatch, response: Response, caller: TheCaller, db: TheDatabase
) -> SavedMemory:
    """Save a memory: 201 where it is new, 200 where its key was held already and it was updated in place."""
    saved = await saving.save_memory(db, caller, body.as_new(), if_match=if_match)
    response.status_code = 201 if saved.created else 200
    set_etag(response, saved.version)
    return saved


@batch_router.post("/memories/batch", operation_id="memories.batch")
async def post_batch(body: MemoryBatchSave, caller: TheCaller, db: TheDatabase) -> MemoryBatch:
    """Save up to 1,000 memories in one transaction; each has its own result."""
    items = [each.as_new() if isinstance(each, MemorySave) else each for each in body.memories]
    return await batch.save_batch(db, caller, items)


@router.get("/memories", operation_id="memories.list")
async def list_memories(
    cursor: TheCursor,
    caller: TheCaller,
    db: TheDatabase,
    place: ThePlace,
    scope: Scope | None = None,
    category: str | None = None,
    tag: str | None = None,
    source: str | None = None,
    pinned: bool | None = None,
    min_importance: Annotated[int | None, Query(ge=1, le=10)] = None,
    min_trust: Trust | None = None,
    as_of: Annotated[Instant | None, Query(description="as they stood at this instant")] = None,
    include_expired: bool = False,
    include_superseded: bool = False,
) -> Page[Memory]:
    """The memories that the caller sees, newest first."""
    which = Filter(
        scope=scope,
        category=category,
        tag=tag,
        source=source,
        project_id=place.project_id,
        agent_id=place.agent_id,
        session_id=place.session_id,
        pinned=pinned,
        min_importance=min_importance,
        min_trust=min_trust,
        include_expired=include_expired,
        include_superseded=include_superseded,
    )
    return await service.list_memories(db, caller, which, cursor, as_of=as_of)


@router.delete("/memories", operation_id="auth.delete_memories", openapi_extra={BROWSER_ONLY: True})
async def delete_memories(
    caller: TheCaller,
    db: TheDatabase,
    store: TheAssets,
    body: Annotated[DeletionBody | None, Body()] = None,
    dry_run: bool = False,
) -> Deletion:
    """Erase those named, or all that a filter finds (browser session with a fresh step-up)."""
    caller.must_have_stepped_up()
    asked = body or DeletionBody()
    return await deletion.delete_memories(
        db,
        store,
        caller,
        ids=asked.ids,
        which=None if asked.filter is None else asked.filter.as_filter(),
        dry_run=dry_run or asked.dry_run,
    )


@router.get("/memories/{memory_id}", operation_id="memories.get")
async def get_memory(
    memory_id: str,
    lookup: TheLookup,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
    as_of: Annotated[Instant | None, Query(description="as it stood at this instant")] = None,
) -> Memory:
    """One memory."""
    memory = await service.read_memory(db, caller, memory_id, as_of=as_of, **lookup)
    set_etag(response, memory.version)
    return memory


@router.patch("/memories/{memory_id}", operation_id="memories.change")
async def patch_memory(
    memory_id: str,
    body: MemoryChange,
    lookup: TheLookup,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Memory:
    """Change the fields that are given."""
    fields = body.given()
    memory = await service.change_memory(db, caller, memory_id, fields, if_match=if_match, **lookup)
    set_etag(response, memory.version)
    return memory


@router.delete(
    "/memories/{memory_id}",
    operation_id="memories.delete",
    openapi_extra={BROWSER_ONLY: True},
    status_code=204,
)
async def delete_memory(
    memory_id: str,
    lookup: TheLookup,
    if_match: IfMatch,
    caller: TheCaller,
    db: TheDatabase,
    store: TheAssets,
) -> None:
    """Erase a memory with everything derived from it (browser session with a fresh step-up)."""
    await deletion.delete_memory(db, store, caller, memory_id, if_match=if_match, **lookup)


@router.get("/memories/{memory_id}/history", operation_id="memories.history")
async def get_history(
    memory_id: str,
    lookup: TheLookup,
    cursor: wire.VersionCursor,
    caller: TheCaller,
    db: TheDatabase,
) -> Page[PastMemory]:
    """The states the memory had, newest first, the present one included."""
    return await service.read_history(db, caller, memory_id, **lookup, cursor=cursor)


@router.get("/memories/{memory_id}/diff", operation_id="memories.diff")
async def get_diff(
    memory_id: str,
    lookup: TheLookup,
    since: wire.DiffFrom,
    until: wire.DiffTo,
    caller: TheCaller,
    db: TheDatabase,
) -> TextDiff:
    """What changed in a memory's value between two versions or times, in either order, as a unified diff."""
    return await service.diff_memory(db, caller, memory_id, since, until, **lookup)


@router.post("/memories/{memory_id}/retire", operation_id="memories.retire")
async def post_retire(
    memory_id: str,
    place: ThePlace,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Memory:
    """Forget a memory without erasing it: `valid_to` becomes now. Retiring it again changes nothing."""
    memory = await service.retire_memory(db, caller, memory_id, place=place, if_match=if_match)
    set_etag(response, memory.version)
    return memory


@router.post("/memories/{memory_id}/restore", operation_id="memories.restore")
async def post_restore(
    memory_id: str,
    body: MemoryRestore,
    lookup: TheLookup,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Memory:
    """Make an earlier version the newest."""
    memory = await service.restore_memory(
        db, caller, memory_id, body.version, if_match=if_match, **lookup
    )
    set_etag(response, memory.version)
    return memory
