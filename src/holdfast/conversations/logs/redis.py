"""Message lists in Redis: each change is one Lua script, so it is atomic; locks are `SET NX PX` with a growing token.

As durable as that Redis is configured to be (`appendonly yes` and `appendfsync always` lose nothing acknowledged).
Revisions, summaries and flushed messages are in Postgres: written before messages are removed, and after they are added.
"""

import json
from collections.abc import Sequence
from dataclasses import replace

from holdfast.conversations import history, model
from holdfast.conversations.flush import index
from holdfast.conversations.flush.plan import plan_trim
from holdfast.conversations.logs.protocol import Overtaken, Replacing, Terms
from holdfast.conversations.logs.redis_calls import RedisCalls, script
from holdfast.conversations.logs.redis_values import (
    FLUSH_LOCK,
    IDS,
    MESSAGES,
    TOTALS,
    fields_of,
    heads_from,
    index_of,
    instance_of,
    keys_of,
    messages_from,
    now_us,
    reads_from,
    totals_from,
    ttl_ms,
    write_args,
)
from holdfast.conversations.logs.values import (
    append_of,
    count_in,
    error_to_json,
    flush_to_json,
    from_json,
    head_of,
    new_ones,
    row_of,
    window_of,
    with_reads,
)
from holdfast.kernel import clock
from holdfast.kernel.breaker import Breaker
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.redis import Redis

_append, _replace, _pop, _delete = map(script, ("append", "replace", "pop", "delete"))
_read, _heads, _remove = map(script, ("read", "heads", "remove"))


