"""The current time. Tests replace it with `set_source`; no other code reads the system clock for the time of day."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainSerializer, Strict, WithJsonSchema


def _system_time() -> datetime:
    return datetime.now(UTC)


_date = re.compile(r"\d{4}-\d\d-\d\d")
_source: Callable[[], datetime] = _system_time


def now() -> datetime:
    """The present instant, in UTC, to the microsecond."""
    return _source()


def set_source(source: Callable[[], datetime] | None) -> None:
    """Take the time from `source`; None goes back to the system's clock."""
    global _source
    _source = source or _system_time


def rfc3339(at: datetime) -> str:
    """The wire form of an instant: UTC, always six digits of microseconds, `Z`."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def _in_utc(at: datetime) -> datetime:
    if at.tzinfo is None:
        raise ValueError("a time needs its offset from UTC, as in 2026-01-31T12:00:00Z")
    try:
        return at.astimezone(UTC)
    except OverflowError:
        raise ValueError("this time is out of range") from None


def _is_written_out(value: Any) -> Any:
    """Refuse the numbers, also in quotes, that Pydantic would take for seconds since 1970."""
    if not isinstance(value, datetime) and not (isinstance(value, str) and _date.match(value)):
        raise ValueError("write a time as in 2026-01-31T12:00:00Z")
    return value


# An instant on the wire. Microseconds are always written, since updated_at is also a compare-and-set token.
Instant = Annotated[
    datetime,
    Strict(False),  # a text is read also where a body takes JSON's types as they are
    BeforeValidator(_is_written_out),
    AfterValidator(_in_utc),
    PlainSerializer(rfc3339, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
