"""Users as administrators manage them: create, change, delete."""

import psycopg

from holdfast.directory.model import Role, User
from holdfast.directory.rows import IfMatch
from holdfast.directory.users import email_address, queries, revise_user, versions_before
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, Invalid, NotFound, PreconditionFailed
from holdfast.kernel.key_cache import KeyCache
from holdfast.kernel.places import check_client_id

EMAIL_TAKEN = "another user of the org has this e-mail address"
# An id that is a path of its own.
RESERVED = "me"


async def create_user(
    db: Database, caller: Caller, user_id: str, *, email: str | None, role: Role
) -> User:
    """Register a user; Conflict where the id or the e-mail address is taken."""
    caller.must_administer("changing users")
    check_client_id(user_id, field="user_id")
    if user_id == RESERVED:
        raise Invalid.field("user_id", "is reserved")
    async with db.begin(caller) as tx:
        try:
            user = await tx.one(
                User,
                queries.create_user,
                id=user_id,
                email=email_address(email),
                owner=role == "owner",
                before=await versions_before(tx, user_id),
            )
        except psycopg.errors.UniqueViolation:
            raise Conflict(EMAIL_TAKEN) from None
        if user is None:
            current = await tx.one(User, queries.read_user, id=user_id)
            raise Conflict("there is a user with this id already", current=current)
        await revise_user(tx, user)
    return user


async def read_user(db: Database, caller: Caller, user_id: str) -> User:
    """One user of the org; who does not administer it reads only itself."""
    user = None
    if caller.administers or caller.user_id == user_id:
        user = await db.one(caller, User, queries.read_user, id=user_id)
    if user is None:
        raise NotFound("there is no such user")
    return user


async def change_user(
    db: Database,
    caller: Caller,
    user_id: str,
    *,
    email: str | None = None,
    sets_email: bool = False,
    role: Role | None = None,
    if_match: IfMatch = None,
) -> User:
    """Change the e-mail address or the role of a user; the last owner stays one."""
    caller.must_administer("changing users")
    async with db.begin(caller) as tx:
        if role == "member":
            await _must_leave_an_owner(tx, user_id)
        try:
            user = await tx.one(
                User,
                queries.change_person,
                id=user_id,
                email=email_address(email),
                sets_email=sets_email,
                owner=None if role is None else role == "owner",
                before=await versions_before(tx, user_id),
                if_match=if_match,
            )
        except psycopg.errors.UniqueViolation:
            raise Conflict(EMAIL_TAKEN) from None
        if user is None:
            raise await _why_not(tx, user_id)
        await revise_user(tx, user)
        tx.on_commit(db.services.get(KeyCache).forget)  # a key may speak for the org's owner
    return user


async def delete_user(
    db: Database, caller: Caller, user_id: str, *, if_match: IfMatch = None
) -> None:
    """Delete a user with their sessions, memberships and keys. Their memory stays until they are erased."""
    caller.must_administer("changing users")
    async with db.begin(caller) as tx:
        await _must_leave_an_owner(tx, user_id)
        user = await tx.one(User, queries.delete_user, id=user_id, if_match=if_match)
        if user is None:
            raise await _why_not(tx, user_id)
        await tx.run(queries.revoke_keys_of_user, id=user_id)
        last = max(user.version, await versions_before(tx, user_id))
        await tx.revise("user", user_id, version=last + 1, action="deleted")
        tx.on_commit(db.services.get(KeyCache).forget)  # here at once; other processes are notified


async def _must_leave_an_owner(tx: Tx, user_id: str) -> None:
    if await tx.all(str, queries.lock_owners) == [user_id]:
        current = await tx.one(User, queries.read_user, id=user_id)
        raise Conflict("this is the org's last owner: make another user an owner first", current)


async def _why_not(tx: Tx, user_id: str) -> NotFound | PreconditionFailed:
    if await tx.one(User, queries.read_user, id=user_id) is None:
        return NotFound("there is no such user")
    return PreconditionFailed("the user changed since that ETag")
