"""Entries for a model: store, recall, list and forget by key."""

from typing import Annotated, Any

from pydantic import Field

from holdfast.edge import compact
from holdfast.edge.toolbox import DELETES, READS, REPLACES, Call, Listed, Shelf, Toolbox
from holdfast.edge.wire import Body
from holdfast.entries import markdown, service
from holdfast.entries.model import (
    CONVERSATION,
    CORE,
    WORKSPACE,
    Entry,
    Filter,
    NewEntry,
    Scope,
    StoredEntry,
)
from holdfast.kernel.clock import Instant
from holdfast.kernel.errors import AgentNotFound, NotFound
from holdfast.kernel.pages import MAX_LIMIT

box = Toolbox("entries")

Key = Annotated[
    str,
    Field(
        description="The fact's stable name, at most 255 bytes.", examples=["preferred_language"]
    ),
]


class ListFilter(Body):
    """Which entries to list; what is left out is not asked about."""

    category: str | None = Field(None, description="Only this category.", examples=["daily"])
    tags: list[str] = Field(
        default_factory=list, description="Every one of these tags.", examples=[["billing"]]
    )
    query: str | None = Field(
        None, description="Part of a key or content, in any case.", examples=["invoice"]
    )
    updated_after: Instant | None = Field(
        None, description="Stored after this time (RFC 3339).", examples=["2026-01-31T00:00:00Z"]
    )
    limit: int | None = Field(
        None, ge=1, le=MAX_LIMIT, description="At most this many; 100, or 20 with a query."
    )


@box.tool("Store a fact", REPLACES)
async def memory_store(
    call: Call,
    key: Key,
    content: Annotated[
        str, Field(description="The fact, in a sentence or two; at most 16,384 bytes.")
    ],
    category: Annotated[
        str,
        Field(
            description="core: kept, always in context. daily: gone after 72 hours. workspace: shared with every agent "
            "of the workspace. Any other name: kept, in context while there is room.",
            examples=["core", "daily", "workspace", "billing"],
        ),
    ] = CORE,
    tags: Annotated[
        list[str] | None, Field(description="Words to filter by later; at most 32.")
    ] = None,
    scope: Annotated[
        Scope | None,
        Field(
            description="user: about the user you work for, and seen with that user only. agent: for every user of this "
            "agent. Left out: user, where there is one."
        ),
    ] = None,
) -> StoredEntry:
    """Remember one fact under a stable key. Storing a key again replaces what was there: correct a fact by storing it again.

    Use it as soon as you learn something that will matter later: a preference, a decision, an open task. One fact per
    key; no secrets. `evicted` in the result names entries that had to make room.
    Example: memory_store(key="preferred_language", category="core", content="Ana wants answers in Portuguese.")
    """
    if scope is None:
        shared = call.caller.user_id is None or category in (WORKSPACE, CONVERSATION)
        scope = "agent" if shared else "user"
    new = NewEntry(key, content, category, tags or [], scope)
    return await service.store(call.db, call.caller, call.agent_id, new)


@box.tool("Recall a fact by its key", READS)
async def memory_recall(call: Call, key: Key) -> Entry | None:
    """Read the one entry under a key; empty when there is none.

    Use it when you know the key. When you do not, use memory_list with a query, or recall to search everywhere.
    Example: memory_recall(key="preferred_language")
    """
    try:
        return await service.recall(call.db, call.caller, call.agent_id, key)
    except (NotFound, AgentNotFound):
        return None


@box.tool("List stored facts", READS)
async def memory_list(
    call: Call,
    filter: Annotated[
        ListFilter | None, Field(description="Leave it out for everything, newest first.")
    ] = None,
    detail: Annotated[bool, Field(description="Whole objects.")] = False,
) -> dict[str, Any]:
    """List what is stored for this agent, its user and its workspace, newest first. `has_more`: the list was cut.

    Use it at the start of a task to see what is known, or with a query when you do not remember a key.
    Example: memory_list(filter={"query": "invoice", "category": "daily"})
    """
    asked = filter or ListFilter()
    wanted = Filter(asked.category, asked.tags, asked.query, asked.updated_after)
    try:
        page = await service.list_entries(
            call.db, call.caller, call.agent_id, wanted, limit=asked.limit
        )
    except AgentNotFound:
        return {"data": [], "has_more": False}
    data = page.data if detail else [_compact(each) for each in page.data]
    return {"data": data, "has_more": page.has_more}


def _compact(entry: Entry) -> dict[str, Any]:
    return compact.line(entry.id, entry.content, entry.updated_at, entry.category, key=entry.key)


@box.tool("Forget a fact", DELETES)
async def memory_forget(call: Call, key: Key) -> dict[str, bool]:
    """Forget the entry under a key. Forgetting what is not there is no error: `forgotten` is then false.

    Use it when a fact is no longer true, or when the user asks you to forget it. To correct a fact, store it again.
    Example: memory_forget(key="preferred_language")
    """
    try:
        forgotten = await service.forget(call.db, call.caller, call.agent_id, key)
    except AgentNotFound:
        forgotten = False
    return {"forgotten": forgotten}


async def _list(call: Call, after_id: str | None) -> tuple[list[Listed], str | None]:
    page = await service.list_entries(
        call.db, call.caller, call.agent_id, Filter(), after_id=after_id
    )
    listed = [Listed(each.key, each.key, f"{each.category} entry") for each in page.data]
    return listed, page.last_id if page.has_more else None


async def _read(call: Call, key: str) -> str:
    return markdown.write(await service.recall(call.db, call.caller, call.agent_id, key))


box.shelves.append(
    Shelf(
        prefix="entries",
        template="{key}",
        name="entry",
        description="A fact under a key: of this agent, of its user, or of its workspace.",
        media_type=markdown.MEDIA_TYPE,
        list=_list,
        read=_read,
    )
)
