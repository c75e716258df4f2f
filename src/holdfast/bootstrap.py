"""The first start: an org, its owner, and a service key, in one transaction. Later starts find them and change nothing."""

import re
from dataclasses import dataclass

import psycopg
from pydantic import SecretStr

from holdfast.access import keys
from holdfast.access import service as access
from holdfast.access.passwords import check_password_form, hash_password
from holdfast.directory import orgs, users
from holdfast.kernel.caller import Caller, operator
from holdfast.kernel.db import Database
from holdfast.kernel.errors import Invalid
from holdfast.kernel.ids import new_id

OWNER = "owner"
_KEY_FORM = re.compile(r"hf_(live|test)_[A-Za-z0-9_-]{8,200}")


@dataclass(frozen=True, slots=True)
class FirstCredentials:
    """What the first start shows, once."""

    org_id: str
    api_key: str
    link_token: str


async def bootstrap(
    db: Database,
    owner_url: str,
    *,
    key: SecretStr | None = None,
    email: str | None = None,
    password: SecretStr | None = None,
) -> FirstCredentials | None:
    """Make the first org if there is none, or complete one that was left half made; None when there is nothing to do.
    Two processes that start at once make one."""
    if key is not None and not _KEY_FORM.fullmatch(key.get_secret_value()):
        raise Invalid(
            "HOLDFAST_BOOTSTRAP_KEY must look like hf_live_… with at least 8 more characters"
        )
    if password is not None:
        check_password_form(password.get_secret_value())
    password_hash = await hash_password(password.get_secret_value()) if password else None
    given = key.get_secret_value() if key else None
    async with await psycopg.AsyncConnection.connect(owner_url) as lock:
        await lock.execute("SELECT pg_advisory_xact_lock(8321000002)")
        org_id = await _first_org(lock)
        if org_id is not None and await _can_be_entered(lock, org_id):
            return None
        return await _make_first_org(
            db, org_id, key=given, email=email, password_hash=password_hash
        )


async def mint_local_key(db: Database, owner_url: str) -> str:
    """A service key of the first org for the command line of the data folder."""
    async with await psycopg.AsyncConnection.connect(owner_url) as connection:
        org_id = await _first_org(connection)
    if org_id is None:
        raise RuntimeError("there is no org to mint a key for")
    minted = await keys.create_key(
        db, operator(org_id), "service", name="command line of this machine", user_id=OWNER
    )
    return minted.key


async def create_org(
    db: Database,
    name: str,
    *,
    key: str | None = None,
    email: str | None = None,
    password_hash: str | None = None,
) -> tuple[str, str]:
    """A new org with its owner and a service key, all or nothing: the org's id, and the key."""
    caller = operator(new_id("org"))
    async with db.begin(caller):
        await orgs.create_org(db, caller, name)
        return caller.org_id, await _furnish(db, caller, key, email, password_hash)


async def _make_first_org(
    db: Database,
    org_id: str | None,
    *,
    key: str | None,
    email: str | None,
    password_hash: str | None,
) -> FirstCredentials:
    """All of the first org in one transaction. An org without an owner, or without any key (revoked keys stay listed),
    was left half made by a version that used several transactions: it is completed."""
    caller = operator(org_id or new_id("org"))
    async with db.begin(caller):
        if org_id is None:
            await orgs.create_org(db, caller, "My organisation")
        api_key = await _furnish(db, caller, key, email, password_hash)
        token = await access.make_link(db, caller, OWNER)
    return FirstCredentials(caller.org_id, api_key, token)


async def _furnish(
    db: Database, caller: Caller, key: str | None, email: str | None, password_hash: str | None
) -> str:
    """The owner and a service key of an org; the key."""
    await users.put_user(db, caller, OWNER, email=email, owner=True, password_hash=password_hash)
    minted = await keys.create_key(db, caller, "service", name="bootstrap", user_id=OWNER, key=key)
    return minted.key


async def _first_org(connection: psycopg.AsyncConnection) -> str | None:
    found = await connection.execute("SELECT org_id FROM orgs ORDER BY created_at, org_id LIMIT 1")
    row = await found.fetchone()
    return row[0] if row else None


async def _can_be_entered(connection: psycopg.AsyncConnection, org_id: str) -> bool:
    await connection.execute("SELECT set_config('holdfast.org', %s, true)", [org_id])
    found = await connection.execute(
        "SELECT EXISTS (SELECT FROM api_keys WHERE org_id = %(org_id)s)"
        "   AND EXISTS (SELECT FROM users WHERE org_id = %(org_id)s AND owner)",
        {"org_id": org_id},
    )
    return await found.fetchone() == (True,)
