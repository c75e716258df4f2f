"""Dates as people say them, made absolute against the time of their message ("last Friday" → 2025-10-03).

A week, a month or a year without a day becomes `2025-W40`, `2025-10` or `2024`. What cannot be known ("on the weekend some time") stays as it is.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from holdfast.learning.rules.lexicon import MONTH, NUMBER, WEEKDAY, word_list
from holdfast.learning.rules.text import compile_rule

_MONTHS = word_list("jan feb mar apr may jun jul aug sep oct nov dec")
_WEEKDAYS = word_list("mon tue wed thu fri sat sun")
_SMALL = word_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"

_PAST = compile_rule(
    r"\b(?:\w{2,}ed|was|were|did|didn't|didnt|had|went|got|came|took|made|bought|sold|found|told|gave|left|lost|won|paid|met|saw"
    r"|began|broke|wrote|sent|said|rang|fell|flew|drove|ago|last|since|just|landed|yesterday|back from)\b"
)


_AHEAD = compile_rule(
    r"\b(?:booked|scheduled|planned|due|postponed|pushed|moved|rescheduled|will|'ll|going to|starts?|until|till|til|by"
    r"|(?:am|is|are|'m|'re|'s|im) (?:getting|being) \w+)\b"
)


@dataclass(frozen=True)
class FoundDate:
    """Where a date stands in a text, and which it is, in ISO form (a day, a week, a month or a year)."""

    start: int
    end: int
    on: str

    @property
    def day(self) -> date | None:
        """The day, where it is one."""
        return date.fromisoformat(self.on) if len(self.on) == 10 else None


@dataclass(frozen=True)
class _Moment:
    today: date
    past: bool


def _number(text: str) -> int | None:
    word = text.strip().lower()
    if word.isdigit():
        return int(word) if len(word) < 5 else None
    if word in ("a", "an"):
        return 1
    return _SMALL.index(word) if word in _SMALL else None


def _near(day: int, month: int, now: _Moment) -> date | None:
    """The date of that day and month closest to now, whichever year it is in."""
    options = [_make(now.today.year + shift, month, day) for shift in (-1, 0, 1)]
    known = [each for each in options if each]
    return min(known, key=lambda each: abs((each - now.today).days), default=None)


def _make(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _day_and_month(match: Any, now: _Moment) -> str | None:
    day, month = int(match.group("day")), _MONTHS.index(match.group("month")[:3].lower()) + 1
    year = match.group("year")
    return _iso(_make(int(year), month, day) if year else _near(day, month, now))


def _day_of_month(match: Any, now: _Moment) -> str | None:
    """ "the 24th": this month's, or the next where plans are made, the last where things are past."""
    day = int(match.group("day"))
    if match.group("of"):
        return None  # "the 31st of February"
    this = _make(now.today.year, now.today.month, day)
    if this and (this >= now.today) != now.past:
        return this.isoformat()
    step = -1 if now.past else 1
    month = now.today.month - 1 + step
    return _iso(_make(now.today.year + month // 12, month % 12 + 1, day))


def _weekday(match: Any, now: _Moment) -> str | None:
    which = _WEEKDAYS.index(match.group("weekday")[:3].lower())
    said = (match.group("which") or "").strip().lower()
    if said in ("every", "each", "most"):
        return None  # a day of every week
    ahead = (which - now.today.weekday()) % 7
    week = (match.group("week") or "").strip().lower()
    if week:
        days = ahead - 14 if week == "before last" else ahead + 7
        return (now.today + timedelta(days=days)).isoformat()
    if said in ("last", "past") or (said in ("", "on", "this") and now.past):
        return (now.today - timedelta(days=(7 - ahead) if ahead else 7)).isoformat()
    if said == "next":
        return (now.today + timedelta(days=ahead or 7)).isoformat()
    return (now.today + timedelta(days=ahead or (0 if said == "this" else 7))).isoformat()


def _named(days: int) -> Callable[[Any, _Moment], str | None]:
    return lambda _match, now: (now.today + timedelta(days=days)).isoformat()


def _ago(match: Any, now: _Moment) -> str | None:
    return _shift(match, now, -1)


def _ahead(match: Any, now: _Moment) -> str | None:
    return _shift(match, now, 1)


def _shift(match: Any, now: _Moment, sign: int) -> str | None:
    count = _number(match.group("count"))
    if count is None or count > 200:
        return None
    unit = match.group("unit").lower()
    if unit.startswith(("day", "week")):
        days = count * (7 if unit.startswith("week") else 1)
        return (now.today + timedelta(days=sign * days)).isoformat()
    return (
        _months_away(now.today, sign * count)
        if unit.startswith("month")
        else str(now.today.year + sign * count)
    )


def _months_away(today: date, months: int) -> str:
    index = today.year * 12 + today.month - 1 + months
    return f"{index // 12:04d}-{index % 12 + 1:02d}"


def _last_or_next(match: Any, now: _Moment) -> str | None:
    sign = {"last": -1, "this": 0, "next": 1}[match.group("which").lower()]
    unit = match.group("unit").lower()
    if unit == "week":
        year, week, _ = (now.today + timedelta(weeks=sign)).isocalendar()
        return f"{year}-W{week:02d}"
    if unit == "month":
        return _months_away(now.today, sign)
    return str(now.today.year + sign)


def _month_of_year(match: Any, now: _Moment) -> str | None:
    """ "in June", "since last March": the closest one."""
    month = _MONTHS.index(match.group("month")[:3].lower()) + 1
    year = match.group("year")
    if year:
        return f"{year}-{month:02d}"
    distance = (month - now.today.month + 12) % 12
    return _months_away(now.today, distance - 12 if distance > (0 if now.past else 6) else distance)


_UNIT = r"(?P<unit>days?|weeks?|months?|years?)"
_YEAR = r"(?:,? (?P<year>(?:19|20)\d\d))?"
_READERS: tuple[tuple[Any, Callable[[Any, _Moment], str | None]], ...] = tuple(
    (compile_rule(pattern), reader)
    for pattern, reader in (
        (rf"\b(?:the )?{_DAY}(?: of)? (?P<month>{MONTH})\b{_YEAR}", _day_and_month),
        (rf"\b(?P<month>{MONTH})\.? {_DAY}\b{_YEAR}", _day_and_month),
        (r"\bthe day before yesterday\b", _named(-2)),
        (r"\bthe day after tomorrow\b", _named(2)),
        (r"\b(?:yesterday|last night)\b", _named(-1)),
        (r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", _named(0)),
        (r"\btomorrow\b", _named(1)),
        (rf"\b(?P<count>an?|{NUMBER}) {_UNIT} ago\b", _ago),
        (rf"\bin (?P<count>an?|{NUMBER}) {_UNIT}\b(?: time)?", _ahead),
        (rf"\b(?P<which>last |next |this |past |on |every |each |most )?(?P<weekday>{WEEKDAY})\b(?P<week> before last| week\b)?", _weekday),
        (r"\b(?P<which>last|this|next) (?P<unit>week|month|year)\b", _last_or_next),
        (rf"\bthe {_DAY}\b(?P<of> of\b)?", _day_of_month),
        (rf"\b(?:in|since|until|till|til|by|from|last|next|end of|early|late|mid) (?P<month>{MONTH})\b(?: (?P<year>(?:19|20)\d\d))?", _month_of_year),
    )
)  # fmt: skip
_PLAIN_NUMBER = compile_rule(r"^the \d{1,2}$")
_BARE_DAYS = compile_rule(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:tue|wed|thu|thurs|fri|weds)\b"
)
_SHORT_WORDS = frozenset({"sat", "sun", "mon", "wed", "fri", "may", "mar"})


def find_dates(folded: str, said_at: datetime) -> list[FoundDate]:
    """The dates of a sentence, in order, none overlapping."""
    now = _Moment(said_at.date(), bool(_PAST.search(folded)) and not _AHEAD.search(folded))
    kept: list[FoundDate] = []
    for found in sorted(_all(folded, now), key=lambda each: (each.start, -each.end)):
        if not kept or found.start >= kept[-1].end:
            kept.append(found)
    return kept


def _all(folded: str, now: _Moment) -> Iterator[FoundDate]:
    recurring = (
        len(_BARE_DAYS.findall(folded)) > 1
    )  # "Monday, Wednesday and Friday": days of every week
    for pattern, reader in _READERS:
        if recurring and reader is _weekday:
            continue
        for match in pattern.finditer(folded):
            if _is_other_word(match.group(), folded[match.end() : match.end() + 1]):
                continue
            on = reader(match, now)
            if on:
                yield FoundDate(match.start(), match.end(), on)


def _is_other_word(said: str, following: str) -> bool:
    """ "she sat", "the 2 of us", "the sun", "fridays": not a day of the calendar."""
    return said.lower() in _SHORT_WORDS or bool(_PLAIN_NUMBER.match(said)) or following == "'"
