"""Messages as they come in: checked, redacted, counted; nothing unredacted goes past this point."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from holdfast.conversations.budget import share_of
from holdfast.conversations.counting import Counter
from holdfast.conversations.model import (
    COMPACTION,
    MAX_CONTENT_BYTES,
    MAX_ID_CHARS,
    Draft,
    NotPersisted,
    Role,
)
from holdfast.conversations.privacy import RedactionFailed, redact_all
from holdfast.conversations.resources.config import Resource
from holdfast.kernel import clock, limits
from holdfast.kernel.errors import FieldError, Invalid, LimitExceeded
from holdfast.kernel.ids import new_id

MAX_DEPTH = 64
ROLES = ("user", "assistant", "system", "tool")
# The fields that are ours; whatever else a provider sends goes along in metadata.raw.
_OWN = {
    "id", "type", "role", "content", "name", "tool_calls", "tool_call_id", "metadata", "created_at", "tokens",
    "toolCalls", "toolCallId", "createdAt",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Intake:
    """What will be kept, and what will not."""

    drafts: list[Draft] = field(default_factory=list)
    refused: list[NotPersisted] = field(default_factory=list)


def as_list(messages: Any, at_most: int) -> list[dict[str, Any]]:
    """A text (one user message), one message or a list of them, each with fields of the right form."""
    given = messages if isinstance(messages, list) else [messages]
    if not given:
        raise Invalid.field("messages", "must hold at least one message")
    limits.at_most(len(given), at_most, what="messages in one call")
    errors: list[FieldError] = []
    read = [_read(each, f"messages.{n}", errors) for n, each in enumerate(given)]
    if errors:
        raise Invalid("; ".join(f"{e.field}: {e.message}" for e in errors[:5]), errors)
    return read


async def take_in(
    resource: Resource, counter: Counter, messages: Sequence[dict[str, Any]]
) -> Intake:
    """Drafts of the messages, redacted and counted; LimitExceeded for one that no budget could hold."""
    intake = Intake()
    persistable = []
    for index, message in enumerate(messages):
        if resource.persists(message["role"], message["type"]):
            persistable.append((index, message))
        else:
            reason = f"messages of {message['role']!r} or {message['type']!r} are never kept"
            intake.refused.append(NotPersisted(index, message["id"], reason))
    redacted = await redact_all(resource.redactor, [message for _, message in persistable])
    fit: list[dict[str, Any]] = []
    for (index, original), outcome in zip(persistable, redacted, strict=True):
        if isinstance(outcome, RedactionFailed):
            intake.refused.append(NotPersisted(index, None, str(outcome)))
        elif len(outcome["content"].encode()) > MAX_CONTENT_BYTES:
            reason = f"redacted, its content is over {MAX_CONTENT_BYTES:,} bytes"
            intake.refused.append(NotPersisted(index, original["id"], reason))
        else:
            fit.append(outcome)
    counts = await counter.count_messages([(m["role"], m["content"]) for m in fit])
    intake.drafts.extend(
        _draft(resource, message, tokens) for message, tokens in zip(fit, counts, strict=True)
    )
    _check_size(resource, intake.drafts)
    intake.refused.sort(key=lambda refusal: refusal.index)
    return intake


def _check_size(resource: Resource, drafts: Sequence[Draft]) -> None:
    limit = resource.budget.max_tokens
    for draft in drafts:
        if limit is not None and draft.tokens > limit:
            raise LimitExceeded(
                f"a message of {draft.tokens:,} tokens does not fit in max_tokens ({limit:,})",
                limit=limit,
                actual=draft.tokens,
            )


def _draft(resource: Resource, message: dict[str, Any], tokens: int) -> Draft:
    metadata = message["metadata"]
    return Draft(
        id=message["id"] or new_id("msg"),
        role=cast(Role, message["role"]),
        content=message["content"],
        tokens=tokens,
        share=share_of(message["role"], metadata.get("allocation"), resource.budget.shares),
        created_at=message["created_at"] or clock.now(),
        type=message["type"],
        name=message["name"],
        tool_calls=message["tool_calls"],
        tool_call_id=message["tool_call_id"],
        metadata=metadata,
    )


# --- the form of a message -------------------------------------------------------------------------------------------


def _read(given: Any, at: str, errors: list[FieldError]) -> dict[str, Any]:
    if isinstance(given, str):
        given = {"role": "user", "content": given}
    if not isinstance(given, dict):
        errors.append(FieldError(at, "must be a text or a message"))
        return {}

    def field_of(name: str, camel: str | None = None) -> Any:
        return given.get(name, given.get(camel) if camel else None)

    def wrong(name: str, message: str) -> None:
        errors.append(FieldError(f"{at}.{name}", message))

    message = {
        "id": field_of("id"),
        "type": field_of("type") or "message",
        "role": field_of("role"),
        "content": field_of("content"),
        "name": field_of("name"),
        "tool_calls": field_of("tool_calls", "toolCalls"),
        "tool_call_id": field_of("tool_call_id", "toolCallId"),
        "metadata": field_of("metadata") or {},
        "created_at": _instant(field_of("created_at", "createdAt"), wrong),
    }
    if message["type"] == COMPACTION:
        message["role"] = message["role"] or "assistant"
        message["content"] = "" if message["content"] is None else message["content"]
    _keep_extra_fields(message, given, wrong)
    _check(message, at, wrong)
    return message


def _keep_extra_fields(message: dict[str, Any], given: dict[str, Any], wrong: Any) -> None:
    """Put the fields that are not ours in metadata.raw; beside a `raw` of the client's own, in metadata.raw_fields."""
    extra = {name: value for name, value in given.items() if name not in _OWN}
    metadata = message["metadata"]
    if not extra or not isinstance(metadata, dict):
        return
    name = next((each for each in ("raw", "raw_fields") if each not in metadata), None)
    if name is None:
        listed = ", ".join(sorted(extra))
        wrong("metadata", f"has raw and raw_fields, so there is no place for {listed}")
        return
    message["metadata"] = {**metadata, name: extra}


