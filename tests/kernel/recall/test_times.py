"""Times that a query names, relative to `now`."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from holdfast.kernel.recall.times import named_in

NOW = datetime(2026, 3, 18, 15, 30, tzinfo=UTC)  # a Wednesday


def day(year, month, day_of_month):
    return datetime(year, month, day_of_month, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "fits", "not_so_well"),
    [
        ("what happened today?", day(2026, 3, 18), day(2026, 3, 16)),
        ("what did I eat yesterday", day(2026, 3, 17), day(2026, 3, 19)),
        ("two weeks ago we met", day(2026, 3, 4), day(2026, 2, 10)),
        ("3 days ago", day(2026, 3, 15), day(2026, 3, 18)),
        ("what was said last week?", day(2026, 3, 10), day(2026, 1, 1)),
        ("last Monday", day(2026, 3, 16), day(2026, 3, 9)),
        ("last Wednesday", day(2026, 3, 11), day(2026, 3, 18)),
        ("this month", day(2026, 3, 1), day(2025, 12, 1)),
        ("the trip on 2023-05-07", day(2023, 5, 7), day(2023, 5, 9)),
        ("the trip of 2023-05", day(2023, 5, 20), day(2023, 8, 1)),
        ("in May 2023", day(2023, 5, 20), day(2022, 5, 20)),
        ("where was she in august?", day(2019, 8, 2), day(2019, 9, 2)),
        ("the summer of 2021", day(2021, 7, 1), day(2020, 7, 1)),
    ],
)
def test_the_time_that_was_named_fits_best(query, fits, not_so_well):
    times = named_in(query, NOW)
    assert times.fit(fits) > times.fit(not_so_well)
    assert 0.0 <= times.fit(not_so_well) < times.fit(fits) <= 1.0


@pytest.mark.parametrize(
    "query",
    [
        "you may march on",
        "May I ask something?",
        "the sun sets",
        "room 1850 and 3000 euros",
        "the code 2023-13-45",
        "",
    ],
)
def test_other_words_and_numbers_are_no_times(query):
    assert not named_in(query, NOW)
    assert named_in(query, NOW).fit(NOW) == 0.0


def test_an_instant_of_another_zone_is_the_same_instant():
    times = named_in("yesterday", NOW)
    there = timezone(timedelta(hours=11))
    assert times.fit(datetime(2026, 3, 18, 9, tzinfo=there)) == 1.0  # the 17th in UTC
    assert named_in("yesterday", NOW.astimezone(there)) == times


def test_a_stretch_fades_with_the_distance_to_it():
    times = named_in("last month", NOW)
    inside, near, far = day(2026, 2, 20), day(2026, 1, 10), day(2024, 1, 1)
    assert times.fit(inside) == 1.0 > times.fit(near) > times.fit(far) == 0.0
