"""The first start: an org, its owner, and a service key. Later starts find them and change nothing."""

import re
from dataclasses import dataclass

import psycopg
from pydantic import SecretStr

from holdfast.access import keys
from holdfast.access import service as access
from holdfast.access.passwords import check_password_form, hash_password
from holdfast.directory import orgs, users
from holdfast.kernel.caller import operator
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
    """Make the first org if there is none; None when there is. Two processes that start at once make one."""
    if key is not None and not _KEY_FORM.fullmatch(key.get_secret_value()):
        raise Invalid(
            "HOLDFAST_BOOTSTRAP_KEY must look like hf_live_… with at least 8 more characters"
        )
    if password is not None:
        check_password_form(password.get_secret_value())
    async with await psycopg.AsyncConnection.connect(owner_url, autocommit=True) as lock:
        await lock.execute("SELECT pg_advisory_lock(8321000002)")
        if await (await lock.execute("SELECT FROM orgs LIMIT 1")).fetchone() is not None:
            return None
        return await _make_first_org(db, key, email, password)


async def mint_local_key(db: Database, owner_url: str) -> str:
    """A service key of the first org for the command line of the data folder."""
    async with await psycopg.AsyncConnection.connect(owner_url, autocommit=True) as connection:
        cursor = await connection.execute("SELECT org_id FROM orgs ORDER BY org_id LIMIT 1")
        row = await cursor.fetchone()
    if row is None:
        raise RuntimeError("there is no org to mint a key for")
    minted = await keys.create_key(
        db, operator(row[0]), "service", name="command line of this machine", user_id=OWNER
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
    """A new org with its owner and a service key: the org's id, and the key."""
    caller = operator(new_id("org"))
    await orgs.create_org(db, caller, name)
    await users.put_user(db, caller, OWNER, email=email, owner=True, password_hash=password_hash)
    minted = await keys.create_key(db, caller, "service", name="bootstrap", user_id=OWNER, key=key)
    return caller.org_id, minted.key


async def _make_first_org(
    db: Database, key: SecretStr | None, email: str | None, password: SecretStr | None
) -> FirstCredentials:
    org_id, api_key = await create_org(
        db,
        "My organisation",
        key=key.get_secret_value() if key else None,
        email=email,
        password_hash=await hash_password(password.get_secret_value()) if password else None,
    )
    token = await access.make_link(db, operator(org_id), OWNER)
    return FirstCredentials(org_id, api_key, token)
