"""The values of erasures."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class ErasureJob:
    """The job that erases a person."""

    job_id: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is left of an erasure: counts, digests and times."""

    id: str
    salt: str
    person_sha256: str
    pseudonym: str
    everything: bool
    counts: dict[str, Any]
    hashes: dict[str, str]
    outside: dict[str, Any]
    backups: list[dict[str, Any]]
    erased_at: datetime
    files: dict[str, Any] | None
    completed_at: datetime | None
    sha256: str | None
    type: Literal["erasure_receipt"] = "erasure_receipt"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check of a receipt found: `left` must be empty; `since` is what was written later under the same id."""

    receipt: str
    ok: bool
    intact: bool
    complete: bool
    left: dict[str, int]
    since: dict[str, int]
    backups: list[dict[str, Any]]
