"""How much the org uses the service, over time."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.kernel import clock, durations, usage
from holdfast.kernel.clock import Instant
from holdfast.kernel.errors import Invalid
from holdfast.kernel.usage import UsageBucket

router = APIRouter(route_class=ApiRoute, tags=["activity"])

BUCKETS = {"minute": "1m", "hour": "1h", "day": "1d"}
MAX_BUCKETS = 2_000
DEFAULT_SPAN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class UsageOverTime:
    """Numbers by bucket and face, oldest first; a bucket in which a face was not used is left out."""

    data: list[UsageBucket]


@router.get("/stats", operation_id="activity.stats")
async def read_stats(
    caller: TheCaller,
    db: TheDatabase,
    since: Annotated[
        Instant | None, Query(alias="from", description="from this instant on; a day ago")
    ] = None,
    until: Annotated[
        Instant | None, Query(alias="to", description="up to this instant; now")
    ] = None,
    bucket: Annotated[
        str,
        Query(
            description="minute, hour, day, or a duration such as 15m, of a minute at least",
            examples=["hour"],
            json_schema_extra={"pattern": rf"^(minute|hour|day|{durations.PATTERN})$"},
        ),
    ] = "hour",
) -> UsageOverTime:
    """Writes, recalls, hit rate, tokens, evictions and mean latency of the org, by face and span of time."""
    end = until or clock.now()
    begin = since or end - DEFAULT_SPAN
    width = _width(bucket)
    if begin >= end:
        raise Invalid.field("from", "must be earlier than `to`")
    if (end - begin) / width > MAX_BUCKETS:
        raise Invalid.field(
            "bucket", f"is too short for this span: at most {MAX_BUCKETS:,} buckets are answered"
        )
    return UsageOverTime(await usage.read(db, caller, begin, end, width))


def _width(bucket: str) -> timedelta:
    try:
        width = timedelta(seconds=durations.seconds(BUCKETS.get(bucket, bucket)))
    except ValueError as error:
        raise Invalid.field("bucket", f"must be minute, hour, day, or {durations.FORM}") from error
    if width < timedelta(minutes=1):
        raise Invalid.field("bucket", "must be a minute at least")
    return width
