"""A framework's chat history as a conversation: items of the framework's own form, which come back as they were given.

A message holds the item's role and text, so that context, summaries and learning can use it, and the whole item in its
metadata.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast_client.conversations import calls
from holdfast_client.conversations.model import Message
from holdfast_client.flows import Flow
from holdfast_client.scope import Scope

RESOURCE = "sessions"
ROLES = ("user", "assistant", "system", "tool")
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_:\-@.]")
_SESSION = re.compile(r"[A-Za-z0-9_.:@-]{1,128}")
_BATCH = 100
_PAGE = 100


@dataclass(frozen=True, slots=True)
class History:
    """The conversation of one session; `form` is the name of the item in a message's metadata."""

    scope: Scope
    session_id: str
    form: str
    role_and_text: Callable[[Mapping[str, Any]], tuple[str, str]]
    from_message: Callable[[Message], Any]
    resource: str = RESOURCE

    def read(self, limit: int | None = None) -> Flow[list[Any]]:
        """The newest `limit` items, or all, oldest first."""
        if limit is not None:
            if limit <= 0:
                return []
            found = yield calls.read(self.scope, self.resource, key=self.key, tail=limit)
            return [self._item(message) for message in found.messages]
        items: list[Any] = []
        while True:
            found = yield calls.read(
                self.scope, self.resource, key=self.key, limit=_PAGE, offset=len(items)
            )
            items += [self._item(message) for message in found.messages]
            if not found.has_more:
                return items

    def append(self, items: Sequence[Any]) -> Flow[None]:
        """Add items at the end, each batch of 100 whole or not at all."""
        session = self.session_id if _SESSION.fullmatch(self.session_id) else None
        for start in range(0, len(items), _BATCH):
            batch = [self._message(item) for item in items[start : start + _BATCH]]
            yield calls.append(self.scope, self.resource, batch, key=self.key, session_id=session)

    def pop(self) -> Flow[Any]:
        """Remove and return the newest item; None if there is none."""
        popped = yield calls.pop(self.scope, self.resource, key=self.key)
        return None if popped.message is None else self._item(popped.message)

    def clear(self) -> Flow[None]:
        """Remove all items."""
        yield calls.clear(self.scope, self.resource, key=self.key, confirm=True)

    @property
    def key(self) -> str:
        """The session's id as a key; characters that a key may not have as `*` and their bytes in hex."""
        text = self.session_id
        encoded = "".join(
            each
            if _PLAIN_KEY.fullmatch(each)
            else "".join(f"*{byte:02X}" for byte in each.encode())
            for each in text
        )
        if encoded.startswith("__") or encoded.endswith("__"):
            encoded = encoded.replace("_", "*5F")
        if not 1 <= len(encoded) <= 256:
            raise ValueError(f"a session id has 1–256 characters, this one {len(encoded)} as a key")
        return encoded

    def _message(self, item: Mapping[str, Any]) -> dict[str, Any]:
        role, text = self.role_and_text(item)
        return {
            "role": role if role in ROLES else "system",
            "content": text
            or f"[{item.get('type', role)}]",  # only a tool call of ours may be without text
            "metadata": {self.form: item},
        }

    def _item(self, message: Message) -> Any:
        return message.metadata.get(self.form) or self.from_message(message)
