"""Instants on the wire."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from pydantic import TypeAdapter, ValidationError

from holdfast.kernel import clock

adapter = TypeAdapter(clock.Instant)


def test_microseconds_are_written_even_when_they_are_none():
    assert adapter.dump_json(datetime(2026, 1, 2, tzinfo=UTC)) == b'"2026-01-02T00:00:00.000000Z"'


def test_another_offset_becomes_utc():
    at = datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=2)))
    assert clock.rfc3339(at) == "2026-01-02T01:00:00.000000Z"
    assert (
        adapter.validate_python("2026-01-02T03:00:00+02:00").isoformat()
        == "2026-01-02T01:00:00+00:00"
    )


@pytest.mark.parametrize("text", ["2026-01-02T03:00:00", "0001-01-01T00:00:00+23:00", "soon"])
def test_a_time_that_is_no_instant_is_refused(text):
    with pytest.raises(ValidationError):
        adapter.validate_python(text)


def test_the_clock_can_be_turned_and_turned_back():
    then = datetime(2030, 1, 1, tzinfo=UTC)
    clock.set_source(lambda: then)
    try:
        assert clock.now() == then
    finally:
        clock.set_source(None)
    assert clock.now() < then
