"""The first start: all of it or nothing, and what was left half made is completed."""

import signal
import subprocess
import sys
import uuid
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from holdfast.access import keys
from holdfast.bootstrap import OWNER, bootstrap, mint_local_key
from holdfast.directory import orgs, users
from holdfast.kernel.auth import digest_of
from holdfast.kernel.caller import operator
from holdfast.kernel.db import Database
from holdfast.kernel.ids import new_id
from holdfast.kernel.key_cache import Asked, KeyCache
from holdfast.kernel.migrate import migrate

# Dies with its work of this step sent and answered, before the next step.
KILLED_AFTER = """
import asyncio, importlib, os, signal, sys
from holdfast import bootstrap
from holdfast.kernel.db import Database
app_url, owner_url, module, name = sys.argv[1:]
module = importlib.import_module(module)
step = getattr(module, name)

async def die(*arguments, **options):
    await step(*arguments, **options)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(module, name, die)

async def main():
    db = Database(app_url, min_size=1, max_size=1)
    await db.open()
    await bootstrap.bootstrap(db, owner_url)

asyncio.run(main())
"""
STEPS = [
    ("holdfast.directory.orgs", "create_org"),
    ("holdfast.directory.users", "put_user"),
    ("holdfast.access.keys", "create_key"),
    ("holdfast.access.service", "make_link"),
]


@pytest.fixture
async def new_database(service):
    """A migrated database without an org: a pool in the service's role, and the owner's URL."""
    name = f"first_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(service.owner_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    app_url, owner_url = (
        urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
        for url in (service.app_url, service.owner_url)
    )
    migrate(owner_url)
    db = Database(app_url, min_size=1, max_size=2)
    await db.open()
    yield db, owner_url
    await db.close()


async def assert_complete(db, owner_url, first):
    """These credentials open an org with an owner, and there is no other org."""
    known = await db.services.get(KeyCache).look_up(db, Asked(digest_of(first.api_key), None, None))
    assert known is not None
    assert (known.org_id, known.owner_id, known.user_id) == (first.org_id, OWNER, OWNER)
    with psycopg.connect(owner_url) as connection:
        assert connection.execute("SELECT org_id FROM orgs").fetchall() == [(first.org_id,)]
        connection.execute("SELECT set_config('holdfast.org', %s, true)", [first.org_id])
        links = connection.execute("SELECT digest FROM sign_in_links").fetchall()
    assert links == [(digest_of(first.link_token),)]


async def test_a_first_start_killed_at_any_step_leaves_nothing_and_the_next_one_makes_all(
    new_database,
):
    db, owner_url = new_database
    for module, name in STEPS:
        killed = subprocess.run(
            [sys.executable, "-c", KILLED_AFTER, db.url, owner_url, module, name],
            timeout=60,
            check=False,
        )
        assert killed.returncode == -signal.SIGKILL
        with psycopg.connect(owner_url) as connection:
            assert connection.execute("SELECT count(*) FROM orgs").fetchone() == (0,), name
    first = await bootstrap(db, owner_url)
    assert first is not None
    await assert_complete(db, owner_url, first)
    assert await bootstrap(db, owner_url) is None


@pytest.mark.parametrize("left", ["org", "org and owner", "org and a local key"])
async def test_a_start_completes_an_org_that_was_left_half_made(new_database, left):
    db, owner_url = new_database
    caller = operator(new_id("org"))
    await orgs.create_org(db, caller, "My organisation")
    if left == "org and owner":
        await users.put_user(db, caller, OWNER, email="ana@example.com", owner=True)
    if left == "org and a local key":
        await mint_local_key(db, owner_url)
    first = await bootstrap(db, owner_url)
    assert first is not None
    assert first.org_id == caller.org_id
    await assert_complete(db, owner_url, first)
    assert await bootstrap(db, owner_url) is None


async def test_an_org_whose_keys_are_all_revoked_is_left_alone(new_database):
    db, owner_url = new_database
    first = await bootstrap(db, owner_url)
    assert first is not None
    known = await db.services.get(KeyCache).look_up(db, Asked(digest_of(first.api_key), None, None))
    await keys.revoke_key(db, operator(first.org_id), known.id)
    assert await bootstrap(db, owner_url) is None