class RedisLog:
    """See `MessageLog`."""

    durable = True
    in_the_database = False

    def __init__(self, redis: Redis, db: Database, breaker: Breaker) -> None:
        self._calls = RedisCalls(redis, breaker)
        self._db = db

    async def append(
        self, caller: Caller, instance: model.Instance, drafts: Sequence[model.Draft], terms: Terms
    ) -> model.Appended:
        if terms.buffer is not None:
            return await self._append_to_buffer(caller, instance, drafts, terms)
        args = write_args("", terms, drafts, "[]")
        reply = await self._calls.until_free(
            lambda: self._calls.run(_append, caller, instance, args), terms.lock_wait_s
        )
        totals, fresh = totals_from(reply[1]), reply[2]
        change = model.Change("appended", totals, {"message_ids": fresh}, added=drafts)
        await history.record_beside(self._db, caller, instance, change)
        return model.Appended(len(fresh), len(drafts) - len(fresh), totals)

    async def _append_to_buffer(
        self, caller: Caller, instance: model.Instance, drafts: Sequence[model.Draft], terms: Terms
    ) -> model.Appended:
        """Under the write lock: what a buffer drops is planned here, so nobody else may write in between."""
        async with self._calls.write_lock(caller, instance, terms) as token:
            before = await self._calls.begin(caller, instance, "w", token)
            fresh, removed = await self._over(caller, instance, drafts, terms)
            if before is not None and removed:
                planned, _ = append_of(before, drafts, fresh, removed)
                await self._record_removal_first(caller, instance, before, planned)
            gone = json.dumps([stored.seq for stored in removed])
            args = write_args(token, terms, drafts, gone)
            reply = await self._calls.change(_append, caller, instance, args)
        change, appended = append_of(totals_from(reply[1]), drafts, fresh, removed)
        if before is None or not removed:
            await history.record_beside(self._db, caller, instance, change)
        return appended

    async def replace(
        self,
        caller: Caller,
        instance: model.Instance,
        drafts: Sequence[model.Draft],
        terms: Terms,
        action: Replacing,
    ) -> tuple[list[model.StoredMessage], model.Totals]:
        async with self._calls.write_lock(caller, instance, terms) as token:
            before = await self._calls.begin(caller, instance, "w", token)
            removed = await self._all(caller, instance)
            change = None
            if before is not None and removed:
                change = await self._record_removal_first(
                    caller, instance, before, model.Change(action, before, {}, removed, drafts)
                )
            args = write_args(token, terms, drafts, "1" if action == "cleared" else "")
            reply = await self._calls.change(_replace, caller, instance, args)
        totals = totals_from(reply[1])
        if change is None:
            change = model.Change(action, totals, added=drafts)
            await history.record_beside(self._db, caller, instance, change)
        else:
            await self._index_summary(caller, instance, change, totals)
        return removed, totals

    async def pop(
        self, caller: Caller, instance: model.Instance, terms: Terms
    ) -> tuple[model.StoredMessage | None, int]:
        async with self._calls.write_lock(caller, instance, terms) as token:
            before = await self._calls.begin(caller, instance, "w", token)
            newest = await self._all(caller, instance, first=-1)
            if before is None or not newest:
                return None, 0
            before = replace(before, expires_at=terms.lives_until(clock.now()))
            await self._record_removal_first(
                caller, instance, before, model.Change("popped", before, {}, newest)
            )
            reply = await self._calls.change(_pop, caller, instance, [token, ttl_ms(terms)])
        return newest[0], totals_from(reply[1]).message_count

    async def delete(self, caller: Caller, instance: model.Instance) -> bool:
        async with self._calls.write_lock(caller, instance, Terms()) as token:
            before = await self._calls.begin(caller, instance, "w", token)
            if before is None:
                return False
            change = model.Change("deleted", before, removed=await self._all(caller, instance))
            await history.record_beside(self._db, caller, instance, change)
            await self._calls.change(_delete, caller, instance, [token])
        return True

    async def read(
        self,
        caller: Caller,
        instance: model.Instance,
        span: model.Span,
        *,
        note_access: bool = True,
    ) -> model.Window:
        ranks = [-span.limit, -1] if span.tail else [span.offset, span.offset + span.limit - 1]
        args = [*ranks, "1" if note_access else ""]
        reply = await self._calls.run(_read, caller, instance, args)
        if len(reply) == 1:
            return model.Window([], 0, False, None)
        totals = totals_from(reply[1])
        messages = messages_from(reply[2])
        return window_of(messages, totals.message_count, span, totals.conversation_id)

    async def totals(self, caller: Caller, instance: model.Instance) -> model.Totals | None:
        return await self._calls.totals(caller, instance)

    async def heads(self, caller: Caller, instance: model.Instance) -> list[model.MessageHead]:
        reply = await self._calls.run(_heads, caller, instance)
        return [] if len(reply) == 1 else with_reads(heads_from(reply[2]), reads_from(reply[1]))

    async def fetch(
        self, caller: Caller, instance: model.Instance, seqs: Sequence[int]
    ) -> list[model.StoredMessage]:
        if not seqs or await self.totals(caller, instance) is None:
            return []
        async with self._calls.client() as client:
            found = await client.hmget(
                keys_of(caller, instance)[MESSAGES], [str(seq) for seq in seqs]
            )
        pairs = [(seq, text) for seq, text in zip(seqs, found, strict=True) if text is not None]
        return sorted(
            (
                model.StoredMessage(seq, from_json(json.loads(text)), clock.now())
                for seq, text in pairs
            ),
            key=lambda stored: stored.seq,
        )

    async def lock(
        self, caller: Caller, instance: model.Instance, ttl_s: float
    ) -> model.Lease | None:
        if await self.totals(caller, instance) is None:
            return None
        return await self._calls.take(keys_of(caller, instance)[FLUSH_LOCK], ttl_s)

    async def release(self, caller: Caller, instance: model.Instance, lease: model.Lease) -> None:
        await self._calls.release(keys_of(caller, instance)[FLUSH_LOCK], lease.token)

    async def remove(
        self, caller: Caller, instance: model.Instance, lease: model.Lease, removal: model.Removal
    ) -> model.Totals:
        before = await self._calls.begin(caller, instance, "f", str(lease.token))
        removed = await self.fetch(caller, instance, removal.seqs)
        if before is None or len(removed) != len(removal.seqs):
            raise Overtaken
        added = [] if removal.summary is None else [removal.summary]
        change = await self._record_removal_first(
            caller, instance, before, model.Change("flushed", before, removal.state, removed, added)
        )
        args = [
            lease.token,
            json.dumps(flush_to_json(removal.flush)),
            json.dumps(list(removal.seqs)),
            *(field for draft in added for field in fields_of(draft, now_us())),
        ]
        reply = await self._calls.run(_remove, caller, instance, args)
        if reply[0] != "ok":
            raise Overtaken
        totals = totals_from(reply[1])
        await self._index_summary(caller, instance, change, totals)
        return totals

    async def note_pending(
        self, caller: Caller, instance: model.Instance, job_id: str | None
    ) -> None:
        await self._note(caller, instance, "pending_job", job_id)

    async def note_error(
        self, caller: Caller, instance: model.Instance, error: model.LastError
    ) -> None:
        await self._note(caller, instance, "last_error", json.dumps(error_to_json(error)))

    async def instances(
        self, caller: Caller, resource_id: str, owner: model.Instance | None, cursor: Cursor
    ) -> Page[model.InstanceRow]:
        back = cursor.before_id is not None
        index_key = index_of(caller, resource_id, owner)
        rows: list[model.InstanceRow] = []
        low = f"({cursor.before_id} \xff" if back else "-"
        high = f"({cursor.after_id}" if cursor.after_id else "+"
        while len(rows) <= cursor.limit:
            members = await self._calls.members(index_key, low, high, cursor.limit + 1, back=back)
            rows += await self._listed(caller, resource_id, owner, members)
            if len(members) <= cursor.limit:
                break
            low, high = (f"({members[-1]}", high) if back else (low, f"({members[-1]}")
        return Page.of(rows[: cursor.limit + 1], cursor)

    async def _listed(
        self, caller: Caller, resource_id: str, owner: model.Instance | None, members: list[str]
    ) -> list[model.InstanceRow]:
        """The members of an index that are still there; those that are not are taken out of it."""
        rows = []
        for member in members:
            id, instance = instance_of(resource_id, member)
            totals = await self.totals(caller, instance)
            if totals is None or totals.conversation_id != id:
                await self._calls.unlist(caller, instance, member)
            elif owner is None or owner.is_within(totals.workspace_id):
                rows.append(row_of(instance, totals))
        return rows

    async def delete_all(self, caller: Caller, resource_id: str) -> None:
        index_key = index_of(caller, resource_id)
        while members := await self._calls.members(index_key, "-", "+", 500, back=False):
            for member in members:
                _, instance = instance_of(resource_id, member)
                await self.delete(caller, instance)
                await self._calls.unlist(caller, instance, member)

    # --- parts of a change -------------------------------------------------------------------------------------------

    async def _over(
        self, caller: Caller, instance: model.Instance, drafts: Sequence[model.Draft], terms: Terms
    ) -> tuple[list[model.Draft], list[model.StoredMessage]]:
        """The drafts that are new, and what a buffer drops so that they fit; some of them too, where they are many."""
        heads = await self.heads(caller, instance)
        keys, ids = keys_of(caller, instance), [draft.id for draft in drafts]
        async with self._calls.client() as client:
            next_seq = int(await client.hget(keys[TOTALS], "next") or 1)
            there = await client.hmget(keys[IDS], ids)
        known = {each for each, is_there in zip(ids, there, strict=True) if is_there}
        fresh = new_ones(drafts, known)
        numbered = dict(enumerate(fresh, next_seq))
        heads += [head_of(seq, draft, clock.now()) for seq, draft in numbered.items()]
        tokens = sum(head.tokens for head in heads)
        if terms.buffer is None or not terms.buffer.is_over(len(heads), tokens):
            return fresh, []
        gone = plan_trim(heads, terms.buffer)
        dropped = await self.fetch(caller, instance, [seq for seq in gone if seq not in numbered])
        now = clock.now()
        dropped += [model.StoredMessage(seq, numbered[seq], now) for seq in gone if seq in numbered]
        return fresh, dropped

    async def _all(
        self, caller: Caller, instance: model.Instance, *, first: int = 0
    ) -> list[model.StoredMessage]:
        """Every message, or those from a rank on (-1: the newest)."""
        reply = await self._calls.run(_read, caller, instance, [first, -1, ""])
        return [] if len(reply) == 1 else messages_from(reply[2])

    async def _record_removal_first(
        self, caller: Caller, instance: model.Instance, before: model.Totals, change: model.Change
    ) -> model.Change:
        """Write the revision of a removal before the removal: should anything fail from here on, messages are in the
        history that are still in the list too, and none is lost."""
        gone = [stored.draft for stored in change.removed]
        added = change.added
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
        change = replace(change, after=after)
        write = history.write_down if change.adds_summary else history.record
        await history.record_beside(self._db, caller, instance, change, write)
        return change

    async def _index_summary(
        self, caller: Caller, instance: model.Instance, change: model.Change, totals: model.Totals
    ) -> None:
        """Index a summary for recall, now that it is in the list."""
        if change.adds_summary:
            async with self._db.begin(caller) as tx:
                await index.follow(tx, instance, replace(change, after=totals))

    async def _note(
        self, caller: Caller, instance: model.Instance, field: str, value: str | None
    ) -> None:
        if await self.totals(caller, instance) is None:
            return
        key = keys_of(caller, instance)[TOTALS]
        async with self._calls.client() as client:
            await (client.hdel(key, field) if value is None else client.hset(key, field, value))
