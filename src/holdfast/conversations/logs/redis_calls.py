"""Calls of Redis by a message log: scripts, locks and indexes, each call bounded by the breaker."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from holdfast.conversations.logs.protocol import Overtaken, Terms
from holdfast.conversations.logs.redis_values import (
    TOTALS,
    WRITE_LOCK,
    common_args,
    index_of,
    keys_of,
    totals_from,
)
from holdfast.conversations.logs.values import elsewhere
from holdfast.conversations.model import Instance, Lease, Totals
from holdfast.kernel import clock
from holdfast.kernel.breaker import Breaker
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import LockTimeout
from holdfast.kernel.redis import Redis, Script, reaching, releasing

_LUA = Path(__file__).with_name("lua")
_FENCE = "holdfast:fence"
_POLL_S = 0.01
_TOO_LATE = "the lock ended before the change was made; try again"


def script(name: str) -> Script:
    """A script of lua/, with the prelude before it."""
    return Script(_LUA / "prelude.lua", _LUA / f"{name}.lua")


_begin = script("begin")
_release = Script(_LUA / "release.lua")


class RedisCalls:
    """One resource's calls."""

    def __init__(self, redis: Redis, breaker: Breaker) -> None:
        self._redis = redis
        self._breaker = breaker

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Any]:
        """The client, for plain commands."""
        async with self._breaker.guard(), reaching():
            yield self._redis.client

    async def run(
        self, script: Script, caller: Caller, instance: Instance, args: list[Any] | None = None
    ) -> Any:
        """Run a script on an instance; its reply, of which the first element says what happened."""
        all_args = [*common_args(caller, instance), *(args or ())]
        async with self.client() as client:
            reply = await script(client, keys_of(caller, instance), all_args)
        if reply[0] == "elsewhere":
            raise elsewhere()
        return reply

    async def change(
        self, script: Script, caller: Caller, instance: Instance, args: list[Any]
    ) -> Any:
        """Run a script under the write lock; LockTimeout when the lock ended before."""
        reply = await self.run(script, caller, instance, args)
        if reply[0] != "ok":
            raise LockTimeout(_TOO_LATE)
        return reply

    async def until_free(self, attempt: Callable[[], Awaitable[Any]], wait_s: float) -> Any:
        """Try until no other writer holds the lock."""
        deadline = time.monotonic() + wait_s
        while (reply := await attempt())[0] == "locked":
            await _wait(deadline, wait_s)
        return reply

    @asynccontextmanager
    async def write_lock(
        self, caller: Caller, instance: Instance, terms: Terms
    ) -> AsyncIterator[str]:
        """Hold the lock of writes; its token."""
        key = keys_of(caller, instance)[WRITE_LOCK]
        deadline = time.monotonic() + terms.lock_wait_s
        while (lease := await self.take(key, terms.lock_ttl_s)) is None:
            await _wait(deadline, terms.lock_wait_s)
        async with releasing(self.release(key, lease.token)):
            yield str(lease.token)

    async def take(self, key: str, ttl_s: float) -> Lease | None:
        """Take a lock, unless another holds it."""
        async with self.client() as client:
            token = await client.incr(_FENCE)
            got = await client.set(key, token, nx=True, px=max(1, int(ttl_s * 1000)))
        return Lease(token, clock.now() + timedelta(seconds=ttl_s)) if got else None

    async def release(self, key: str, token: int) -> None:
        """Release a lock, unless another holds it by now."""
        async with self.client() as client:
            await _release(client, [key], [token])

    async def begin(
        self, caller: Caller, instance: Instance, lock: str, token: str
    ) -> Totals | None:
        """The totals, with the version of the change that the lock's holder is about to make; None: no instance."""
        reply = await self.run(_begin, caller, instance, [lock, token])
        if reply[0] != "ok":
            raise Overtaken if lock == "f" else LockTimeout(_TOO_LATE)
        return None if len(reply) == 1 else totals_from(reply[1])

    async def totals(self, caller: Caller, instance: Instance) -> Totals | None:
        """The running totals; None when there is no such instance."""
        async with self.client() as client:
            found = await client.hgetall(keys_of(caller, instance)[TOTALS])
        totals = totals_from(found) if found else None
        if totals is None or not instance.is_within(totals.workspace_id):
            return None
        expired = totals.expires_at is not None and totals.expires_at <= clock.now()
        return None if expired else totals

    async def members(
        self, index: str, low: str, high: str, limit: int, *, back: bool
    ) -> list[str]:
        """Members of an index between two, newest first, or oldest first where `back`."""
        async with self.client() as client:
            if back:
                found = await client.zrangebylex(index, low, high, 0, limit)
            else:
                found = await client.zrevrangebylex(index, high, low, 0, limit)
        return [str(each) for each in found]

    async def unlist(self, caller: Caller, instance: Instance, member: str) -> None:
        """Take an instance that is gone out of both indexes."""
        async with self.client() as client:
            await client.zrem(index_of(caller, instance.resource_id), member)
            await client.zrem(index_of(caller, instance.resource_id, instance), member)


async def _wait(deadline: float, wait_s: float) -> None:
    if time.monotonic() >= deadline:
        raise LockTimeout(f"others held this conversation for {wait_s:g} s; try again")
    await asyncio.sleep(_POLL_S)
