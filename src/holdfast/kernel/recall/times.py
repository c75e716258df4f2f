"""Times that a query names ("in May 2023", "two weeks ago"), and how well an instant fits them."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NUMBERS = {
    name: number
    for number, name in enumerate(
        [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ],
        start=1,
    )
} | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2, "a few": 3, "few": 3}
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_month = re.compile(rf"\b({'|'.join(_MONTHS)}|{'|'.join(m[:3] for m in _MONTHS)})\b\.?", re.I)
_year = re.compile(r"\b(19\d\d|20\d\d)\b")
_iso = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_ago = re.compile(
    rf"\b(\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\s+(day|week|month|year)s?\s+ago\b",
    re.I,
)
_last = re.compile(rf"\blast\s+(week|month|year|{'|'.join(_WEEKDAYS)})\b", re.I)
_this = re.compile(r"\bthis\s+(week|month|year)\b", re.I)
_day = re.compile(r"\b(today|yesterday)\b", re.I)
_word = re.compile(r"\w+")
_digit = re.compile(r"\d")
# Every time that is named has one of these words, or a digit.
_TELLING = (
    frozenset(_MONTHS)
    | {month[:3] for month in _MONTHS}
    | {"ago", "last", "this", "today", "yesterday"}
)

MONTH_SHARE, YEAR_SHARE = 0.85, 0.15


@dataclass(frozen=True, slots=True)
class Times:
    """Months and years that were named, and stretches of time that were meant."""

    months: frozenset[int] = frozenset()
    years: frozenset[int] = frozenset()
    spans: tuple[tuple[datetime, datetime], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.months or self.years or self.spans)

    def fit(self, at: datetime) -> float:
        """From 0 (another time) to 1 (the time that was named)."""
        at = at.astimezone(UTC)
        named = MONTH_SHARE * (at.month in self.months) + YEAR_SHARE * (at.year in self.years)
        if self.months and self.years and at.year not in self.years:
            named *= 0.3  # May of another year than the one that was named
        return max([named, *(_nearness(at, span) for span in self.spans)])


NO_TIMES = Times()


def named_in(query: str, now: datetime) -> Times:
    """The times a query names, relative to `now`."""
    if not _digit.search(query) and _TELLING.isdisjoint(_word.findall(query.lower())):
        return NO_TIMES
    spans = [*_dates(query), *_relative(query, now)]
    rest = _iso.sub(" ", query)
    months = {_month_number(found[0]) for found in _month.finditer(rest) if _is_month(found)}
    years = {int(year) for year in _year.findall(rest)}
    return Times(frozenset(months), frozenset(years), tuple(spans))


def _is_month(found: re.Match[str]) -> bool:
    """`may` and `march` are also other words: as months they are written large; so are `Mar`, `Sep` and the rest."""
    word = found[1]
    if len(word) > 3 and word.lower() != "march":
        return True
    if not word[0].isupper():
        return False
    return word.lower() != "may" or found.start() > 0


def _month_number(word: str) -> int:
    return next(n for n, name in enumerate(_MONTHS, 1) if name.startswith(word.lower()[:3]))


def _dates(query: str) -> list[tuple[datetime, datetime]]:
    found = []
    for year, month, day in _iso.findall(query):
        try:
            start = datetime(int(year), int(month), int(day or 1), tzinfo=UTC)
        except ValueError:
            continue
        found.append((start, start + timedelta(days=1 if day else 30)))
    return found


def _relative(query: str, now: datetime) -> list[tuple[datetime, datetime]]:
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    found = []
    for word in _day.findall(query):
        start = today - timedelta(days=word.lower() == "yesterday")
        found.append((start, start + timedelta(days=1)))
    for count, unit in _ago.findall(query):
        number = int(count) if count.isdigit() else _NUMBERS[count.lower()]
        days = _DAYS[unit.lower()]
        # "Two weeks ago" is some day of that week.
        middle = today - timedelta(days=min(number * days, 36_500))
        found.append((middle - timedelta(days=days / 2), middle + timedelta(days=days / 2 + 1)))
    for unit in (unit.lower() for unit in _last.findall(query)):
        if unit in _WEEKDAYS:
            back = (today.weekday() - _WEEKDAYS.index(unit) - 1) % 7 + 1
            start = today - timedelta(days=back)
            found.append((start, start + timedelta(days=1)))
        else:
            days = _DAYS[unit]
            found.append((today - timedelta(days=2 * days), today))
    found += [
        (today - timedelta(days=_DAYS[unit.lower()]), today + timedelta(days=1))
        for unit in _this.findall(query)
    ]
    return found


def _nearness(at: datetime, span: tuple[datetime, datetime]) -> float:
    start, end = span
    if start <= at < end:
        return 1.0
    away = (start - at) if at < start else (at - end)
    return max(0.0, 0.5 - 0.5 * (away / (end - start)))
