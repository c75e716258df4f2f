"""The values of activity."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ChangeActor:
    """Who made a change: the type (`key`, `user`, `job`, …) and the id."""

    type: str
    id: str


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """One change of one object: who made it, for which user, in which job."""

    id: str
    kind: str
    object_id: str
    version: int
    action: str
    actor: ChangeActor
    user_id: str | None
    job_id: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class UsageBucket:
    """What one face was used for in one span of time. `hit_rate` is None without a recall, `latency_ms` without a call."""

    at: datetime
    face: str
    writes: int
    recalls: int
    hit_rate: float | None
    tokens: int
    evictions: int
    latency_ms: float | None


@dataclass(frozen=True, slots=True)
class UsageOverTime:
    """Numbers by bucket and face, oldest first; a bucket in which a face was not used is left out."""

    data: list[UsageBucket]
