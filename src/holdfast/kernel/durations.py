"""Durations as people write them: `24h`, `30m`, `7d`, `1h30m`, `500ms`."""

import re

_UNITS_S = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = re.compile(r"(\d{1,9})(ms|[dhms])")
PATTERN = "(?:[0-9]{1,9}(?:ms|[dhms]))+"
_WHOLE = re.compile(PATTERN)

FORM = "a duration such as 30s, 24h, 7d or 1h30m"


def seconds(text: str) -> float:
    """The duration in seconds; ValueError for what is none, and for nothing at all (`0s`)."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"must be {FORM}")
    total = sum(int(number) * _UNITS_S[unit] for number, unit in _PART.findall(text))
    if not 0 < total <= 100 * 366 * 86_400:
        raise ValueError("must be longer than nothing and at most 100 years")
    return total
