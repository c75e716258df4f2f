"""CrewAI's memory on a store of Holdfast: `pip install 'holdfast-client[crewai]'`.

from crewai import Crew
from holdfast_client import Client
from holdfast_client.crewai import HoldfastMemory

crew = Crew(agents=…, tasks=…, memory=HoldfastMemory(Client(), llm=llm))
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar
from urllib.parse import quote, unquote
from uuid import uuid4

from crewai.memory.types import MemoryMatch, MemoryRecord, ScopeInfo
from crewai.memory.unified_memory import Memory
from crewai.memory.utils import join_scope_paths, normalize_scope_path

from holdfast_client.client import Client
from holdfast_client.errors import Conflict, NotFound
from holdfast_client.flows import Flow, run
from holdfast_client.named_stores import list_all, open_store
from holdfast_client.scope import Scope
from holdfast_client.stores import calls
from holdfast_client.stores.model import StoreEntry

T = TypeVar("T")
MARK = "\n---\n"
SUFFIX = ".json"
MAX_RECALLED = 100
DETAILS = ("categories", "metadata", "importance", "created_at", "source", "private")


class HoldfastMemory(Memory):
    """CrewAI's `Memory` whose records are entries of one store of Holdfast, named `store`; made at the first use.

    Holdfast embeds and ranks the texts itself: remembering and recalling call neither an embedder nor an LLM. A record goes to
    the scope that is given, else to the root scope; categories and importance are not inferred. Only `extract_memories`, with
    which CrewAI takes facts from the output of a task, asks `llm`. A recall looks at the 100 best records of the store.
    """

    def __init__(self, memory: Client, *, store: str = "crewai", **options: Any) -> None:
        super().__init__(storage=Records(memory, store), embedder=_no_vectors, **options)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> "HoldfastMemory":
        """A copy of a crew has a memory of its own settings on the same store."""
        copied: HoldfastMemory = self.model_copy()
        return copied

    @property
    def _records(self) -> "Records":
        records: Records = self._storage
        return records

    def remember(
        self,
        content: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,  # noqa: ARG002  # CrewAI's signature
        root_scope: str | None = None,
    ) -> MemoryRecord | None:
        """Save a text; None if this memory is read-only."""
        if self.read_only:
            return None
        root = self.root_scope if root_scope is None else root_scope
        record = MemoryRecord(
            content=content,
            scope=join_scope_paths(root, scope),
            categories=categories or [],
            metadata=metadata or {},
            importance=self.default_importance if importance is None else importance,
            source=source,
            private=private,
        )
        return self._records.add(record)

    def remember_many(self, contents: list[str], *where: Any, **options: Any) -> list[MemoryRecord]:
        """Save several texts, with the same arguments as `remember`; when it returns they are stored."""
        saved = [self.remember(content, *where, **options) for content in contents]
        return [record for record in saved if record is not None]

    def recall(
        self,
        query: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        depth: Literal["shallow", "deep"] = "deep",  # noqa: ARG002  # one depth: Holdfast's recall
        source: str | None = None,
        include_private: bool = False,
    ) -> list[MemoryMatch]:
        """The records that fit the query, best first; a private one only for its own `source`."""
        if not query.strip():
            return []
        where = join_scope_paths(self.root_scope, scope)
        found = [
            match
            for match in self._records.recall(query)
            if _fits(match.record, where, categories, None)
            and (include_private or not match.record.private or _is_from(match.record, source))
        ]
        return found[:limit]

    def update(
        self,
        record_id: str,
        content: str | None = None,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
    ) -> MemoryRecord:
        """Change what is given; ValueError if there is no such record."""
        changes = {
            "content": content,
            "scope": None if scope is None else normalize_scope_path(scope),
            "categories": categories,
            "metadata": metadata,
            "importance": importance,
        }
        given = {name: value for name, value in changes.items() if value is not None}
        found = self._records.get_record(record_id)
        if found is None:
            raise ValueError(f"Record not found: {record_id}")
        return found if self.read_only else self._records.change(record_id, given)


class Records:
    """The records of a store, with the methods of CrewAI's storage that need no vector; a record's id is its entry's."""

    def __init__(self, memory: Client, name: str) -> None:
        self._memory, self._name = memory, name
        self._store_id: str | None = None

    def add(self, record: MemoryRecord) -> MemoryRecord:
        """Store a new record; as it is, with its id."""
        path = f"{_folder(record.scope)}{uuid4().hex}{SUFFIX}"
        entry: StoreEntry = self._do(_one(calls.create_entry, path, _content(record)))
        return record.model_copy(update={"id": entry.id})

    def recall(self, query: str) -> list[MemoryMatch]:
        """The best records for a query."""
        found = self._do(_one(calls.recall_entries, query[:4000], limit=MAX_RECALLED))
        return [
            MemoryMatch(record=_record(hit.object), score=hit.score, match_reasons=hit.matched.arms)
            for hit in found.data
        ]

    def change(self, record_id: str, changes: Mapping[str, Any]) -> MemoryRecord:
        """Change fields of a record; repeated until nobody is in between."""
        return self._do(lambda scope, store: _change(scope, store, record_id, changes))

    def save(self, records: Sequence[MemoryRecord]) -> None:
        """Store new records."""
        for record in records:
            self.add(record)

    def update(self, record: MemoryRecord) -> None:
        """Replace the record with this id."""
        self.change(
            record.id, {name: getattr(record, name) for name in ("content", "scope", *DETAILS)}
        )

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """One record; None if there is none."""
        try:
            return _record(self._do(_one(calls.read_entry, record_id)))
        except NotFound:
            return None

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Delete the records that meet every condition given; how many. Their versions stay until the store is deleted."""
        chosen = [
            record
            for record in self._all(scope_prefix)
            if (record_ids is None or record.id in record_ids)
            and (older_than is None or record.created_at < _naive(older_than))
            and _fits(record, "/", categories, metadata_filter)
        ]
        for record in chosen:
            try:
                self._do(_one(calls.delete_entry, record.id))
            except NotFound:
                continue  # deleted meanwhile
        return len(chosen)

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Records of a scope and those below it, newest first."""
        found = sorted(self._all(scope_prefix), key=lambda each: each.created_at, reverse=True)
        return found[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """How many records a scope and those below it have, from when, in which categories."""
        where = normalize_scope_path(scope)
        found = self._all(where)
        times = [record.created_at for record in found]
        return ScopeInfo(
            path=where,
            record_count=len(found),
            categories=sorted({name for record in found for name in record.categories}),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=_children(where, [record.scope for record in found]),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """The scopes directly below one."""
        where = normalize_scope_path(parent)
        rows: list[StoreEntry] = self._do(
            lambda s, store: list_all(s, store, _folder(where) or None)
        )
        return _children(where, [_scope_of(row.path) for row in rows])

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """How many records each category has."""
        counts: dict[str, int] = {}
        for record in self._all(scope_prefix):
            for name in record.categories:
                counts[name] = counts.get(name, 0) + 1
        return counts

    def count(self, scope_prefix: str | None = None) -> int:
        """How many records a scope and those below it have."""
        prefix = _folder(scope_prefix or "/") or None
        return len(self._do(lambda scope, store: list_all(scope, store, prefix)))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Delete the records of a scope and of those below it, or all."""
        self.delete(scope_prefix)

    def _all(self, scope_prefix: str | None) -> list[MemoryRecord]:
        prefix = _folder(scope_prefix or "/") or None
        return self._do(lambda scope, store: _read_below(scope, store, prefix))

    def _do(self, flow: Callable[[Scope, str], Flow[T]]) -> T:
        scope = self._memory._scope
        if self._store_id is None:
            opening = open_store(scope, self._name, "Memory of CrewAI")
            self._store_id = run(opening, self._memory.send)
        return run(flow(scope, self._store_id), self._memory.send)


def _one(
    build: Callable[..., Any], *args: Any, **options: Any
) -> Callable[[Scope, str], Flow[Any]]:
    """A flow of one call."""

    def flow(scope: Scope, store_id: str) -> Flow[Any]:
        return (yield build(scope, store_id, *args, **options))

    return flow


def _read_below(scope: Scope, store_id: str, prefix: str | None) -> Flow[list[MemoryRecord]]:
    rows = yield from list_all(scope, store_id, prefix)
    found = []
    for row in rows:
        try:
            found.append(_record((yield calls.read_entry(scope, store_id, row.id))))
        except NotFound:
            continue  # deleted meanwhile
    return found


def _change(
    scope: Scope, store_id: str, record_id: str, changes: Mapping[str, Any]
) -> Flow[MemoryRecord]:
    while True:
        entry: StoreEntry = yield calls.read_entry(scope, store_id, record_id)
        record = _record(entry).model_copy(update=dict(changes))
        path = f"{_folder(record.scope)}{entry.path.rpartition('/')[2]}"
        try:
            yield calls.update_entry(
                scope, store_id, entry.id, _content(record), version=entry.version, path=path
            )
            return record
        except Conflict:
            continue


def _content(record: MemoryRecord) -> str:
    """The text to search, then the other fields as one line of JSON."""
    details = record.model_dump(mode="json", include=set(DETAILS))
    return f"{record.content}{MARK}{json.dumps(details, ensure_ascii=False)}"


def _record(entry: StoreEntry) -> MemoryRecord:
    text, _, details = (entry.content or "").rpartition(MARK)
    return MemoryRecord(
        id=entry.id,
        content=text,
        scope=_scope_of(entry.path),
        last_accessed=_naive(entry.updated_at),
        **json.loads(details),
    )


def _fits(
    record: MemoryRecord,
    scope: str,
    categories: Sequence[str] | None,
    metadata: Mapping[str, Any] | None,
) -> bool:
    return (
        (scope == "/" or f"{record.scope}/".startswith(f"{scope}/"))
        and (not categories or bool({*categories} & {*record.categories}))
        and all(record.metadata.get(name) == value for name, value in (metadata or {}).items())
    )


def _is_from(record: MemoryRecord, source: str | None) -> bool:
    """Whether the caller named the source that the record came from; a record without one is nobody's."""
    return source is not None and record.source == source


def _children(parent: str, scopes: Sequence[str]) -> list[str]:
    prefix = parent.rstrip("/") + "/"
    below = {scope[len(prefix) :].split("/")[0] for scope in scopes if scope.startswith(prefix)}
    return sorted(prefix + name for name in below if name)


def _folder(scope: str) -> str:
    labels = normalize_scope_path(scope).strip("/").split("/")
    return "".join(f"{quote(label, safe='').replace('.', '%2E')}/" for label in labels if label)


def _scope_of(path: str) -> str:
    return "/" + "/".join(map(unquote, path.split("/")[:-1]))


def _naive(at: datetime) -> datetime:
    """CrewAI's times are UTC without a zone."""
    return at.astimezone(UTC).replace(tzinfo=None) if at.tzinfo else at


def _no_vectors(texts: Sequence[str]) -> list[list[float]]:
    return [[] for _ in texts]
