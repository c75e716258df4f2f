"""API keys: minted, listed, revoked."""

from datetime import datetime

from holdfast.access.model import ApiKey, NewKey
from holdfast.access.service import queries
from holdfast.kernel import clock, places
from holdfast.kernel.auth import DEFAULT_WORKSPACE, digest_of, new_key, visible_prefix
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import Invalid, NotFound, ScopeDenied
from holdfast.kernel.ids import new_id
from holdfast.kernel.key_cache import KeyCache, KeyKind
from holdfast.kernel.pages import Cursor, Page, read_page


async def create_key(
    db: Database,
    caller: Caller,
    kind: KeyKind,
    *,
    name: str | None = None,
    user_id: str | None = None,
    agent_id: str | None = None,
    workspace_id: str | None = None,
    requests_per_minute: int | None = None,
    expires_at: datetime | None = None,
    test: bool = False,
    key: str | None = None,
) -> NewKey:
    """Create a key: from the command line, which has the database, or over HTTP from a browser with a fresh step-up.

    An agent key's agent exists from here on. `key` is for the bootstrap, which brings its own.
    """
    if caller.credential != "operator":
        caller.must_have_stepped_up()
    if kind == "user" and user_id is None:
        user_id = caller.must_be_user()
    if not caller.administers and (kind != "user" or user_id != caller.user_id):
        raise ScopeDenied("one who is not an owner may mint user keys for itself only")
    _check_fields(kind, user_id, agent_id, expires_at)

    key = key or new_key(test=test)
    key_id = new_id("key")
    async with db.begin(caller) as tx:
        if workspace_id is not None and not await tx.one(
            bool, queries.workspace_exists, workspace_id=workspace_id
        ):
            raise NotFound(f"there is no workspace {workspace_id!r}")
        if user_id is not None:
            await tx.run(queries.add_user, user_id=user_id)
        if agent_id is not None:
            await tx.run(
                places.queries.register_agent,
                agent_id=agent_id,
                workspace_id=workspace_id or DEFAULT_WORKSPACE,
            )
        await tx.run(
            queries.create_key,
            id=key_id,
            kind=kind,
            name=name,
            digest=digest_of(key),
            prefix=visible_prefix(key),
            user_id=user_id,
            agent_id=agent_id,
            workspace_id=workspace_id,
            requests_per_minute=requests_per_minute,
            read_only=False,
            expires_at=expires_at,
        )
        await tx.revise("key", key_id, version=1, action="created", state={"kind": kind})
    return NewKey(key_id=key_id, key=key, kind=kind)


def _check_fields(
    kind: KeyKind, user_id: str | None, agent_id: str | None, expires_at: datetime | None
) -> None:
    if (kind == "agent") != (agent_id is not None):
        raise Invalid.field("agent_id", "belongs to agent keys, and to every one of them")
    if expires_at is not None and expires_at <= clock.now():
        raise Invalid.field("expires_at", "has passed: an expiry must be in the future")
    for field, value in (("user_id", user_id), ("agent_id", agent_id)):
        if value is not None:
            places.check_client_id(value, field=field)


async def list_keys(db: Database, caller: Caller, cursor: Cursor) -> Page[ApiKey]:
    """Keys, newest first: all of the org's for administrators, else the user's own."""
    if caller.credential == "agent":
        raise ScopeDenied("keys are not for an agent's key to see")
    async with db.read(caller) as tx:
        return await read_page(
            tx,
            ApiKey,
            queries.list_keys,
            cursor,
            user_id=caller.user_id,
            all_users=caller.administers,
        )


async def revoke_key(db: Database, caller: Caller, key_id: str) -> None:
    """Revoke a key, immediately and permanently."""
    if caller.credential != "operator":
        caller.must_have_stepped_up()
    async with db.begin(caller) as tx:
        revoked = await tx.one(
            str, queries.revoke_key, id=key_id, user_id=caller.user_id, all_users=caller.administers
        )
        if revoked is None:
            raise NotFound(f"there is no key {key_id!r} in force")
        await tx.revise("key", key_id, version=2, action="revoked")
        tx.on_commit(db.services.get(KeyCache).forget)  # here at once; others are told
