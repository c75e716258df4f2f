"""Entries over HTTP, under /agents/{agent_id}."""

from typing import Annotated, Any, Literal
from urllib.parse import unquote_to_bytes

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from pydantic import ConfigDict, Field, ValidationError
from starlette.convertors import Convertor, register_url_convertor

from holdfast.edge import zips
from holdfast.edge.accept import prefers
from holdfast.edge.json_body import check_strings, read_body
from holdfast.edge.preconditions import IfMatch, etag, set_etag
from holdfast.edge.problems import invalid_from
from holdfast.edge.route import ApiRoute, StreamingApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import AfterId, BeforeId, Body
from holdfast.entries import batch, history, markdown, runs, service, transfer
from holdfast.entries.model import (
    CORE,
    DEFAULT_BUDGET_BYTES,
    Entry,
    EntryBatchResult,
    Filter,
    HydratedRun,
    Hydration,
    ImportResult,
    NewEntry,
    Run,
    Scope,
    StoredEntry,
)
from holdfast.kernel.clock import Instant
from holdfast.kernel.errors import Invalid
from holdfast.kernel.pages import MAX_LIMIT, Page
from holdfast.kernel.revisions import MAX_VERSION


class Rest(Convertor[str]):
    """The rest of a path, whatever it holds: `path` would stop at a line break, and drop one that ends a key."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        """As it came."""
        return value

    def to_string(self, value: str) -> str:
        """As it goes."""
        return value


register_url_convertor("rest", Rest())


class BatchRoute(ApiRoute):
    """A batch: what is wrong with one entry concerns it alone."""

    batch_fields = frozenset({"entries"})


router = APIRouter(route_class=ApiRoute, tags=["entries"], prefix="/agents/{agent_id}")
batch_router = APIRouter(route_class=BatchRoute, tags=["entries"], prefix="/agents/{agent_id}")
zip_router = APIRouter(route_class=StreamingApiRoute, tags=["entries"], prefix="/agents/{agent_id}")

MAX_BUDGET_BYTES = 2**31 - 1


def _example(body: dict[str, Any]) -> ConfigDict:
    """A body that can be sent as it stands."""
    return ConfigDict(json_schema_extra={"examples": [body]})


_NOT_EMPTY: dict[str, Any] = {"minLength": 1}
Tag = Annotated[str, Field(json_schema_extra=_NOT_EMPTY)]


class EntryPut(Body):
    """What to store under the key."""

    model_config = _example(
        {"content": "Prefers tea, no sugar.", "category": "core", "tags": ["drinks"]}
    )

    content: str = Field(examples=["Prefers tea, no sugar."], json_schema_extra=_NOT_EMPTY)
    category: str = Field(CORE, examples=["core"])
    tags: list[Tag] | None = None
    scope: Scope = Field("agent", description="`user`: seen by those who act for this user alone")
    run_id: str | None = None
    expected_version: int | None = Field(None, ge=0, le=MAX_VERSION)


class EntryBatchItem(Body):
    """One entry of a batch."""

    key: str = Field(examples=["likes"])
    content: str = Field(examples=["Prefers tea, no sugar."], json_schema_extra=_NOT_EMPTY)
    category: str = CORE
    tags: list[Tag] | None = None
    scope: Scope = "agent"


class EntryBatch(Body):
    """Entries to store, each by itself: an item that is not as EntryBatchItem has it is reported and skipped."""

    model_config = _example({"entries": [{"key": "likes", "content": "Prefers tea, no sugar."}]})

    entries: list[Any]
    run_id: str | None = None


class RunStart(Body):
    """How to start a run."""

    hydrate: bool = Field(False, description="also answer what the agent sees")
    budget_bytes: int = Field(DEFAULT_BUDGET_BYTES, ge=0, le=MAX_BUDGET_BYTES)


class Forgotten(Body):
    """Whether there was anything to forget."""

    forgotten: bool


async def key_in_path(request: Request, key: Annotated[str, Path()]) -> str:
    """The key at the end of a path. A percent-encoded slash is part of it, and so is a plain one."""
    try:
        unquote_to_bytes(request.scope["raw_path"]).decode()
    except UnicodeDecodeError:
        raise Invalid.field("key", "is not UTF-8") from None
    return key


TheKey = Annotated[str, Depends(key_in_path)]
RunId = Annotated[str | None, Query(description="the current run")]
Category = Annotated[str | None, Query(description="only what is of this category")]
TheScope = Annotated[
    Scope | None, Query(description="`user`: only this user's with the agent; `agent`: all others")
]
Exported = Annotated[
    Scope, Query(description="`agent`: the agent's own entries; `user`: this user's with it")
]


@router.put(
    "/entries/{key:rest}", operation_id="entries.store", responses={201: {"model": StoredEntry}}
)
async def put_entry(
    agent_id: str,
    key: TheKey,
    body: EntryPut,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> StoredEntry:
    """Store a fact under a key (201), or refresh what is there; 409 if `expected_version` is not its version."""
    stored = await service.store(
        db,
        caller,
        agent_id,
        NewEntry(key, body.content, body.category, body.tags or [], body.scope),
        run_id=body.run_id,
        expected_version=body.expected_version,
        if_match=if_match,
    )
    return answer_stored(response, stored)


@router.get("/entries", operation_id="entries.list", response_model=Page[Entry])
async def list_entries(
    agent_id: str,
    caller: TheCaller,
    db: TheDatabase,
    category: Category = None,
    tag: Annotated[list[str], Query(description="repeatable; all must hold")] = [],  # noqa: B006
    query: Annotated[str | None, Query(description="part of a key or content")] = None,
    updated_after: Instant | None = None,
    updated_before: Instant | None = None,
    run_id: RunId = None,
    limit: Annotated[int | None, Query(ge=1, le=MAX_LIMIT)] = None,
    after_id: AfterId = None,
    before_id: BeforeId = None,
) -> Page[Entry]:
    """The current run's entries, the user's with this agent, the agent's and its workspace's; last stored first."""
    wanted = Filter(category, tag, query, updated_after, updated_before, run_id)
    return await service.list_entries(
        db, caller, agent_id, wanted, limit=limit, after_id=after_id, before_id=before_id
    )


@router.get(
    "/entries/{key:rest}",
    operation_id="entries.recall",
    response_model=Entry,
    responses={200: {"content": {markdown.MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
async def get_entry(
    agent_id: str,
    key: TheKey,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
    run_id: RunId = None,
    scope: TheScope = None,
    as_of: Annotated[Instant | None, Query(description="as it stood at this instant")] = None,
    accept: Annotated[str, Header()] = "",
) -> Entry | Response:
    """The entry under a key: of the current run, else the user's with this agent, the agent's, its workspace's."""
    if as_of is None:
        entry = await service.recall(db, caller, agent_id, key, run_id=run_id, scope=scope)
    else:
        entry = await history.as_of(db, caller, agent_id, key, as_of, run_id=run_id, scope=scope)
    if prefers(accept, markdown.MEDIA_TYPE):
        headers = {"ETag": etag(entry.version), "Vary": "Accept"}
        return Response(markdown.write(entry), headers=headers, media_type=markdown.MEDIA_TYPE)
    set_etag(response, entry.version)
    response.headers["Vary"] = "Accept"
    return entry


