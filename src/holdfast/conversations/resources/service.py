"""Memory resources: read, list, put, delete. `sessions` is built in: every org has it, and it cannot be changed."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from psycopg.types.json import Jsonb

from holdfast.conversations.backends import Backends
from holdfast.conversations.resources import rules
from holdfast.conversations.resources.config import BUILT_IN, Resource, built_in
from holdfast.conversations.resources.yaml import Document
from holdfast.kernel import revisions
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import (
    Conflict,
    FieldError,
    Invalid,
    Malformed,
    NotFound,
    PreconditionFailed,
)
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.sql import load

queries = load(__file__)

KIND = "memory_resource"


@dataclass(frozen=True, slots=True)
class StoredResource:
    """A resource as it is kept: what the author wrote, and which revision of it this is."""

    id: str
    config: dict[str, Any]
    revision: int
    created_at: datetime
    updated_at: datetime

    @property
    def resource(self) -> Resource:
        """The configuration, ready to be used."""
        return _ready(self.id, self.revision, _frozen(self.config))


async def find(tx: Tx, resource_id: str) -> StoredResource:
    """One resource, built in or the org's own."""
    if resource_id == BUILT_IN:
        return await _the_built_in(tx)
    found = await tx.one(StoredResource, queries.read_resource, id=resource_id)
    if found is None:
        raise NotFound(f"there is no memory resource {resource_id!r}")
    return found


async def read_resource(backends: Backends, caller: Caller, resource_id: str) -> StoredResource:
    """One resource of the org."""
    async with backends.db.read(caller) as tx:
        return await find(tx, resource_id)


async def _check_cursor(tx: Tx, resource_id: str | None) -> None:
    """Refuse a cursor that names nothing: its page is empty, which would look like the end of the list."""
    try:
        if resource_id is not None:
            await find(tx, resource_id)
    except NotFound:
        raise Malformed(
            f"after_id, before_id: there is no memory resource {resource_id!r}"
        ) from None


async def list_resources(
    backends: Backends, caller: Caller, cursor: Cursor
) -> Page[StoredResource]:
    """The org's resources, newest first; the built-in one is as old as the org, so it comes last."""
    back = cursor.before_id is not None
    async with backends.db.read(caller) as tx:
        built = await _the_built_in(tx)
        if cursor.after_id == BUILT_IN:
            return Page.of([], cursor)
        query = queries.list_resources.backwards if back else queries.list_resources
        rows = await tx.all(
            StoredResource,
            query,
            after_id=cursor.after_id,
            before_id=None if cursor.before_id == BUILT_IN else cursor.before_id,
            limit=cursor.limit + 1,
        )
        if not rows:
            await _check_cursor(tx, cursor.after_id or cursor.before_id)
    if not back and len(rows) <= cursor.limit:
        rows.append(built)
    return Page.of(rows, cursor)


def validate(backends: Backends, documents: list[Document]) -> rules.Validation:
    """All that is wrong with these resources; where nothing is, the resources with field names in snake_case."""
    errors = [
        error
        for document in documents
        for error in rules.check(document.data, backends.capabilities, document.line)[1]
    ]
    if not documents:
        return rules.Validation(False, [FieldError("", "there is no resource in it", 1)])
    read = [] if errors else [rules.snake_case(document.data) for document in documents]
    return rules.Validation(not errors, errors, read)


async def put_resource(
    backends: Backends,
    caller: Caller,
    resource_id: str,
    document: Document,
    *,
    if_match: list[int] | None = None,
) -> StoredResource:
    """Make a resource, or change it; Invalid with everything that is wrong with it."""
    caller.must_administer("changing memory resources")
    data = document.data
    if isinstance(data, dict) and "id" not in data:
        data = {**data, "id": resource_id}
    resource = rules.must_be_valid(data, backends.capabilities, document.line)
    if resource.id != resource_id:
        raise Invalid.field("id", f"is {resource.id!r}, but the path says {resource_id!r}")
    if resource_id == BUILT_IN:
        raise Conflict(f"{BUILT_IN!r} is built in; choose another id", current=None)
    await _keep_messages_reachable(backends, caller, resource)
    config = resource.as_written()
    async with backends.db.begin(caller) as tx:
        stored = await tx.one(
            StoredResource,
            queries.put_resource,
            id=resource_id,
            config=Jsonb(config),
            if_match=if_match,
        )
        if stored is None:
            raise PreconditionFailed("the resource changed since that ETag")
        if stored.revision == 1:
            before = await revisions.latest_version(tx, KIND, resource_id)
            if before:
                stored = await tx.one(
                    StoredResource, queries.continue_counting, id=resource_id, revision=before + 1
                )
                if stored is None:
                    raise RuntimeError("the resource was not returned")
        action = "created" if stored.created_at == stored.updated_at else "updated"
        await tx.revise(KIND, resource_id, version=stored.revision, action=action, state=config)
    return stored


