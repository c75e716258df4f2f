"""What an agent sees when a run starts: what fits a byte budget, core first.

Core entries newest first while they fit, then the newest of the rest in what remains; the first that does not fit closes
its tier. The choice is made in the database (queries.sql, `hydrate`), so that what is left out is never sent.
"""

from hashlib import blake2b
from typing import Any

from holdfast.entries.model import Entry, Hydration
from holdfast.entries.reach import Reach
from holdfast.kernel import metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.sql import load

queries = load(__file__)


async def fill(tx: Tx, reach: Reach, *, budget_bytes: int) -> Hydration:
    """The entries of every audience in reach, as far as they fit the budget; newest first."""
    rows = await tx.all(dict, queries.hydrate, **_params(reach, budget_bytes))
    return _hydration(rows, budget_bytes)


async def look(db: Database, caller: Caller, reach: Reach, *, budget_bytes: int) -> Hydration:
    """`fill` in one round trip, for a caller that is known to see the agent."""
    rows = await db.all(caller, dict, queries.hydrate, **_params(reach, budget_bytes))
    return _hydration(rows, budget_bytes)


def _params(reach: Reach, budget_bytes: int) -> dict[str, Any]:
    return {"quotas": reach.quotas, "budget": budget_bytes, **reach.params}


def _hydration(rows: list[dict[str, Any]], budget_bytes: int) -> Hydration:
    all_entries = rows[0]["all_entries"] if rows else 0
    all_bytes = rows[0]["all_bytes"] if rows else 0
    entries = []
    for row in rows:
        del row["all_entries"], row["all_bytes"]
        entries.append(Entry(**row))
    used = sum(entry.size for entry in entries)
    hydration = Hydration(
        data=entries,
        budget_bytes=budget_bytes,
        used_bytes=used,
        dropped_entries=all_entries - len(entries),
        dropped_bytes=all_bytes - used,
        etag=_etag(entries),
    )
    metrics.hydration_entries.observe(len(entries))
    metrics.hydration_dropped_entries.inc(hydration.dropped_entries)
    metrics.hydration_dropped_bytes.inc(hydration.dropped_bytes)
    return hydration


def _etag(entries: list[Entry]) -> str:
    """A digest of the texts in their order: a prompt made of them is the same while this is."""
    digest = blake2b(digest_size=16)
    for entry in entries:
        for text in (entry.key, entry.category, entry.content, *entry.tags):
            encoded = text.encode()
            digest.update(b"%d:" % len(encoded))
            digest.update(encoded)
        digest.update(b";")
    return digest.hexdigest()
