"""An entry as a markdown page that people can read and change: front matter, then the content, byte for byte.

The front matter is YAML that any reader of YAML takes. A plain name stands as it is; anything else is a double-quoted
string with escapes, so that no value ever spans two lines or reads as something other than text. What is read back is
the part of YAML that people write there (plain, quoted, a list in brackets or of dashes), and every value is text:
a whole YAML has tags, anchors and depths that an archive from outside should not reach.
"""

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import NoReturn

from pydantic import TypeAdapter, ValidationError

from holdfast.entries.model import MAX_TAGS, Entry, NewEntry
from holdfast.kernel import limits
from holdfast.kernel.clock import Instant, rfc3339
from holdfast.kernel.errors import Invalid

MEDIA_TYPE = "text/markdown"

_plain = re.compile(r"[A-Za-z][A-Za-z0-9_./@-]*")
# What YAML would read as something else than text.
_words = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
_not_printable = re.compile("[\x7f-\xa0\xad\u2028-\u2029\ufeff\ufffe-\uffff]")
_front_matter = re.compile(r"---\r?\n(?P<fields>.*?)(?<=\n)---\r?(?:\n|\Z)", re.DOTALL)
_line = re.compile(r"(?P<name>[a-z_]+):(?:[ \t]+(?P<value>.*))?")
_item = re.compile(r"[ \t]*-[ \t]+(?P<value>.*)")
_single_quoted = re.compile(r"'(?P<text>(?:[^']|'')*)'")
_plain_in_list = re.compile(r"[^,\[\]{}]*")
_comment = re.compile(r"(?:^|[ \t]+)#.*")
_json = json.JSONDecoder(strict=False)
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


# --- the front matter ------------------------------------------------------------------------------------------------

Fields = dict[str, str | list[str]]


def _fields(front_matter: str) -> Fields:
    """Each field by its name; a field twice, unknown or missing is refused."""
    fields: Fields = {}
    name = ""
    for line in front_matter.split("\n"):
        line = line.rstrip("\r")
        found, item = _line.fullmatch(line), _item.fullmatch(line)
        if found:
            name = found["name"]
            if name in fields or name not in REQUIRED + OPTIONAL:
                raise Invalid(f"the front matter has {name!r} twice, or should not have it")
            fields[name] = _value(found["value"] or "")
        elif item and name == "tags" and not (isinstance(fields[name], str) and fields[name]):
            fields[name] = [*fields[name], _whole_scalar(item["value"])]
            limits.at_most(len(fields[name]), MAX_TAGS, what="tags")
        elif _comment.sub("", line).strip():
            raise Invalid(f"the front matter has a line that is no field: {line[:80]!r}")
    missing = [name for name in REQUIRED if name not in fields]
    if missing:
        raise Invalid(f"the front matter lacks {missing[0]!r}")
    return fields


def _value(text: str) -> str | list[str]:
    if not text.startswith("["):
        return _whole_scalar(text)
    values: list[str] = []
    rest = text[1:].lstrip()
    while not rest.startswith("]"):
        limits.at_most(len(values), MAX_TAGS, what="tags")
        value, rest = _scalar_at(rest)
        values.append(value)
        rest = rest.lstrip()
        if rest.startswith(","):
            rest = rest[1:].lstrip()
        elif not rest.startswith("]"):
            _refuse(text)
    return values if not _comment.sub("", rest[1:]).strip() else _refuse(text)


def _whole_scalar(text: str) -> str:
    """A value that fills its line, but for a comment."""
    if text[:1] not in ("'", '"'):
        text = _comment.sub("", text).strip()
        return _refuse(text) if text[:1] in tuple("{}]&*!|>%@`,") and text else text
    value, rest = _scalar_at(text)
    return value if not _comment.sub("", rest).strip() else _refuse(text)


def _scalar_at(text: str) -> tuple[str, str]:
    """The value at the start of a text, and what follows it."""
    if text.startswith('"'):
        try:
            value, end = _json.raw_decode(text)
        except ValueError:
            return _refuse(text)
        return str(value), text[end:]
    if text.startswith("'"):
        quoted = _single_quoted.match(text)
        if quoted is None:
            return _refuse(text)
        return quoted["text"].replace("''", "'"), text[quoted.end() :]
    found = _plain_in_list.match(text)
    if found is None or not found[0].strip():
        return _refuse(text)
    return found[0].strip(), text[found.end() :]


def _refuse(text: str) -> NoReturn:
    raise Invalid(f"the front matter has a value that is not read here: {text[:80]!r}; quote it")


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
