"""An entry as a markdown page that people can read and change: front matter, then the content, byte for byte.

The front matter is YAML: one mapping of texts, and of lists of texts for `tags`. Aliases, nested values and fields that are
there twice are refused; a number or a date is read as the text that it is written as.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NoReturn

import yaml
from pydantic import TypeAdapter, ValidationError

from holdfast.entries.model import MAX_TAGS, Entry, NewEntry
from holdfast.kernel import limits
from holdfast.kernel.clock import Instant, rfc3339
from holdfast.kernel.errors import Invalid

MEDIA_TYPE = "text/markdown"
# Enough for the largest key, category and tags with every byte escaped.
MAX_FRONT_MATTER_BYTES = 16 * 1024

_plain = re.compile(r"[A-Za-z][A-Za-z0-9_./@-]*")
# What YAML would read as something else than text.
_words = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
_not_printable = re.compile("[\x7f-\xa0\xad\u2028-\u2029\ufeff\ufffe-\uffff]")
_front_matter = re.compile(r"---\r?\n(?P<fields>.*?)(?<=\n)---\r?(?:\n|\Z)", re.DOTALL)
_instant: TypeAdapter[datetime] = TypeAdapter(Instant)

REQUIRED = ("agent_id", "key", "category")
OPTIONAL = ("user_id", "tags", "created_at", "updated_at")


@dataclass(frozen=True, slots=True)
class Page:
    """What a markdown page says: the agent, the user of an entry with scope `user`, the entry, and when it was stored."""

    agent_id: str
    user_id: str | None
    entry: NewEntry
    created_at: datetime | None
    updated_at: datetime | None


def write(entry: Entry) -> str:
    """The page of an entry."""
    tags = ", ".join(_scalar(tag, in_list=True) for tag in entry.tags)
    user = "" if entry.user_id is None else f"user_id: {_scalar(entry.user_id)}\n"
    return (
        "---\n"
        f"agent_id: {_scalar(entry.agent_id)}\n"
        f"{user}"
        f"key: {_scalar(entry.key)}\n"
        f"category: {_scalar(entry.category)}\n"
        f"tags: [{tags}]\n"
        f"created_at: {rfc3339(entry.created_at)}\n"
        f"updated_at: {rfc3339(entry.updated_at)}\n"
        "---\n"
        f"{entry.content}"
    )


def read(text: str) -> Page:
    """What a page says; Invalid when it is no page of an entry."""
    found = _front_matter.match(text)
    if found is None:
        raise Invalid("there is no front matter between two lines `---`")
    fields = _fields(found["fields"])
    user_id = _text(fields, "user_id") if "user_id" in fields else None
    entry = NewEntry(
        key=_text(fields, "key"),
        content=text[found.end() :],
        category=_text(fields, "category"),
        tags=_tags(fields),
        scope="agent" if user_id is None else "user",
    )
    return Page(
        agent_id=_text(fields, "agent_id"),
        user_id=user_id,
        entry=entry,
        created_at=_time(fields, "created_at"),
        updated_at=_time(fields, "updated_at"),
    )


def _scalar(text: str, *, in_list: bool = False) -> str:
    if _plain.fullmatch(text) and text.lower() not in _words and not in_list:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _not_printable.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


# --- the front matter ------------------------------------------------------------------------------------------------

Fields = dict[str, str | list[str]]


def _fields(front_matter: str) -> Fields:
    """Each field by its name; a field twice, unknown or missing is refused."""
    limits.at_most_bytes(front_matter, MAX_FRONT_MATTER_BYTES, what="the front matter")
    fields: Fields = {}
    try:
        events = _events(front_matter)
        if not isinstance(next(events, None), yaml.MappingStartEvent):
            raise Invalid("the front matter is no list of fields such as `key: likes`")
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            name = _scalar_of(event)
            if name in fields or name not in REQUIRED + OPTIONAL:
                raise Invalid(f"the front matter has {name[:80]!r} twice, or should not have it")
            fields[name] = _value(next(events), events)
        if next(events, None) is not None:
            raise Invalid("the front matter goes on after its fields")
    except yaml.YAMLError as error:
        raise Invalid(f"the front matter is not YAML: {_reason(error)}") from None
    missing = [name for name in REQUIRED if name not in fields]
    if missing:
        raise Invalid(f"the front matter lacks {missing[0]!r}")
    return fields


def _events(text: str) -> Iterator[yaml.Event]:
    """What the YAML parser finds, one by one: a hostile depth is refused before it is walked."""
    frame = (
        yaml.StreamStartEvent, yaml.StreamEndEvent, yaml.DocumentStartEvent, yaml.DocumentEndEvent,
    )  # fmt: skip
    return (e for e in yaml.parse(text, Loader=yaml.BaseLoader) if not isinstance(e, frame))


def _value(event: yaml.Event, events: Iterator[yaml.Event]) -> str | list[str]:
    if not isinstance(event, yaml.SequenceStartEvent):
        return _scalar_of(event)
    values: list[str] = []
    while not isinstance(event := next(events), yaml.SequenceEndEvent):
        values.append(_scalar_of(event))
        limits.at_most(len(values), MAX_TAGS, what="tags")
    return values


def _scalar_of(event: yaml.Event) -> str:
    if not isinstance(event, yaml.ScalarEvent):
        _refuse("a value that is neither a text nor a list of texts")
    return str(event.value)


def _refuse(what: str) -> NoReturn:
    raise Invalid(f"the front matter has {what}")


def _reason(error: yaml.YAMLError) -> str:
    """Why and where, without the text around it."""
    mark = getattr(error, "problem_mark", None)
    line = "" if mark is None else f" in its line {mark.line + 1}"
    return (
        f"{getattr(error, 'problem', None) or 'it has a character that YAML does not allow'}{line}"
    )


def _text(fields: Fields, name: str) -> str:
    value = fields[name]
    if not isinstance(value, str):
        raise Invalid.field(name, "is not text")
    return value


def _tags(fields: Fields) -> list[str]:
    tags = fields.get("tags") or []
    if not isinstance(tags, list):
        raise Invalid.field("tags", "is not a list of texts")
    return tags


def _time(fields: Fields, name: str) -> datetime | None:
    if not fields.get(name):
        return None
    try:
        return _instant.validate_python(fields[name])
    except ValidationError:
        raise Invalid.field(name, "is not a time such as 2026-01-31T12:00:00Z") from None