@router.delete("/entries/{key:rest}", operation_id="entries.forget")
async def delete_entry(
    agent_id: str,
    key: TheKey,
    if_match: IfMatch,
    caller: TheCaller,
    db: TheDatabase,
    run_id: RunId = None,
    category: Category = None,
    scope: TheScope = None,
) -> Forgotten:
    """Forget what GET would have found; nothing there is no error."""
    forgotten = await service.forget(
        db, caller, agent_id, key, run_id=run_id, category=category, scope=scope, if_match=if_match
    )
    return Forgotten(forgotten=forgotten)


@batch_router.post("/entries-batch", operation_id="entries.store_batch")
async def store_batch(
    agent_id: str, body: EntryBatch, caller: TheCaller, db: TheDatabase
) -> EntryBatchResult:
    """Store many entries in one transaction; an invalid one is reported and skipped."""
    items = [_item(raw) for raw in body.entries]
    return await batch.store_batch(db, caller, agent_id, items, run_id=body.run_id)


@router.get(
    "/hydration",
    operation_id="entries.hydrate",
    response_model=Hydration,
    responses={304: {"description": "unchanged"}},
)
async def get_hydration(
    agent_id: str,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
    budget_bytes: Annotated[int, Query(ge=0, le=MAX_BUDGET_BYTES)] = DEFAULT_BUDGET_BYTES,
    run_id: RunId = None,
    if_none_match: Annotated[str, Header()] = "",
) -> Hydration | Response:
    """What the agent sees at the start of a run, within a budget of bytes."""
    seen = await service.hydrate(db, caller, agent_id, budget_bytes=budget_bytes, run_id=run_id)
    tag = f'"{seen.etag}"'
    if tag in if_none_match:
        return Response(status_code=304, headers={"ETag": tag})
    response.headers["ETag"] = tag
    return seen


