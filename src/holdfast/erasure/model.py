"""Receipts, and what a check of one finds."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal

from holdfast.kernel.clock import Instant, rfc3339


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is left of an erasure: counts, digests and times; nothing of the person but a salted digest of the id."""

    id: str
    salt: str
    person_sha256: str
    pseudonym: str
    everything: bool
    counts: dict[str, Any]
    hashes: dict[str, str]
    outside: dict[str, Any]
    backups: list[dict[str, Any]]
    erased_at: Instant
    files: dict[str, Any] | None
    completed_at: Instant | None
    sha256: str | None
    type: Literal["erasure_receipt"] = "erasure_receipt"

    @property
    def is_complete(self) -> bool:
        """Whether the files of the database were rewritten too."""
        return self.completed_at is not None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check of a receipt found. `left` counts, by table and column, rows that carry the person's id and were there
    when it was erased; `since` counts rows that were written later under the same id."""

    receipt: str
    ok: bool
    intact: bool
    complete: bool
    left: dict[str, int]
    since: dict[str, int]
    backups: list[dict[str, Any]]


def person_digest(salt: str, user_id: str) -> str:
    """The digest that a receipt names a person by; `erasure_left` in functions.sql computes the same."""
    return hashlib.sha256(f"{salt}{user_id}".encode()).hexdigest()


def ids_digest(ids: list[str]) -> str:
    """One digest of many ids, whatever their order."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()


def receipt_digest(receipt: Receipt) -> str:
    """The digest over all fields of a receipt but the digest itself."""
    fields = {
        name: getattr(receipt, name) for name in Receipt.__slots__ if name not in ("sha256", "type")
    }
    for name in ("erased_at", "completed_at"):
        fields[name] = None if fields[name] is None else rfc3339(fields[name])
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
