"""Message lists in Redis: each change is one Lua script, so it is atomic; locks are `SET NX PX` with a growing token.

As durable as that Redis is configured to be (`appendonly yes` and `appendfsync always` lose nothing acknowledged).
Revisions stay in Postgres: of what takes messages out before it does, of an append right after it.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from holdfast.conversations import history
from holdfast.conversations.flush import index
from holdfast.conversations.flush.plan import plan_trim
from holdfast.conversations.logs.protocol import (
    Overtaken,
    Replacing,
    Terms,
    count_in,
    error_to_json,
    flush_to_json,
    from_json,
    head_of,
    new_ones,
    row_of,
    window_of,
)
from holdfast.conversations.logs.redis_values import (
    fields_of,
    head_from,
    index_of,
    kept_from,
    keys_of,
    now_us,
    texts,
    totals_from,
    ttl_ms,
    writing,
)
from holdfast.conversations.model import (
    Appended,
    Change,
    Draft,
    Head,
    Instance,
    InstanceRow,
    LastError,
    Lease,
    Removal,
    Span,
    StoredMessage,
    Totals,
    Window,
)
from holdfast.kernel import clock
from holdfast.kernel.breaker import Breaker
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import LockTimeout
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.redis import Redis, Script, reaching, releasing

_LUA = Path(__file__).with_name("lua")
_FENCE = "holdfast:fence"
_POLL_S = 0.01
_TOO_LATE = "the lock ended before the change was made; try again"


def _script(name: str) -> Script:
    return Script(_LUA / "prelude.lua", _LUA / f"{name}.lua")


_append, _replace, _pop = _script("append"), _script("replace"), _script("pop")
_begin = _script("begin")
_delete, _read, _heads, _remove = (
    _script("delete"),
    _script("read"),
    _script("heads"),
    _script("remove"),
)
_release = Script(_LUA / "release.lua")


class RedisLog:
    """See `MessageLog`."""

    durable = True
    in_the_database = False

    def __init__(self, redis: Redis, db: Database, breaker: Breaker) -> None:
        self._redis = redis
        self._db = db
        self._breaker = breaker

    async def append(
        self, caller: Caller, instance: Instance, drafts: Sequence[Draft], terms: Terms
    ) -> Appended:
        if terms.buffer is not None:
            return await self._append_to_buffer(caller, instance, drafts, terms)
        args = writing(instance, "", terms, drafts, [])
        reply = await self._until_free(
            lambda: self._run(_append, caller, instance, args), terms.lock_wait_s
        )
        totals, fresh = totals_from(reply[1]), reply[2]
        change = Change("appended", totals, {"message_ids": fresh}, added=drafts)
        await history.record_beside(self._db, caller, instance, change)
        return Appended(len(fresh), len(drafts) - len(fresh), totals)

    async def _append_to_buffer(
        self, caller: Caller, instance: Instance, drafts: Sequence[Draft], terms: Terms
    ) -> Appended:
        """What a buffer drops is planned here, so nobody else may write in between."""
        async with self._write_lock(caller, instance, terms) as token:
            before = await self._begin(caller, instance, "w", token)
            fresh, removed = await self._over(caller, instance, drafts, terms)
            told = {"message_ids": [draft.id for draft in fresh]}
            if before is not None and removed:
                await self._record_removal_first(
                    caller, instance, before, "appended", removed, fresh, told
                )
            gone = [kept.seq for kept in removed]
            reply = await self._run(
                _append, caller, instance, writing(instance, token, terms, drafts, gone)
            )
            _must_be_done(reply)
        totals = totals_from(reply[1])
        if before is None or not removed:
            change = Change("appended", totals, told, removed, fresh)
            await history.record_beside(self._db, caller, instance, change)
        return Appended(len(fresh), len(drafts) - len(fresh), totals, len(removed))

    async def replace(
        self,
        caller: Caller,
        instance: Instance,
        drafts: Sequence[Draft],
        terms: Terms,
        action: Replacing,
    ) -> tuple[list[StoredMessage], Totals]:
        async with self._write_lock(caller, instance, terms) as token:
            before = await self._begin(caller, instance, "w", token)
            removed = await self._all(caller, instance)
            change = None
            if before is not None and removed:
                change = await self._record_removal_first(
                    caller, instance, before, action, removed, drafts
                )
            reply = await self._run(
                _replace, caller, instance, writing(instance, token, terms, drafts, [])
            )
            _must_be_done(reply)
        totals = totals_from(reply[1])
        if change is None:
            change = Change(action, totals, added=drafts)
            await history.record_beside(self._db, caller, instance, change)
        else:
            await self._follow(caller, instance, change, totals)
        return removed, totals

    async def pop(
        self, caller: Caller, instance: Instance, terms: Terms
    ) -> tuple[StoredMessage | None, int]:
        async with self._write_lock(caller, instance, terms) as token:
            before = await self._begin(caller, instance, "w", token)
            newest = await self._all(caller, instance, first=-1)
            if before is None or not newest:
                return None, 0
            before = replace(before, expires_at=terms.lives_until(clock.now()))
            await self._record_removal_first(caller, instance, before, "popped", newest)
            args = [token, instance.key, now_us(), ttl_ms(terms)]
            reply = await self._run(_pop, caller, instance, args)
            _must_be_done(reply)
        return newest[0], totals_from(reply[1]).message_count

    async def delete(self, caller: Caller, instance: Instance) -> bool:
        async with self._write_lock(caller, instance, Terms()) as token:
            before = await self._begin(caller, instance, "w", token)
            if before is None:
                return False
            change = Change("deleted", before, removed=await self._all(caller, instance))
            await history.record_beside(self._db, caller, instance, change)
            _must_be_done(await self._run(_delete, caller, instance, [token, instance.key]))
        return True

    async def read(
        self, caller: Caller, instance: Instance, span: Span, *, note_access: bool
    ) -> Window:
        ranks = [-span.limit, -1] if span.tail else [span.offset, span.offset + span.limit - 1]
        reply = await self._run(
            _read, caller, instance, [now_us(), *ranks, "1" if note_access else ""]
        )
        if len(reply) == 1:
            return Window([], 0, False, None)
        totals = totals_from(reply[1])
        return window_of(kept_from(reply[2]), totals.message_count, span, totals.conversation_id)

    async def totals(self, caller: Caller, instance: Instance) -> Totals | None:
        async with self._breaker.guard(), reaching():
            found = await self._redis.client.hgetall(keys_of(caller, instance)[0])
        totals = totals_from(found) if found else None
        expired = totals is not None and totals.expires_at and totals.expires_at <= clock.now()
        return None if expired else totals

    async def heads(self, caller: Caller, instance: Instance) -> list[Head]:
        reply = await self._run(_heads, caller, instance, [now_us()])
        if len(reply) == 1:
            return []
        triples = zip(reply[2][::3], reply[2][1::3], reply[2][2::3], strict=True)
        return [head_from(int(seq), json.loads(head), score) for seq, head, score in triples]

    async def fetch(
        self, caller: Caller, instance: Instance, seqs: Sequence[int]
    ) -> list[StoredMessage]:
        if not seqs:
            return []
        async with self._breaker.guard(), reaching():
            found = await self._redis.client.hmget(
                keys_of(caller, instance)[1], [str(s) for s in seqs]
            )
        pairs = [(seq, text) for seq, text in zip(seqs, found, strict=True) if text is not None]
        return sorted(
            (StoredMessage(seq, from_json(json.loads(text)), clock.now()) for seq, text in pairs),
            key=lambda kept: kept.seq,
        )

    async def lock(self, caller: Caller, instance: Instance, ttl_s: float) -> Lease | None:
        if await self.totals(caller, instance) is None:
            return None
        return await self._take(keys_of(caller, instance)[7], ttl_s)

    async def release(self, caller: Caller, instance: Instance, lease: Lease) -> None:
        await self._give_back(keys_of(caller, instance)[7], lease.token)

    async def remove(
        self, caller: Caller, instance: Instance, lease: Lease, removal: Removal
    ) -> Totals:
        before = await self._begin(caller, instance, "f", str(lease.token))
        removed = await self.fetch(caller, instance, removal.seqs)
        if before is None or len(removed) != len(removal.seqs):
            raise Overtaken
        told = {"strategy": removal.flush.strategy, "removed": len(removed)}
        added = [] if removal.summary is None else [removal.summary]
        change = await self._record_removal_first(
            caller, instance, before, "flushed", removed, added, told
        )
        args = [
            lease.token,
            now_us(),
            json.dumps(flush_to_json(removal.flush)),
            json.dumps(list(removal.seqs)),
            *(field for draft in added for field in fields_of(draft)),
        ]
        reply = await self._run(_remove, caller, instance, args)
        if reply[0] != "ok":
            raise Overtaken
        totals = totals_from(reply[1])
        await self._follow(caller, instance, change, totals)
        return totals

    async def note_pending(self, caller: Caller, instance: Instance, job_id: str | None) -> None:
        await self._note(caller, instance, "pending_job", job_id)

    async def note_error(self, caller: Caller, instance: Instance, error: LastError) -> None:
        await self._note(caller, instance, "last_error", json.dumps(error_to_json(error)))

    async def instances(
        self, caller: Caller, resource_id: str, cursor: Cursor
    ) -> Page[InstanceRow]:
        back = cursor.before_id is not None
        rows: list[InstanceRow] = []
        low, high = (
            f"({cursor.before_id} \xff" if back else "-",
            f"({cursor.after_id}" if cursor.after_id else "+",
        )
        while len(rows) <= cursor.limit:
            names = await self._names(caller, resource_id, low, high, cursor.limit + 1, back=back)
            for name in names:
                key = name.partition(" ")[2]
                totals = await self.totals(caller, Instance(resource_id, key))
                if totals is not None and name.startswith(f"{totals.conversation_id} "):
                    rows.append(row_of(key, totals))
                else:
                    await self._unlist(caller, resource_id, name)
            if len(names) <= cursor.limit:
                break
            low, high = (f"({names[-1]}", high) if back else (low, f"({names[-1]}")
        return Page.of(rows[: cursor.limit + 1], cursor)

    async def delete_all(self, caller: Caller, resource_id: str) -> None:
        while names := await self._names(caller, resource_id, "-", "+", 500, back=False):
            for name in names:
                await self.delete(caller, Instance(resource_id, name.partition(" ")[2]))
                await self._unlist(caller, resource_id, name)

    # --- scripts and locks -------------------------------------------------------------------------------------------

    async def _run(
        self, script: Script, caller: Caller, instance: Instance, args: list[Any]
    ) -> Any:
        async with self._breaker.guard(), reaching():
            return await script(self._redis.client, keys_of(caller, instance), args)

    async def _until_free(self, attempt: Any, wait_s: float) -> Any:
        """Try until no other writer holds the lock."""
        deadline = time.monotonic() + wait_s
        while (reply := await attempt())[0] == "locked":
            if time.monotonic() >= deadline:
                raise LockTimeout(f"others held this conversation for {wait_s:g} s; try again")
            await asyncio.sleep(_POLL_S)
        return reply

    @asynccontextmanager
    async def _write_lock(
        self, caller: Caller, instance: Instance, terms: Terms
    ) -> AsyncIterator[str]:
        key = keys_of(caller, instance)[6]
        deadline = time.monotonic() + terms.lock_wait_s
        while (lease := await self._take(key, terms.lock_ttl_s)) is None:
            if time.monotonic() >= deadline:
                raise LockTimeout(
                    f"others held this conversation for {terms.lock_wait_s:g} s; try again"
                )
            await asyncio.sleep(_POLL_S)
        async with releasing(self._give_back(key, lease.token)):
            yield str(lease.token)

    async def _take(self, key: str, ttl_s: float) -> Lease | None:
        async with self._breaker.guard(), reaching():
            token = await self._redis.client.incr(_FENCE)
            got = await self._redis.client.set(key, token, nx=True, px=max(1, int(ttl_s * 1000)))
        return Lease(token, clock.now() + timedelta(seconds=ttl_s)) if got else None

    async def _give_back(self, key: str, token: int) -> None:
        async with self._breaker.guard(), reaching():
            await _release(self._redis.client, [key], [token])

    async def _over(
        self, caller: Caller, instance: Instance, drafts: Sequence[Draft], terms: Terms
    ) -> tuple[list[Draft], list[StoredMessage]]:
        """The drafts that are new, and what a buffer gives up so that they fit: of them too, where they are many."""
        heads = await self.heads(caller, instance)
        keys, ids = keys_of(caller, instance), [draft.id for draft in drafts]
        async with self._breaker.guard(), reaching():
            next_seq = int(await self._redis.client.hget(keys[0], "next") or 1)
            there = await self._redis.client.hmget(keys[5], ids)
        known = {each for each, is_there in zip(ids, there, strict=True) if is_there}
        fresh = new_ones(drafts, known)
        numbered = dict(enumerate(fresh, next_seq))
        heads += [head_of(seq, draft, clock.now()) for seq, draft in numbered.items()]
        tokens = sum(head.tokens for head in heads)
        if terms.buffer is None or not terms.buffer.is_over(len(heads), tokens):
            return fresh, []
        gone = plan_trim(heads, terms.buffer)
        dropped = await self.fetch(caller, instance, [seq for seq in gone if seq not in numbered])
        dropped += [
            StoredMessage(seq, numbered[seq], clock.now()) for seq in gone if seq in numbered
        ]
        return fresh, dropped

    async def _all(
        self, caller: Caller, instance: Instance, *, first: int = 0
    ) -> list[StoredMessage]:
        """Every message, or the last so many of them."""
        reply = await self._run(_read, caller, instance, [now_us(), first, -1, ""])
        return [] if len(reply) == 1 else kept_from(reply[2])

    # --- what Postgres is told ---------------------------------------------------------------------------------------

    async def _begin(
        self, caller: Caller, instance: Instance, lock: str, token: str
    ) -> Totals | None:
        """The totals as they stand, with the number of the change that its holder is about to make; None: no instance."""
        reply = await self._run(_begin, caller, instance, [lock, token, now_us()])
        if reply[0] != "ok":
            raise Overtaken if lock == "f" else LockTimeout(_TOO_LATE)
        return None if len(reply) == 1 else totals_from(reply[1])

    async def _record_removal_first(
        self,
        caller: Caller,
        instance: Instance,
        before: Totals,
        action: str,
        removed: Sequence[StoredMessage],
        added: Sequence[Draft] = (),
        told: dict[str, Any] | None = None,
    ) -> Change:
        """Tell of a removal before it is made: should anything fail from here on, the history has messages that are still
        there too, and none is lost."""
        gone = [kept.draft for kept in removed]
        roles, shares = count_in(*count_in(before.roles, before.shares, gone, -1), added)
        after = replace(
            before,
            message_count=before.message_count - len(gone) + len(added),
            token_count=before.token_count
            - sum(draft.tokens for draft in gone)
            + sum(draft.tokens for draft in added),
            roles=roles,
            shares=shares,
        )
        change = Change(action, after, told or {}, removed, added)
        write = history.write_down if change.adds_summary else history.record
        await history.record_beside(self._db, caller, instance, change, write)
        return change

    async def _follow(
        self, caller: Caller, instance: Instance, change: Change, totals: Totals
    ) -> None:
        """Let recall find a summary, now that it is there."""
        if change.adds_summary:
            async with self._db.begin(caller) as tx:
                await index.follow(tx, instance, replace(change, after=totals))

    async def _note(
        self, caller: Caller, instance: Instance, field: str, value: str | None
    ) -> None:
        if await self.totals(caller, instance) is None:
            return
        async with self._breaker.guard(), reaching():
            if value is None:
                await self._redis.client.hdel(keys_of(caller, instance)[0], field)
            else:
                await self._redis.client.hset(keys_of(caller, instance)[0], field, value)

    async def _names(
        self, caller: Caller, resource_id: str, low: str, high: str, limit: int, *, back: bool
    ) -> list[str]:
        index = index_of(caller, resource_id)
        async with self._breaker.guard(), reaching():
            if back:
                return texts(await self._redis.client.zrangebylex(index, low, high, 0, limit))
            return texts(await self._redis.client.zrevrangebylex(index, high, low, 0, limit))

    async def _unlist(self, caller: Caller, resource_id: str, name: str) -> None:
        async with self._breaker.guard(), reaching():
            await self._redis.client.zrem(index_of(caller, resource_id), name)


def _must_be_done(reply: Any) -> None:
    if reply[0] != "ok":
        raise LockTimeout(_TOO_LATE)
