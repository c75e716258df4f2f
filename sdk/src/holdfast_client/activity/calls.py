"""The operations about activity: who changed what."""

from datetime import datetime

from holdfast_client.activity.model import RecordedChange, UsageOverTime
from holdfast_client.calls import Call, get, one, page_of
from holdfast_client.scope import Scope
from holdfast_client.values import Page


def list_revisions(
    scope: Scope,
    *,
    kind: str | None = None,
    object_id: str | None = None,
    actor: str | None = None,
    user_id: str | None = None,
    job_id: str | None = None,
    since: datetime | None = None,
    limit: int = 20,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[RecordedChange]]:
    """Changes of everything that the caller sees, newest first, without their contents."""
    query = {
        "kind": kind,
        "object_id": object_id,
        "actor": actor,
        "user_id": user_id,
        "job_id": job_id,
        "since": since,
        "limit": limit,
        "after_id": after_id,
        "before_id": before_id,
    }
    return get(scope, "/revisions", page_of(RecordedChange), query)


def stats(
    scope: Scope,
    *,
    from_: datetime | None = None,
    to: datetime | None = None,
    bucket: str = "hour",
) -> Call[UsageOverTime]:
    """Writes, recalls, hit rate, tokens, evictions and mean latency of the org, by face and span of time."""
    query = {"from": from_, "to": to, "bucket": bucket}
    return get(scope, "/stats", one(UsageOverTime), query)
