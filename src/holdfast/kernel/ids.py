"""Ids: a prefix and the 32 hex digits of a UUIDv7, so that id order is time order."""

import re
from typing import Annotated, Literal

from pydantic import StringConstraints
from uuid_utils import uuid7

Prefix = Literal[
    "org", "key", "job", "evt", "req", "memver", "blk", "ent", "run", "msg",
    "memory", "asset", "node", "item", "edge", "ins", "memstore", "mem", "prop", "bak", "call", "conv",
]  # fmt: skip

# Ids of users, workspaces, projects, agents and sessions are the client's to choose.
CLIENT_ID = r"[A-Za-z0-9_.:@-]{1,128}"
ClientId = Annotated[str, StringConstraints(pattern=rf"^{CLIENT_ID}$")]

_client_id = re.compile(CLIENT_ID)
_made_id = re.compile(r"[a-z]+_[0-9a-f]{32}")


def new_id(prefix: Prefix) -> str:
    """A new id, greater than every id this process made before it under the same prefix."""
    return f"{prefix}_{uuid7().hex}"


def is_id(text: str, prefix: Prefix) -> bool:
    """Whether `text` has the form of an id that `new_id(prefix)` gives."""
    return text.startswith(f"{prefix}_") and _made_id.fullmatch(text) is not None


def is_client_id(text: str) -> bool:
    """Whether `text` may name a user, workspace, project, agent or session."""
    return _client_id.fullmatch(text) is not None
