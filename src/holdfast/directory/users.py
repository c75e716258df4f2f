"""People of the org."""

import re

import psycopg

from holdfast.directory.model import (
    User,
)
from holdfast.directory.rows import IfMatch, action_of, list_page
from holdfast.kernel import revisions
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import (
    Conflict,
    Invalid,
    NotFound,
    PreconditionFailed,
)
from holdfast.kernel.key_cache import KeyCache
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.places import check_client_id
from holdfast.kernel.sql import load

queries = load(__file__, "queries.sql")

# Only what an address cannot do without: whether it exists is known when somebody reads mail there.
EMAIL_FORM = r"\s*[^@\s]+@[^@\s]+\s*"


def email_address(text: str | None) -> str | None:
    """An address as it is stored and compared; None for none. Invalid for what is no address."""
    if not text:
        return None
    if not re.fullmatch(EMAIL_FORM, text):
        raise Invalid.field("email", "must be an e-mail address, as in ana@example.com")
    return text.strip().lower()


async def read_me(db: Database, caller: Caller) -> User:
    """The user the caller acts for."""
    user = await db.one(caller, User, queries.read_user, id=caller.must_be_user())
    if user is None:
        raise NotFound("this user has written nothing yet")
    return user


async def change_me(
    db: Database, caller: Caller, *, insight_capture: bool | None, if_match: IfMatch = None
) -> User:
    """Change the settings of the user the caller acts for."""
    user_id = caller.must_be_user()
    async with db.begin(caller) as tx:
        user = await tx.one(
            User,
            queries.change_user,
            id=user_id,
            insight_capture=insight_capture,
            before=await versions_before(tx, user_id),
            if_match=if_match,
        )
        if user is None:
            raise PreconditionFailed("the user changed since that ETag")
        await revise_user(tx, user)
    return user


async def put_user(
    db: Database,
    caller: Caller,
    user_id: str,
    *,
    email: str | None = None,
    owner: bool | None = None,
    password_hash: str | None = None,
) -> User:
    """Register a person, or change how they sign in. What is not given stays."""
    caller.must_administer("changing users")
    check_client_id(user_id, field="user_id")
    async with db.begin(caller) as tx:
        try:
            user = await tx.one(
                User,
                queries.put_user,
                id=user_id,
                email=email_address(email),
                owner=owner,
                password_hash=password_hash,
                before=await versions_before(tx, user_id),
            )
        except psycopg.errors.UniqueViolation:
            raise Conflict("another user of the org has this e-mail address") from None
        if user is None:
            raise RuntimeError("the user was not returned")
        await revise_user(tx, user)
        tx.on_commit(db.services.get(KeyCache).forget)  # a key may speak for the org's owner
    return user


async def list_users(db: Database, caller: Caller, cursor: Cursor) -> Page[User]:
    """The org's users, newest first; callers that do not administer the org see only their own user."""
    return await list_page(
        db,
        caller,
        User,
        queries.list_users,
        cursor,
        only_user=None if caller.administers else caller.must_be_user(),
    )


async def versions_before(tx: Tx, user_id: str) -> int:
    """The highest version that a user of this id ever had: one that is registered again after a deletion continues from it."""
    return await revisions.latest_version(tx, "user", user_id)


async def revise_user(tx: Tx, user: User) -> None:
    """Write the revision of a changed user."""
    await tx.revise(
        "user",
        user.id,
        version=user.version,
        action=action_of(user.version),
        state={"email": user.email, "owner": user.owner, "insight_capture": user.insight_capture},
    )
