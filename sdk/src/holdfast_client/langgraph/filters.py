"""LangGraph's filters: `{"field": value}`, `{"nested.field": …}`, `{"field": {"$gte": 3}}`."""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

_KEY = re.compile(r"[A-Za-z0-9_\-. ]+")
_ORDERED: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
_ABSENT = object()


def check(wanted: Mapping[str, Any] | None) -> None:
    """ValueError for a key or an operator that cannot be meant."""
    for key, value in (wanted or {}).items():
        if not _KEY.fullmatch(key):
            raise ValueError(f"Invalid filter key: {key!r}")
        if isinstance(value, Mapping):
            unknown = [
                name
                for name in value
                if name.startswith("$") and name not in ("$eq", "$ne", *_ORDERED)
            ]
            if unknown:
                raise ValueError(f"Unsupported operator: {unknown[0]}")


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether a value fits every condition; one without the field fits none but `$ne`."""
    return all(_fits(_reach(value, key), condition) for key, condition in (wanted or {}).items())


def _reach(value: Any, key: str) -> Any:
    if isinstance(value, Mapping) and key in value:
        return value[key]
    for part in key.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return _ABSENT
        value = value[part]
    return value


def _fits(found: Any, condition: Any) -> bool:
    if isinstance(condition, Mapping) and any(str(name).startswith("$") for name in condition):
        return all(_compare(name, found, wanted) for name, wanted in condition.items())
    if isinstance(condition, Mapping):
        return isinstance(found, Mapping) and all(
            _fits(found.get(name, _ABSENT), wanted) for name, wanted in condition.items()
        )
    return bool(found == condition)


def _compare(name: str, found: Any, wanted: Any) -> bool:
    if name == "$ne":
        return bool(found != wanted)
    if name == "$eq":
        return bool(found == wanted)
    if found is _ABSENT or found is None:
        return False
    try:
        return _ORDERED[name](found, wanted)
    except TypeError:
        return _compare_numbers(name, found, wanted)


def _compare_numbers(name: str, found: Any, wanted: Any) -> bool:
    """Compare a number with the text of one; what is neither does not fit."""
    try:
        return _ORDERED[name](float(found), float(wanted))
    except (TypeError, ValueError):
        return False
