"""Ids: a prefix and the 32 hex digits of a UUIDv7, so that id order is time order."""

import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from pydantic import StringConstraints
from uuid_utils import uuid7

Prefix = Literal[
    "org", "key", "job", "evt", "req", "memver", "blk", "ent", "run", "msg",
    "memory", "asset", "node", "item", "edge", "ins", "memstore", "mem", "prop", "bak", "rcpt", "call", "conv", "sum", "flushed",
    "grant",
]  # fmt: skip

# Ids of users, workspaces, projects, agents and sessions are the client's to choose.
CLIENT_ID = r"[A-Za-z0-9_.:@-]{1,128}"
MADE_ID = r"^[a-z]+_[0-9a-f]{32}$"
ClientId = Annotated[str, StringConstraints(pattern=rf"^{CLIENT_ID}$")]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_client_id = re.compile(CLIENT_ID)
_made_id = re.compile(MADE_ID)


def new_id(prefix: Prefix) -> str:
    """A new id, greater than every id this process made before it under the same prefix."""
    return f"{prefix}_{uuid7().hex}"


def id_at(prefix: Prefix, at: datetime) -> str:
    """A new id that carries `at` to the microsecond: ids made here sort as their instants do.

    UUIDv7 leaves twelve bits to those who have more than milliseconds to say (RFC 9562, 6.2, method 3).
    """
    variant = 0x8000_0000_0000_0000 | secrets.randbits(62)
    return f"{_instant_part(prefix, at)}{variant:016x}"


def ids_between(
    prefix: Prefix, since: datetime | None, until: datetime | None
) -> tuple[str | None, str | None]:
    """Bounds (exclusive) of the ids that `id_at` makes from `since` to `until`, both included; None stays open."""
    return (
        None if since is None else _instant_part(prefix, since),
        None if until is None else f"{_instant_part(prefix, until)}g",  # after every hex digit
    )


def _instant_part(prefix: Prefix, at: datetime) -> str:
    milliseconds, microseconds = divmod(max(0, (at - _EPOCH) // _MICROSECOND), 1000)
    return f"{prefix}_{milliseconds:012x}7{microseconds << 2:03x}"


def is_id(text: str, prefix: Prefix) -> bool:
    """Whether `text` has the form of an id that `new_id(prefix)` gives."""
    return text.startswith(f"{prefix}_") and _made_id.fullmatch(text) is not None


def is_made_id(text: str) -> bool:
    """Whether `text` has the form of an id that `new_id` gives, whatever its prefix."""
    return _made_id.fullmatch(text) is not None


def is_client_id(text: str) -> bool:
    """Whether `text` may name a user, workspace, project, agent or session."""
    return _client_id.fullmatch(text) is not None
