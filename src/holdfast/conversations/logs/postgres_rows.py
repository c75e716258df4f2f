"""Rows of a message list in Postgres, as values: its totals, its messages, and messages without their text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from holdfast.conversations.logs.values import count_in, error_from_json, flush_from_json
from holdfast.conversations.model import Draft, Instance, MessageHead, Role, StoredMessage, Totals


@dataclass(frozen=True, slots=True)
class Row:
    """The row of an instance, with its running totals."""

    id: str
    version: int
    message_count: int
    token_count: int
    roles: dict[str, int]
    shares: dict[str, int]
    next_seq: int
    workspace_id: str
    expires_at: datetime | None
    pending_job: str | None
    last_flush: dict[str, Any] | None
    last_error: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime

    @property
    def totals(self) -> Totals:
        """The totals, as every log returns them."""
        return Totals(
            conversation_id=self.id,
            version=self.version,
            message_count=self.message_count,
            token_count=self.token_count,
            roles=self.roles,
            shares=self.shares,
            workspace_id=self.workspace_id,
            created_at=self.created_at,
            updated_at=self.updated_at,
            expires_at=self.expires_at,
            pending_job=self.pending_job,
            last_flush=flush_from_json(self.last_flush),
            last_error=error_from_json(self.last_error),
        )

    @property
    def one_later(self) -> "Row":
        """The row as the change that ends it leaves it."""
        return replace(self, version=self.version + 1)

    def is_over(self, now: datetime) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and self.expires_at <= now

    def with_messages(self, added: Sequence[Draft], removed: Sequence[StoredMessage] = ()) -> "Row":
        """The row one change later."""
        gone = [kept.draft for kept in removed]
        roles, shares = count_in(*count_in(self.roles, self.shares, gone, -1), added)
        return replace(
            self,
            version=self.version + 1,
            message_count=self.message_count + len(added) - len(gone),
            token_count=self.token_count
            + sum(d.tokens for d in added)
            - sum(d.tokens for d in gone),
            roles=roles,
            shares=shares,
        )


@dataclass(frozen=True, slots=True)
class InstanceListRow(Row):
    """The row of an instance, with what names it."""

    resource_id: str
    user_id: str | None
    agent_id: str | None
    key: str

    @property
    def instance(self) -> Instance:
        """The instance."""
        return Instance(self.resource_id, self.key, self.user_id, self.agent_id)


class MessageRow(NamedTuple):
    """A message at its place, with its instance where that was asked for too. A tuple: a thousand are read at once."""

    seq: int | None  # None where the instance has no such message
    id: str
    type: str
    role: Role
    content: str
    name: str | None
    tool_calls: list[Any] | None
    tool_call_id: str | None
    metadata: dict[str, Any]
    tokens: int
    share: str
    created_at: datetime
    accessed_at: datetime
    conversation_id: str | None = None
    message_count: int | None = None

    @property
    def stored(self) -> StoredMessage:
        """The message as every log returns it."""
        draft = Draft(
            self.id,
            self.role,
            self.content,
            self.tokens,
            self.share,
            self.created_at,
            self.type,
            self.name,
            self.tool_calls,
            self.tool_call_id,
            self.metadata,
        )
        return StoredMessage(self.seq or 0, draft, self.accessed_at)


@dataclass(frozen=True, slots=True)
class HeadRow:
    """A message without its text."""

    seq: int
    role: str
    tokens: int
    share: str
    accessed_at: datetime
    calls: list[str]
    answers: str | None
    type: str

    @property
    def head(self) -> MessageHead:
        """What a flush needs to know about it."""
        return MessageHead(
            self.seq,
            self.role,
            self.tokens,
            self.share,
            self.accessed_at,
            tuple(self.calls),
            self.answers,
            self.type,
        )


def params_of(instance: Instance) -> dict[str, str | None]:
    """An instance as statements name it."""
    return {
        "resource_id": instance.resource_id,
        "audience": instance.audience,
        "key": instance.key,
        "within": instance.within,
    }
