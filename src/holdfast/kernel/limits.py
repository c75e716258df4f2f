"""Checks of sizes, and of texts that Postgres cannot store."""

from holdfast.kernel.errors import Invalid, LimitExceeded

MAX_BODY_BYTES = 4 * 1024 * 1024


def at_most_chars(text: str, limit: int, *, what: str) -> None:
    """Refuse more than `limit` Unicode code points."""
    if len(text) > limit:
        raise LimitExceeded(
            f"{what} has {len(text):,} characters; at most {limit:,} are kept",
            limit=limit,
            actual=len(text),
        )


def at_most_bytes(text: str, limit: int, *, what: str) -> int:
    """The size in UTF-8 bytes; refused past `limit`."""
    size = len(text.encode())
    if size > limit:
        raise LimitExceeded(
            f"{what} has {size:,} bytes; at most {limit:,} are kept", limit=limit, actual=size
        )
    return size


def at_most(count: int, limit: int, *, what: str) -> None:
    """Refuse more than `limit` of something."""
    if count > limit:
        raise LimitExceeded(
            f"{count:,} {what}; at most {limit:,} are kept", limit=limit, actual=count
        )


def storable(text: str, *, field: str) -> None:
    """Refuse what Postgres cannot keep as text: U+0000, and surrogates that stand alone."""
    if "\x00" in text:
        raise Invalid.field(field, "may not contain U+0000")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Invalid.field(field, "has a surrogate without its other half") from None
