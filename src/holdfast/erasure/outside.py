"""What a person has outside of the database: message lists in Redis and in this process, and files in the object store."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from redis.exceptions import ResponseError

from holdfast.conversations.logs import local
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.redis import Redis, reaching

# How long Redis is given to write its file anew.
REWRITE_TIMEOUT_S = 300.0
_POLL_S = 0.1


@dataclass(slots=True)
class InRedis:
    """What was erased there: how many message lists, and the ids of all messages that they ever had."""

    lists: int = 0
    message_ids: list[str] = field(default_factory=list)


def erase_in_process(org_id: str, user_id: str) -> int:
    """Delete the person's message lists that this process keeps; how many."""
    return local.erase_owner(org_id, f"user:{user_id}")


async def erase_in_redis(redis: Redis | None, org_id: str, user_id: str) -> InRedis:
    """Delete the person's message lists, of every resource, and their places in the indexes."""
    erased = InRedis()
    if redis is None:
        return erased
    owner, client = f"user:{user_id}", redis.client
    async with reaching():
        # No id contains a character that has a meaning in a pattern.
        async for key in client.scan_iter(match=f"holdfast:{{{org_id}/*}}:{owner}/*", count=1000):
            if key.endswith("/k"):
                erased.message_ids += [str(each) for each in await _fields(client, key)]
                erased.lists += 1
            await client.delete(key)
        async for index in client.scan_iter(match=f"holdfast:{{{org_id}/*}}/instances", count=1000):
            async for member, _ in client.zscan_iter(index, match=f"* {owner} *"):
                await client.zrem(index, member)
            await client.delete(f"{index}/{owner}")
    return erased


async def _fields(client: Any, key: str) -> list[Any]:
    found: list[Any] = await client.hkeys(key)
    return found


async def rewrite_redis_files(redis: Redis | None) -> str:
    """Have Redis write its files anew, without what was deleted: a word on how that went."""
    if redis is None:
        return "not used"
    client = redis.client
    try:
        async with reaching():
            persistence = await client.info("persistence")
            if persistence.get("aof_enabled"):
                await _until_idle(client, "aof_rewrite_in_progress")
                await client.bgrewriteaof()
                await _until_idle(client, "aof_rewrite_in_progress", "aof_rewrite_scheduled")
            saves = (await client.config_get("save")).get("save")
            if saves:
                await _until_idle(client, "rdb_bgsave_in_progress")
                await client.bgsave()
                await _until_idle(client, "rdb_bgsave_in_progress")
    except ResponseError as error:
        return f"its files could not be rewritten: {str(error)[:100]}"
    return "rewritten"


async def _until_idle(client: Any, *flags: str) -> None:
    deadline = time.monotonic() + REWRITE_TIMEOUT_S
    while True:
        now = await client.info("persistence")
        if not any(now.get(flag) for flag in flags):
            return
        if time.monotonic() > deadline:
            raise BackendUnavailable("Redis does not finish writing its file anew")
        await asyncio.sleep(_POLL_S)


def paths_of(org_id: str, asset_ids: Sequence[str]) -> list[str]:
    """Where the bytes of assets are in the object store."""
    return [f"{org_id}/{asset_id}" for asset_id in asset_ids]
