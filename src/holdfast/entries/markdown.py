"""An entry as a markdown page that people can read and change: front matter, then the content, byte for byte.

The front matter is YAML. A plain name stands as it is; anything else is a double-quoted string with escapes, so that no
value ever spans two lines or reads as something other than text.
"""

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from holdfast.entries.model import Entry, NewEntry
from holdfast.kernel.clock import Instant, rfc3339
from holdfast.kernel.errors import Invalid

MEDIA_TYPE = "text/markdown"

_plain = re.compile(r"[A-Za-z][A-Za-z0-9_./@-]*")
# What YAML would read as something else than text.
_words = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
_not_printable = re.compile("[\x7f-\xa0\xad\u2028-\u2029\ufeff\ufffe-\uffff]")
_front_matter = re.compile(r"---\r?\n(?P<fields>.*?)(?<=\n)---\r?(?:\n|\Z)", re.DOTALL)
_instant: TypeAdapter[datetime] = TypeAdapter(Instant)

REQUIRED = ("agent_id", "key", "category")
OPTIONAL = ("tags", "created_at", "updated_at")


@dataclass(frozen=True, slots=True)
class Page:
    """What a markdown page says: whose, what, and when it was stored."""

    agent_id: str
    entry: NewEntry
    created_at: datetime | None
    updated_at: datetime | None


def write(entry: Entry) -> str:
    """The page of an entry."""
    tags = ", ".join(_scalar(tag, in_list=True) for tag in entry.tags)
    return (
        "---\n"
        f"agent_id: {_scalar(entry.agent_id)}\n"
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
    entry = NewEntry(
        key=_text(fields, "key"),
        content=text[found.end() :],
        category=_text(fields, "category"),
        tags=_tags(fields),
    )
    return Page(
        agent_id=_text(fields, "agent_id"),
        entry=entry,
        created_at=_time(fields, "created_at"),
        updated_at=_time(fields, "updated_at"),
    )


def _scalar(text: str, *, in_list: bool = False) -> str:
    if _plain.fullmatch(text) and text.lower() not in _words and not in_list:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _not_printable.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _fields(front_matter: str) -> dict[str, Any]:
    try:
        # BaseLoader makes text of every scalar and knows no tags: `key: 007` stays "007".
        fields = yaml.load(front_matter, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError):
        raise Invalid("the front matter is not YAML") from None
    if not isinstance(fields, dict):
        raise Invalid("the front matter has no fields")
    unknown = [name for name in fields if name not in REQUIRED + OPTIONAL]
    missing = [name for name in REQUIRED if name not in fields]
    if unknown or missing:
        what = f"does not know {unknown[0]!r}" if unknown else f"lacks {missing[0]!r}"
        raise Invalid(f"the front matter {what}")
    return fields


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields[name]
    if not isinstance(value, str):
        raise Invalid.field(name, "is not text")
    return value


def _tags(fields: dict[str, Any]) -> list[str]:
    tags = fields.get("tags") or []
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise Invalid.field("tags", "is not a list of texts")
    return list(tags)


def _time(fields: dict[str, Any], name: str) -> datetime | None:
    if not fields.get(name):
        return None
    try:
        return _instant.validate_python(fields[name])
    except ValidationError:
        raise Invalid.field(name, "is not a time such as 2026-01-31T12:00:00Z") from None
