"""Dates made absolute against the time of their message."""

from datetime import UTC, date, datetime

import pytest

from holdfast.learning.rules.dates import find_dates
from holdfast.learning.rules.text import fold

SAID = datetime(2025, 11, 11, 14, 20, tzinfo=UTC)
"""A Tuesday."""


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("I came yesterday", ["2025-11-10"]),
        ("we fly tomorrow", ["2025-11-12"]),
        ("she rang last Friday", ["2025-11-07"]),
        ("we met on friday", ["2025-11-07"]),  # the verb is past
        ("the call is on friday", ["2025-11-14"]),
        ("see you next Tuesday", ["2025-11-18"]),
        ("it broke friday before last", ["2025-10-31"]),
        ("the party is saturday week", ["2025-11-22"]),
        ("the 3rd of March at the CUH", ["2026-03-03"]),
        ("it was the 16th of May 2024", ["2024-05-16"]),
        ("it starts on 5 January", ["2026-01-05"]),
        ("she was born on 28 December", ["2025-12-28"]),  # the closest one: a day and a month do not tell the year
        ("it's the 24th now", ["2025-11-24"]),
        ("they moved it to the 3rd", ["2025-12-03"]),
        ("it was the 3rd", ["2025-11-03"]),
        ("two weeks ago", ["2025-10-28"]),
        ("in three days", ["2025-11-14"]),
        ("three months ago", ["2025-08"]),
        ("last year", ["2024"]),
        ("I got married last week", ["2025-W45"]),
        ("we fly next week", ["2025-W47"]),
        ("last week's paper", []),
        ("since May 2019", ["2019-05"]),
        ("I passed in July", ["2025-07"]),
        ("from 4 July to the 14th of July", ["2025-07-04", "2025-07-14"]),
        ("she sat in the sun", []),
        ("the 2 of us", []),
        ("on the 31st of February", []),
        ("fridays are busy", []),
        ("I swim every Tuesday", []),  # no day of the calendar
        ("most Fridays we eat out", []),
        ("training is Monday, Wednesday and Friday", []),
    ],
)  # fmt: skip
def test_a_date_is_resolved_against_the_message(text, on):
    assert [each.on for each in find_dates(fold(text), SAID)] == on


def test_a_month_has_no_day():
    (found,) = find_dates("in June", SAID)
    assert found.day is None


def test_a_day_is_a_day():
    (found,) = find_dates("yesterday", SAID)
    assert found.day == date(2025, 11, 10)