@router.post("/runs", operation_id="entries.start_run", status_code=201)
async def start_run(
    agent_id: str, caller: TheCaller, db: TheDatabase, body: RunStart | None = None
) -> HydratedRun | Run:
    """Start a run; with `hydrate`, also what the agent sees."""
    body = body or RunStart()
    return await runs.start_run(
        db, caller, agent_id, with_hydration=body.hydrate, budget_bytes=body.budget_bytes
    )


@router.post("/runs/{run_id}/end", operation_id="entries.end_run")
async def end_run(agent_id: str, run_id: str, caller: TheCaller, db: TheDatabase) -> Run:
    """End a run and drop its `conversation` entries; again changes nothing."""
    return await runs.end_run(db, caller, agent_id, run_id)


@router.get(
    "/entries-export",
    operation_id="entries.export",
    response_class=Response,
    responses={200: {"content": zips.ANSWER}},
)
async def export_entries(
    agent_id: str,
    caller: TheCaller,
    db: TheDatabase,
    scope: Exported = "agent",
    accept: zips.Accept = "",
) -> Response:
    """The agent's own entries as a zip of markdown files; with scope `user`, this user's with the agent."""
    archive = await transfer.export_entries(db, caller, agent_id, scope=scope)
    name = f'attachment; filename="{agent_id}-entries.zip"'
    return Response(
        archive, media_type=zips.media_type(accept), headers={"Content-Disposition": name}
    )


@zip_router.post(
    "/entries-import",
    operation_id="entries.import_zip",
    openapi_extra=zips.BODY,
)
async def import_entries(
    agent_id: str,
    request: Request,
    caller: TheCaller,
    db: TheDatabase,
    mode: Literal["upsert", "replace"] = "upsert",
    scope: Exported = "agent",
) -> ImportResult:
    """Store what a zip of markdown files holds; `replace` also forgets what it lacks. All of it or nothing."""
    archive = await read_body(request, transfer.MAX_ZIP_BYTES)
    return await transfer.import_entries(db, caller, agent_id, archive, mode=mode, scope=scope)


def answer_stored(response: Response, stored: StoredEntry) -> StoredEntry:
    response.status_code = 201 if stored.created else 200
    set_etag(response, stored.version)
    return stored


def _item(raw: Any) -> tuple[str | None, batch.Item]:
    """An item of a batch with its key, or what is wrong with it; a key that cannot be kept is not shown."""
    key = raw.get("key") if isinstance(raw, dict) else None
    try:
        check_strings(key)
    except Invalid as error:
        return None, error
    key = key if isinstance(key, str) else None
    try:
        check_strings(raw)
        item = EntryBatchItem.model_validate(raw)
    except ValidationError as error:
        return key, invalid_from(error.errors())
    except Invalid as error:
        return key, error
    return key, NewEntry(item.key, item.content, item.category, item.tags or [], item.scope)
