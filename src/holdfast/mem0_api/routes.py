"""mem0's API over HTTP, under /mem0: add, search, list, read, change, delete, history."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase, claims_of
from holdfast.kernel import auth, clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import Invalid, NotFound
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import MAX_LIMIT, Cursor
from holdfast.kernel.recall.answer import Ask
from holdfast.mem0_api import model
from holdfast.mem0_api.model import Names, names_in, read_id, shown
from holdfast.memories import recall, saving, service
from holdfast.memories.model import Filter, Memory, Scope

MAX_PAGE = 1000
DEFAULT_PAGE = 100


class Mem0Route(ApiRoute):
    """An operation for a client of mem0's: it sends its key as `Authorization: Token`, and some names in every query."""

    ignored_query = frozenset({"org_id", "project_id", "delete_linked", "version", "output_format"})
    refuses_unknown_fields = False

    def claims(self, request: Request) -> auth.Claims:
        """Who is asking, by their form of the header or by ours."""
        return _claims(request)


def _claims(request: Request) -> auth.Claims:
    claims = claims_of(request)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return replace(claims, key=token.strip()) if scheme.lower() == "token" else claims


router = APIRouter(route_class=Mem0Route, include_in_schema=False)


class Sent(BaseModel):
    """A request of theirs. They send more fields than mean something here."""

    model_config = ConfigDict(extra="ignore")


class Mem0Message(Sent):
    """A message of theirs."""

    role: str = "user"
    content: Any = ""


class Mem0Add(Sent):
    """Texts to remember."""

    messages: list[Mem0Message]
    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    app_id: str | None = None
    metadata: dict[str, Any] | None = None
    categories: list[str] | None = None
    infer: bool = True


class Mem0Search(Sent):
    """What to look for."""

    query: str
    filters: dict[str, Any] | None = None
    top_k: int = Field(10, ge=1, le=MAX_LIMIT)
    threshold: float | None = None


class Mem0List(Sent):
    """Which memories to list."""

    filters: dict[str, Any] | None = None


class Mem0Update(Sent):
    """What to change."""

    text: str | None = None
    metadata: dict[str, Any] | None = None


@router.get("/v1/ping/")
async def ping(caller: TheCaller) -> dict[str, Any]:
    """What their client asks first."""
    return {
        "status": "ok",
        "org_id": caller.org_id,
        "project_id": caller.workspace_id,
        "user_email": caller.user_id,
    }


@router.post("/v3/memories/add/")
async def add(body: Mem0Add, request: Request, db: TheDatabase) -> dict[str, Any]:
    """Save what was said. With `infer`, what the user said; without, every message."""
    names = Names(body.user_id, body.agent_id, body.run_id, body.app_id)
    caller = await _acting(request, db, names)
    texts = [
        text_of(each.content) for each in body.messages if not body.infer or each.role == "user"
    ]
    results = []
    for text in filter(None, texts):
        new = model.new_memory(text, names, body.metadata or {}, body.categories or [])
        saved = await saving.save_memory(db, caller, new)
        event = "ADD" if saved.created else "NONE"
        results.append({**shown(saved, _of(names, caller)), "event": event})
    return {"event_id": new_id("evt"), "status": "SUCCEEDED", "results": results}


@router.post("/v3/memories/search/")
async def search(body: Mem0Search, request: Request, db: TheDatabase) -> dict[str, Any]:
    """The memories that fit a query best."""
    names, tags = names_in(body.filters)
    caller = await _acting(request, db, names)
    wanted = [*names.tags, *tags]
    labels = tuple(f"tag:{tag}" for tag in wanted)
    ask = Ask(
        query=body.query,
        kinds=("memory",),
        whole=True,
        limit=body.top_k,
        min_score=body.threshold,
        labels=labels,
    )
    found = await recall.recall(db, caller, names.place, ask)
    whose = _of(names, caller)
    return {"results": [shown(row, whose, row.score) for row in found.data if _has(row, wanted)]}


@router.post("/v3/memories/")
async def list_all(
    body: Mem0List,
    request: Request,
    db: TheDatabase,
    page: Annotated[int, Query(ge=1)] = 1,
    page_size: Annotated[int, Query(ge=1, le=MAX_PAGE)] = DEFAULT_PAGE,
) -> dict[str, Any]:
    """The memories of a user or an agent, newest first."""
    names, tags = names_in(body.filters)
    caller = await _acting(request, db, names)
    rows = await _rows(db, caller, names, [*names.tags, *tags])
    start = (page - 1) * page_size
    whose = _of(names, caller)
    return {
        "count": len(rows),
        "next": page + 1 if start + page_size < len(rows) else None,
        "previous": page - 1 if page > 1 else None,
        "results": [shown(row, whose) for row in rows[start : start + page_size]],
    }


