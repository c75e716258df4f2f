"""An item of LangGraph as an entry of a store: where it is kept, and as which text.

The path is `label/label/key.json`, each part percent-encoded with its dots, so that no item lies above another. The content
has the texts to search first, then a line `---`, then the value as JSON. Expiry, and that an item is not searched, are in the
metadata, as are the paths that a put names to be searched.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, unquote

from langgraph.store.base import Item, PutOp, get_text_at_path

from holdfast_client.stores.model import StoreEntry

SUFFIX = ".json"
MARK = "\n---\n"
EXPIRES, TTL = "expires_at", "ttl_minutes"
NOT_INDEXED = {"indexed": "no"}
INDEX = "index"
MAX_METADATA_CHARS = 512


def path_of(namespace: Sequence[str], key: str) -> str:
    """The path of an item."""
    return "/".join([*map(_encoded, namespace), _encoded(key) + SUFFIX])


def prefix_of(namespace: Sequence[str]) -> str | None:
    """The path prefix of all items below a namespace; None for all items."""
    return "".join(f"{_encoded(label)}/" for label in namespace) or None


def names_of(path: str) -> tuple[tuple[str, ...], str]:
    """Namespace and key of a path."""
    *labels, last = path.split("/")
    return tuple(map(unquote, labels)), unquote(last.removesuffix(SUFFIX))


def content_of(op: PutOp, fields: Sequence[str]) -> str:
    """The text of an entry; `fields` are searched unless the operation names others."""
    texts: list[str] = []
    if op.index is not False:
        for path in op.index or fields:
            texts += get_text_at_path(op.value, path)
    return "\n\n".join(texts) + MARK + json.dumps(op.value, ensure_ascii=False)


def index_of(op: PutOp) -> dict[str, str]:
    """The metadata that says which paths a put wants searched; none if it leaves that to the store."""
    if not op.index:
        return {}
    paths = json.dumps(op.index, ensure_ascii=False)
    if len(paths) > MAX_METADATA_CHARS:
        raise ValueError(f"index: the paths have more than {MAX_METADATA_CHARS} characters")
    return {INDEX: paths}


def texts_of(entry: StoreEntry, fields: Sequence[str]) -> list[str]:
    """The searched texts of an entry with its content, one by one."""
    paths = json.loads(entry.metadata[INDEX]) if INDEX in entry.metadata else fields
    value = value_of(entry.content or "")
    return [text for path in paths for text in get_text_at_path(value, path)]


def value_of(content: str) -> dict[str, Any]:
    """The value of an item; JSON has no line that is `---`, so the last mark is ours."""
    value: dict[str, Any] = json.loads(content.rpartition(MARK)[2])
    return value


def is_searched(content: str) -> bool:
    """Whether the item has texts to search."""
    return not content.startswith(MARK)


def is_indexed(entry: StoreEntry) -> bool:
    """As `is_searched`, of an entry without its content."""
    return not NOT_INDEXED.items() <= entry.metadata.items()


@dataclass(frozen=True, slots=True)
class Expiry:
    """When an item expires, and after how many minutes it does."""

    ttl: float
    at: datetime

    @classmethod
    def after(cls, minutes: float) -> "Expiry":
        """From now on."""
        return cls(minutes, datetime.now(UTC) + timedelta(minutes=minutes))

    @classmethod
    def of(cls, metadata: Mapping[str, str]) -> "Expiry | None":
        """The expiry of an entry."""
        if EXPIRES not in metadata:
            return None
        return cls(float(metadata[TTL]), datetime.fromisoformat(metadata[EXPIRES]))

    @property
    def metadata(self) -> dict[str, str]:
        """As the entry keeps it."""
        return {EXPIRES: self.at.isoformat(), TTL: str(self.ttl)}


def is_expired(entry: StoreEntry) -> bool:
    """Whether an entry's time is over."""
    expiry = Expiry.of(entry.metadata)
    return expiry is not None and expiry.at <= datetime.now(UTC)


def item_of(entry: StoreEntry) -> Item:
    """An entry with its content as an item."""
    namespace, key = names_of(entry.path)
    return Item(
        value=value_of(entry.content or ""),
        key=key,
        namespace=namespace,
        created_at=entry.created_at,
        updated_at=entry.updated_at,
    )


def _encoded(part: str) -> str:
    return quote(part, safe="").replace(".", "%2E")
