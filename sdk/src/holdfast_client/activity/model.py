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
