"""Slows down guessing of passwords and codes, per account and, apart, per address.

An attempt is counted before its proof is evaluated, in one statement that locks the counters' rows: guesses sent in
parallel are evaluated no more often than guesses sent one by one. A refused attempt counts nothing.

An address that signed in to an account before has a counter of its own for that account, with a shorter longest wait: others
who guess from elsewhere cannot lock it out.
"""

from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv6Address, ip_address

from holdfast.access.model import (
    FREE_ATTEMPTS_OF_ACCOUNT,
    FREE_ATTEMPTS_OF_ADDRESS,
    MAX_WAIT_OF_KNOWN_S,
    MAX_WAIT_S,
)
from holdfast.kernel import metrics
from holdfast.kernel.caller import operator
from holdfast.kernel.db import Database
from holdfast.kernel.errors import RateLimited
from holdfast.kernel.sql import load

queries = load(__file__)

# Attempts are counted before any org is known; the table behind them belongs to none.
_NO_ORG = operator("-")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One guess, counted already. `subjects` are the counters that it was counted in."""

    known: str
    address: str
    subjects: list[str]


async def count_attempt(
    db: Database, *, account: str, address: str, max_wait_s: int = MAX_WAIT_S
) -> Attempt:
    """Count an attempt; RateLimited, and nothing counted, where the account or the address has to wait."""
    where = _subjects(account, address)
    limits = {
        "free_of_account": FREE_ATTEMPTS_OF_ACCOUNT,
        "free_of_address": FREE_ATTEMPTS_OF_ADDRESS,
        "max_wait_s": max_wait_s,
        "max_wait_of_known_s": min(max_wait_s, MAX_WAIT_OF_KNOWN_S),
    }
    try:
        async with db.begin(_NO_ORG) as tx:
            counted = await tx.all(str, queries.count_attempt, **where, **limits)
            if len(counted) < 2:
                raise _HasToWait
    except _HasToWait:
        [wait_s] = await db.all(_NO_ORG, int, queries.attempt_wait, **where, **limits)
        raise RateLimited(
            "too many failed sign-ins; wait before the next", retry_after_s=max(1, wait_s)
        ) from None
    return Attempt(where["known"], where["address"], counted)


async def forget_attempt(db: Database, attempt: Attempt) -> None:
    """The proof was right: the account's counter starts anew, and this address is known to the account from now on."""
    async with db.begin(_NO_ORG) as tx:
        await tx.run(queries.forget_attempts, subjects=attempt.subjects, address=attempt.address)
        await tx.run(queries.know_address, known=attempt.known)


def note_failure() -> None:
    """The proof was wrong; it is counted already, this is for the metrics."""
    metrics.sign_in_failures.inc()


class _HasToWait(Exception):
    """Undoes what the statement counted before it met the counter that has to wait."""


def _subjects(account: str, address: str) -> dict[str, str]:
    """The counters of an attempt. Digests: neither account nor address is kept."""
    network = _network(address)
    return {
        "account": _digest(f"account {account}"),
        "address": _digest(f"address {network}"),
        "known": _digest(f"known {network} {account}"),
    }


def _network(address: str) -> str:
    """What counts as one address: of IPv6 a /64, since one client has all of it."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        mapped = parsed.ipv4_mapped
        return str(mapped) if mapped is not None else f"{int(parsed) >> 64:x}::/64"
    return str(parsed)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