@router.get("/v1/memories/{memory_id}/")
async def read(memory_id: str, request: Request, db: TheDatabase) -> dict[str, Any]:
    """One memory."""
    own_id, names = read_id(memory_id)
    caller = await _acting(request, db, names)
    return shown(await _present(db, caller, own_id, names), _of(names, caller))


@router.put("/v1/memories/{memory_id}/")
async def update(
    memory_id: str, body: Mem0Update, request: Request, db: TheDatabase
) -> dict[str, Any]:
    """Change the text or the metadata."""
    own_id, names = read_id(memory_id)
    caller = await _acting(request, db, names)
    row = await _present(db, caller, own_id, names)
    fields: dict[str, Any] = {}
    if body.text is not None:
        fields["value"] = body.text
    if body.metadata is not None:
        fields["tags"] = model.with_metadata(row.tags, body.metadata)
    if not fields:
        raise Invalid.field("text", "give a text or metadata")
    changed = await service.change_memory(db, caller, own_id, fields, place=names.place)
    return shown(changed, _of(names, caller))


@router.delete("/v1/memories/{memory_id}/")
async def delete(memory_id: str, request: Request, db: TheDatabase) -> dict[str, Any]:
    """Retire a memory: no answer has it any more, its history stays."""
    own_id, names = read_id(memory_id)
    caller = await _acting(request, db, names)
    await _present(db, caller, own_id, names)
    await service.retire_memory(db, caller, own_id, place=names.place)
    return {"message": "Memory deleted successfully!"}


@router.delete("/v1/memories/")
async def delete_all(
    request: Request,
    db: TheDatabase,
    user_id: str | None = None,
    agent_id: str | None = None,
    run_id: str | None = None,
    app_id: str | None = None,
) -> dict[str, Any]:
    """Retire every memory of a user, an agent or a run."""
    names = Names(user_id, agent_id, run_id, app_id)
    if names == Names():
        raise Invalid.field("user_id", "name a user, an agent or a run")
    caller = await _acting(request, db, names)
    for row in await _rows(db, caller, names, names.tags):
        await service.retire_memory(db, caller, row.id, place=names.place)
    return {"message": "Memories deleted successfully!"}


@router.get("/v1/memories/{memory_id}/history/")
async def history(memory_id: str, request: Request, db: TheDatabase) -> list[dict[str, Any]]:
    """Every change of a memory, oldest first."""
    own_id, names = read_id(memory_id)
    caller = await _acting(request, db, names)
    found = await service.read_history(db, caller, own_id, place=names.place, include_expired=True)
    whose, changes = _of(names, caller), [*reversed(found.data)]
    return [
        model.shown_change(past, changes[at - 1] if at else None, whose)
        for at, past in enumerate(changes)
    ]


# --- whose, and which --------------------------------------------------------------------------------------------------


async def _acting(request: Request, db: Database, names: Names) -> Caller:
    """The caller, acting for the user that the request names; refused where its key may not."""
    if names.user_id is None:
        caller: Caller = request.state.identified.caller
        return caller
    claims = replace(_claims(request), user=names.user_id)
    return (await auth.identify(db, claims)).caller


def _of(names: Names, caller: Caller) -> Names:
    """The names with the user acted for, so that ids tell whose a memory is."""
    return names if names.is_of_agent or names.user_id else replace(names, user_id=caller.user_id)


async def _present(db: Database, caller: Caller, memory_id: str, names: Names) -> Memory:
    """A memory that was not retired."""
    row = await service.read_memory(db, caller, memory_id, place=names.place)
    if row.valid_to is not None and row.valid_to <= clock.now():
        raise NotFound("this memory was deleted")
    return row


async def _rows(db: Database, caller: Caller, names: Names, tags: list[str]) -> list[Memory]:
    """Every memory of a user or an agent that has the tags, newest first."""
    scope: Scope = "agent" if names.is_of_agent else "global"
    which = Filter(scope=scope, agent_id=names.place.agent_id, tag=tags[0] if tags else None)
    rows: list[Memory] = []
    after: str | None = None
    while True:
        page = await service.list_memories(
            db, caller, which, Cursor(limit=MAX_LIMIT, after_id=after)
        )
        rows += [row for row in page.data if _has(row, tags)]
        if not page.has_more:
            return rows
        after = page.last_id


def _has(row: Memory, tags: list[str]) -> bool:
    return set(tags) <= set(row.tags)


def text_of(content: Any) -> str:
    """The text of a message's content: a text, or parts of which some are text."""
    if isinstance(content, str):
        return content.strip()
    parts = [part.get("text", "") for part in content or [] if isinstance(part, dict)]
    return "\n".join(part for part in parts if isinstance(part, str)).strip()