def _check(message: dict[str, Any], at: str, wrong: Any) -> None:
    if message["role"] not in ROLES:
        wrong("role", f"must be one of {', '.join(ROLES)}")
    for name, most in (("id", MAX_ID_CHARS), ("type", 64), ("name", 256), ("tool_call_id", 256)):
        value = message[name]
        if value is not None and not (isinstance(value, str) and 1 <= len(value) <= most):
            wrong(name, f"must be a text of 1–{most} characters")
    if message["tool_calls"] is not None and not isinstance(message["tool_calls"], list):
        wrong("tool_calls", "must be a list")
        message["tool_calls"] = None
    if not isinstance(message["metadata"], dict):
        wrong("metadata", "must be an object")
    _check_content(message, at, wrong)
    for name in ("tool_calls", "metadata"):
        problem = _unkeepable(message[name]) if message[name] else None
        if problem is not None:
            wrong(name, problem)


def _check_content(message: dict[str, Any], at: str, wrong: Any) -> None:
    content = message["content"]
    if content is None:
        content = message["content"] = ""
    if not isinstance(content, str):
        wrong("content", "must be a text")
    elif not content and not message["tool_calls"] and message["type"] != COMPACTION:
        wrong("content", "may be empty only with tool_calls")
    else:
        limits.at_most_bytes(content, MAX_CONTENT_BYTES, what=f"the content of {at}")


def _unkeepable(value: Any) -> str | None:
    """Why a JSON value cannot be kept; None when it can."""
    if _deeper_than(value, MAX_DEPTH):
        return f"is nested deeper than {MAX_DEPTH} levels"
    try:
        size = len(json.dumps(value, allow_nan=False))
    except ValueError:
        return "holds a number that JSON has no form for"
    most = 4 * MAX_CONTENT_BYTES
    return f"is larger than {most:,} bytes of JSON" if size > most else None


def _deeper_than(value: Any, levels: int) -> bool:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_deeper_than(each, levels - 1) for each in below)


def _instant(value: Any, wrong: Any) -> datetime | None:
    if value is None:
        return None
    try:
        at = datetime.fromisoformat(value)
        if at.tzinfo is None:
            raise ValueError
        return at.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        wrong("created_at", "must be an RFC 3339 time with its offset")
        return None
