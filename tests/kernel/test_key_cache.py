"""API keys that are kept: found without a question, and never for longer than they hold."""

import asyncio

import psycopg
import pytest
from structlog.testing import capture_logs

from holdfast.access import keys
from holdfast.directory import users, workspaces
from holdfast.kernel import key_cache, metrics
from holdfast.kernel.auth import Claims, digest_of, identify
from holdfast.kernel.db import Database
from holdfast.kernel.errors import Unauthenticated
from holdfast.kernel.key_cache import Asked, KeyCache
from tests.round_trips import counted

REVOKE = "UPDATE api_keys SET revoked_at = now() WHERE org_id = %s AND id = %s"
DEAFEN = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s"


async def until(true, what):
    """Wait for something that is a matter of milliseconds."""
    for _ in range(2400):
        if true():
            return
        await asyncio.sleep(0.025)
    raise AssertionError(f"never {what}")


async def keeping(db: Database, claims: Claims):
    """Ask until the answer is kept."""
    for _ in range(2400):
        identified = await identify(db, claims)
        if db.services.get(KeyCache)._kept:
            return identified
        await asyncio.sleep(0.025)
    raise AssertionError("the key is never kept")


@pytest.fixture
async def hearing(service):
    """A process of its own, as far as keys are concerned."""
    db = Database(service.app_url, min_size=1, max_size=4)
    await db.open()
    async with db.services.get(KeyCache).listening(db):
        yield db
    await db.close()


async def test_a_key_that_is_kept_takes_no_round_trip(service, org):
    async with counted(service.app_url) as (db, between), db.services.get(KeyCache).listening(db):
        claims = Claims(key=org.key)
        await keeping(db, claims)
        before, found = between.count, metrics.key_lookups.labels("memory")._value.get()
        for _ in range(50):
            await identify(db, claims)
        assert between.count - before <= 3  # once a second it says that it is there
        assert metrics.key_lookups.labels("memory")._value.get() == found + 50


async def test_nothing_is_kept_by_a_process_that_does_not_listen(service, org):
    async with counted(service.app_url) as (db, between):
        before = between.count
        for _ in range(5):
            await identify(db, Claims(key=org.key))
        assert between.count == before + 5


async def test_a_key_revoked_here_is_refused_at_once(hearing, org):
    key = await org.mint("service")
    known = await keeping(hearing, Claims(key=key))
    await keys.revoke_key(hearing, org.operator, known.caller.credential_id)
    with pytest.raises(Unauthenticated):
        await identify(hearing, Claims(key=key))


async def test_a_key_revoked_elsewhere_is_refused_when_that_is_heard(
    hearing, org, owner_connection
):
    key = await org.mint("service")
    known = await keeping(hearing, Claims(key=key))
    _by_hand(owner_connection, org, REVOKE, known.caller.credential_id)
    await until(lambda: not hearing.services.get(KeyCache)._kept, "heard")
    with pytest.raises(Unauthenticated):
        await identify(hearing, Claims(key=key))


async def test_what_changed_while_it_was_looked_up_is_not_kept(hearing, org, monkeypatch):
    await keeping(hearing, Claims(key=org.key))
    hearing.services.get(KeyCache).forget()
    prove = hearing.prove

    async def and_meanwhile(*args, **params):
        found = await prove(*args, **params)
        hearing.services.get(KeyCache).forget()
        return found

    monkeypatch.setattr(hearing, "prove", and_meanwhile)
    await identify(hearing, Claims(key=org.key))
    assert not hearing.services.get(KeyCache)._kept


async def test_one_that_was_deaf_asks_again(hearing, org, owner_connection, monkeypatch):
    key = await org.mint("service")
    known = await keeping(hearing, Claims(key=key))
    monkeypatch.setattr(hearing.services.get(KeyCache), "_notified", lambda _payload: None)
    _by_hand(owner_connection, org, REVOKE, known.caller.credential_id)
    monkeypatch.setattr(key_cache, "TRUSTED_FOR_S", 0.0)  # as if so long had passed
    with pytest.raises(Unauthenticated):
        await identify(hearing, Claims(key=key))


async def test_a_lost_channel_is_taken_up_again_and_what_was_kept_is_not_trusted(hearing, org):
    await keeping(hearing, Claims(key=org.key))
    name = f"holdfast keys {hearing.services.get(KeyCache)._nonce}"
    with psycopg.connect(hearing.url, autocommit=True) as other:
        assert other.execute(DEAFEN, [name]).fetchall() == [(True,)]
    await until(lambda: not hearing.services.get(KeyCache)._kept, "noticed")
    assert not hearing.services.get(KeyCache)._is_listening
    await keeping(hearing, Claims(key=org.key))


async def test_a_channel_that_stays_lost_is_told_of_once(tmp_path, monkeypatch):
    monkeypatch.setattr(key_cache, "BEAT_EVERY_S", 0.01)
    tries = []
    connect = psycopg.AsyncConnection.connect

    async def counted_connect(*args, **options):
        tries.append(args)
        return await connect(*args, **options)

    monkeypatch.setattr(psycopg.AsyncConnection, "connect", counted_connect)
    db = Database(f"postgresql:///none?host={tmp_path}")
    with capture_logs() as logs:
        async with db.services.get(KeyCache).listening(db):
            await until(lambda: len(tries) >= 5, "tried again")
    assert [line["event"] for line in logs] == ["keys are looked up one by one"]


async def test_what_may_be_made_at_any_time_is_not_kept_as_missing(hearing, org):
    claims = Claims(key=org.key, user="newcomer")
    await keeping(hearing, Claims(key=org.key))
    assert (await identify(hearing, claims)).caller.user_is_new
    assert Asked(digest_of(org.key), "newcomer", None) not in hearing.services.get(KeyCache)._kept


async def test_a_key_without_a_user_speaks_for_the_owner_of_this_moment(hearing, org):
    key = await org.mint("service")
    assert (await keeping(hearing, Claims(key=key))).caller.user_id == "owner"
    await users.put_user(hearing, org.operator, "second", owner=True)
    await users.put_user(hearing, org.operator, "owner", owner=False)
    assert (await identify(hearing, Claims(key=key))).caller.user_id == "second"


async def test_only_so_many_are_kept(hearing, org, monkeypatch):
    monkeypatch.setattr(key_cache, "MAX_KEPT", 2)
    for name in ("default", "one", "two"):
        if name != "default":
            await workspaces.put_workspace(hearing, org.operator, name, None)
        await keeping(hearing, Claims(key=org.key, workspace=name))
        await identify(hearing, Claims(key=org.key, workspace=name))
    assert len(hearing.services.get(KeyCache)._kept) <= 2


def test_a_key_cache_that_never_heard_trusts_nothing():
    assert not KeyCache()._is_listening


def _by_hand(connection, org, statement, *params):
    with connection.transaction():
        connection.execute("SELECT set_config('holdfast.org', %s, true)", [org.id])
        assert connection.execute(statement, [org.id, *params]).rowcount == 1
