"""Rate limits of API keys, per minute, counted in the database so that all processes share the count."""

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import RateLimited
from holdfast.kernel.sql import load

queries = load(__file__, "rates.sql")


async def count_request(db: Database, caller: Caller, requests_per_minute: int) -> None:
    """Count one request of this key; RateLimited once the minute is full."""
    async with db.begin(caller) as tx:
        used = await tx.one(int, queries.count_request, key_id=caller.credential_id)
        if used is not None and used > requests_per_minute:
            raise RateLimited(
                f"this key may make {requests_per_minute} requests a minute",
                retry_after_s=60 - tx.now.second,
            )
