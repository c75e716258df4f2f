"""The two calls around a model call, as values; and what happens when memory fails."""

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast_client.calls import Call
from holdfast_client.context.calls import assemble
from holdfast_client.context.model import Context
from holdfast_client.conversations.calls import append
from holdfast_client.errors import HoldfastError
from holdfast_client.scope import Scope
from holdfast_client.wrap.dialect import Asked, Dialect, Said

log = logging.getLogger("holdfast_client.wrap")
RESOURCE = "sessions"


@dataclass(frozen=True, slots=True)
class Turn:
    """One model call: its request, what it says, and where its messages go."""

    scope: Scope
    dialect: Dialect
    request: Mapping[str, Any]
    asked: Asked
    max_tokens: int | None
    strict: bool

    @property
    def session(self) -> str:
        """The session, also the key of its conversation."""
        return self.scope.must_session()

    def context_call(self) -> Call[Context] | None:
        """The call for the context; None without a user message."""
        if not self.asked.text:
            return None
        # The same in every call about one user message, as in a loop of tool calls: they get the same reminders.
        about = f"{self.session}\0{self.asked.turns}\0{self.asked.text}"
        message_id = f"wrap-{hashlib.sha256(about.encode()).hexdigest()[:32]}"
        return assemble(
            self.scope, self.asked.text, message_id=message_id, max_tokens=self.max_tokens
        )

    def extended(self, context: Context) -> dict[str, Any]:
        """The request with the context in it."""
        return self.dialect.extended(self.request, context, self.asked)

    def append_call(self, reply: Sequence[Said]) -> Call[Any] | None:
        """The call that stores the new messages and the reply; None if there is nothing to store."""
        if not reply:
            return None
        messages = [*self.asked.new, *reply]
        return append(self.scope, RESOURCE, messages, key=self.session, session_id=self.session)

    def failed(self, what: str, error: HoldfastError) -> None:
        """Log a failure of memory, or raise it where the wrapper is strict."""
        if self.strict:
            raise error
        log.warning("%s: %s (%s)", what, error, error.code)
