"""Message lists in Redis: read as they are, written as they were."""

import json
from collections.abc import AsyncIterator
from typing import Any

from holdfast.exchange.tables import Chosen
from holdfast.kernel.redis import Redis, reaching

# The parts of a list (conversations/logs/lua/prelude.lua): hashes, and one sorted set.
_HASHES, _ORDER = ("i", "m", "h", "r", "k"), "o"


async def read_lists(redis: Redis | None, org_id: str, chosen: Chosen) -> AsyncIterator[str]:
    """Each list that is chosen, as a line of JSON."""
    if redis is None:
        return
    client = redis.client
    prefix = f"holdfast:{{{org_id}/"
    async with reaching():
        async for key in client.scan_iter(match=f"{prefix}*/i", count=1000):
            resource_id, _, rest = str(key).removeprefix(prefix).partition("}:")
            audience, _, name = rest.removesuffix("/i").partition("/")
            if _is_chosen(audience, chosen):
                base = str(key).removesuffix("/i")
                parts: dict[str, Any] = {p: await _hash(client, f"{base}/{p}") for p in _HASHES}
                parts[_ORDER] = await client.zrange(f"{base}/{_ORDER}", 0, -1, withscores=True)
                named = {"resource_id": resource_id, "audience": audience, "key": name}
                yield json.dumps({**named, "ttl_ms": await client.pttl(key), **parts})


async def _hash(client: Any, key: str) -> dict[str, str]:
    found: dict[str, str] = await client.hgetall(key)
    return found


def _is_chosen(audience: str, chosen: Chosen) -> bool:
    return chosen.whole_org or audience in (f"user:{chosen.user_id}", f"agent:{chosen.agent_id}")


async def write_list(redis: Redis, org_id: str, line: dict[str, Any]) -> bool:
    """Write a list that is not there yet; whether it was written."""
    client = redis.client
    prefix = f"holdfast:{{{org_id}/{line['resource_id']}}}"
    base = f"{prefix}:{line['audience']}/{line['key']}"
    async with reaching():
        if await client.exists(f"{base}/i"):
            return False
        async with client.pipeline(transaction=True) as changes:
            for part in _HASHES:
                if line[part]:
                    changes.hset(f"{base}/{part}", mapping=line[part])
            if line[_ORDER]:
                changes.zadd(f"{base}/{_ORDER}", dict(line[_ORDER]))
            if line["ttl_ms"] > 0:
                for part in (*_HASHES, _ORDER):
                    changes.pexpire(f"{base}/{part}", line["ttl_ms"])
            member = f"{line['i']['id']} {line['audience']} {line['key']}"
            changes.zadd(f"{prefix}/instances", {member: 0})
            changes.zadd(f"{prefix}/instances/{line['audience']}", {member: 0})
            await changes.execute()
    return True