async def delete_resource(
    backends: Backends,
    caller: Caller,
    resource_id: str,
    *,
    force: bool = False,
    if_match: list[int] | None = None,
) -> None:
    """Remove a resource; one that has instances only by force, and they go with it."""
    caller.must_administer("deleting memory resources")
    if resource_id == BUILT_IN:
        raise Conflict(f"{BUILT_IN!r} is built in and cannot be deleted", current=None)
    stored = await read_resource(backends, caller, resource_id)
    if if_match is not None and stored.revision not in if_match:
        raise PreconditionFailed("the resource changed since that ETag")
    log = backends.log(caller, stored.resource)
    if (await log.instances(caller, resource_id, None, Cursor(limit=1))).data:
        if not force:
            raise Conflict(
                "the resource has instances; ?force=true deletes them too", current=as_wire(stored)
            )
        if not log.in_the_database:
            await log.delete_all(caller, resource_id)
    async with backends.db.begin(caller) as tx:
        revision = await tx.one(int, queries.delete_resource, id=resource_id, if_match=if_match)
        if revision is None:
            raise PreconditionFailed("the resource changed since that ETag")
        await tx.revise(KIND, resource_id, version=revision + 1, action="deleted")
        if log.in_the_database and force:
            await log.delete_all(caller, resource_id)  # joins this transaction


def as_wire(stored: StoredResource) -> dict[str, Any]:
    """A resource on the wire: what the author wrote, then what we know about it."""
    return {
        **stored.config,
        "id": stored.id,
        "revision": stored.revision,
        "created_at": rfc3339(stored.created_at),
        "updated_at": rfc3339(stored.updated_at),
    }


async def _keep_messages_reachable(backends: Backends, caller: Caller, resource: Resource) -> None:
    """Refuse a change that would leave instances behind: messages move neither to another backend nor to another owner."""
    async with backends.db.read(caller) as tx:
        stored = await tx.one(StoredResource, queries.read_resource, id=resource.id)
    if stored is None:
        return
    before = stored.resource
    moves = before.persistence.type != resource.persistence.type
    if not moves and before.shared == resource.shared:
        return
    log = backends.log(caller, before)
    if (await log.instances(caller, resource.id, None, Cursor(limit=1))).data:
        what = (
            "stay in the backend they were written to"
            if moves
            else "keep their owners: shared cannot change"
        )
        raise Conflict(f"the resource has instances, which {what}", as_wire(stored))


async def _the_built_in(tx: Tx) -> StoredResource:
    made_at = await tx.one(datetime, queries.org_made_at)
    if made_at is None:
        raise NotFound("this org is gone")
    return StoredResource(BUILT_IN, built_in().as_written(), 1, made_at, made_at)


def _frozen(value: Any) -> Any:
    """A JSON value as something that can be compared and kept."""
    if isinstance(value, dict):
        return ("{", *((name, _frozen(each)) for name, each in value.items()))
    return ("[", *map(_frozen, value)) if isinstance(value, list) else value


def _thawed(value: Any) -> Any:
    if isinstance(value, tuple):
        kind, *rest = value
        return (
            {name: _thawed(each) for name, each in rest} if kind == "{" else [*map(_thawed, rest)]
        )
    return value


@lru_cache(maxsize=1_000)
def _ready(resource_id: str, revision: int, config: Any) -> Resource:  # noqa: ARG001  (the rest of the cache's key)
    """The configuration, compiled once per configuration."""
    return Resource.model_validate(_thawed(config))
