"""Checks a receipt: that it is as it was written, and that nothing of the person is left."""

from dataclasses import dataclass

from holdfast.erasure.model import Receipt, Verdict, receipt_digest
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.sql import load

receipts = load(__file__, "receipts.sql")


@dataclass(frozen=True, slots=True)
class _Left:
    place: str
    carried: int
    older: int


async def verify(db: Database, caller: Caller, receipt: Receipt) -> Verdict:
    """Compare the receipt with its own digest, and search every table for the person's id."""
    caller.must_administer("checking receipts of erasures")
    rows = await db.all(
        caller,
        _Left,
        receipts.find_left,
        salt=receipt.salt,
        person_sha256=receipt.person_sha256,
        erased_at=receipt.erased_at,
    )
    left = {row.place: row.older for row in rows if row.older}
    since = {row.place: row.carried - row.older for row in rows if row.carried > row.older}
    intact = receipt.sha256 == receipt_digest(receipt) if receipt.is_complete else True
    return Verdict(
        receipt=receipt.id,
        ok=intact and receipt.is_complete and not left,
        intact=intact,
        complete=receipt.is_complete,
        left=left,
        since=since,
        backups=receipt.backups,
    )
