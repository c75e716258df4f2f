"""Request bodies: read under a cap, decoded as UTF-8, parsed as JSON once, bounded in depth, free of texts that cannot be kept."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

from fastapi import Request

from holdfast.kernel.errors import Malformed, PayloadTooLarge
from holdfast.kernel.limits import storable

# JSON inside JSON inside JSON: deeper than any face needs, shallow enough for every recursive reader of it.
MAX_DEPTH = 64
MAX_NAME_CHARS = 200


async def read_body(request: Request, limit: int) -> bytes:
    """The whole body; PayloadTooLarge as soon as it is known to be over `limit`."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise PayloadTooLarge(limit)
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise PayloadTooLarge(limit)
        chunks.append(chunk)
    return b"".join(chunks)


async def read_json(
    request: Request, limit: int, batch_fields: frozenset[str] = frozenset()
) -> None:
    """Read the body under the cap and parse it once, strictly; FastAPI finds both where it would have put them.

    `batch_fields`: those whose texts the operation checks one by one (a batch with a result for each item).
    """
    body = await read_body(request, limit)
    request._body = body
    if not body or "json" not in request.headers.get("content-type", ""):
        return
    parsed = parse_json(body)
    if b"\\u0000" in body or b"\\ud" in body.lower():
        checked = parsed
        if batch_fields and isinstance(parsed, dict):
            checked = {name: value for name, value in parsed.items() if name not in batch_fields}
        check_strings(checked)
    request._json = parsed


def parse_json(body: bytes) -> Any:
    """A body as JSON; Malformed where it is not JSON in UTF-8 (RFC 8259), repeats a name in an object, or is nested too deeply."""
    try:
        # Decoded here, since json.loads would also take UTF-16, UTF-32 and surrogates written as UTF-8.
        text = body.decode("utf-8-sig")
        # The C parser recurses. Brackets in texts are counted as well, so this only tells when to look closer.
        deep = text.count("[") + text.count("{") > MAX_DEPTH
        parsed = json.loads(
            text, parse_constant=_refuse_constant, object_pairs_hook=_object_of_unique_names
        )
    except (ValueError, RecursionError) as error:
        raise Malformed(f"the body is not JSON: {_reason(error)}") from None
    if deep and not _is_shallow(parsed):
        raise Malformed(f"the body is not JSON: it is nested deeper than {MAX_DEPTH} levels")
    return parsed


def check_strings(value: Any, field: str = "") -> None:
    """Refuse JSON with a text in it that cannot be kept; the error names its field."""
    for name, text in _texts(value, field):
        storable(text, field=name or "body")


def _texts(value: Any, field: str) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield field, value
        case dict():
            for name, each in value.items():
                yield field, name
                yield from _texts(each, f"{field}.{name}".strip("."))
        case list():
            for index, each in enumerate(value):
                yield from _texts(each, f"{field}.{index}".strip("."))


def _is_shallow(value: Any) -> bool:
    """Whether no value lies deeper than MAX_DEPTH."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return True
    return False


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _object_of_unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. A name that it has twice is refused: one of the two values would be dropped silently."""
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        repeated = next(name for name, count in counts.items() if count > 1)
        raise ValueError(f"one object has the name {repeated[:MAX_NAME_CHARS]!r} twice")
    return found


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if "set_int_max_str_digits" in str(error):  # Python's own bound, in words for its programmers
        return f"a number has more than {sys.get_int_max_str_digits():,} digits"
    return str(error)
