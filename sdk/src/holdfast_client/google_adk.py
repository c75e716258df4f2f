"""Google ADK's memory service on Holdfast: `pip install 'holdfast-client[google-adk]'`.

from google.adk.runners import Runner
from google.adk.tools import load_memory
from holdfast_client import AsyncClient
from holdfast_client.google_adk import HoldfastMemoryService

runner = Runner(agent=agent, app_name="tea", session_service=sessions, memory_service=HoldfastMemoryService(AsyncClient()))
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai.types import Content, Part

from holdfast_client.client import AsyncClient, Client
from holdfast_client.errors import Invalid, NotFound
from holdfast_client.flows import Flow
from holdfast_client.memories import calls
from holdfast_client.memories.model import Batch, NewMemory, RecalledMemory
from holdfast_client.running import run_on
from holdfast_client.scope import Scope
from holdfast_client.unified_recall.calls import key_of

if TYPE_CHECKING:
    from google.adk.events.event import Event
    from google.adk.sessions.session import Session

MAX_CHARS = 8000
MAX_BATCH = 1000
MAX_LABEL_CHARS = 64
PAGE = 100
_SESSION = re.compile(r"[A-Za-z0-9_.@-]+")


class HoldfastMemoryService(BaseMemoryService):
    """What users and agents said, as memories of ADK's user, one for each event with text; found by word and by meaning.

    `memory` needs a service key, since ADK names the user of each call. A search finds the memories of its app, or with
    `all_apps` whatever the user has in memory, from other apps and interfaces too. Adding a session again adds only its new
    events, and never one that was deleted.
    """

    def __init__(
        self, memory: Client | AsyncClient, *, limit: int = 10, all_apps: bool = False
    ) -> None:
        self._memory, self._limit, self._all_apps = memory, limit, all_apps

    async def add_session_to_memory(self, session: "Session") -> None:
        """Save the events of a session that are not saved yet."""
        await self._add(session.app_name, session.user_id, session.id, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: "Sequence[Event]",
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Save these events; `custom_metadata` becomes tags, `name=value`."""
        await self._add(app_name, user_id, session_id or "", events, custom_metadata)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Save these texts as they are; the same text is saved once."""
        scope, app = self._scope(user_id), _label(f"adk:{app_name}")
        rows: list[NewMemory] = []
        for entry in memories:
            at = datetime.fromisoformat(entry.timestamp) if entry.timestamp else None
            tags = [app, *_tags(custom_metadata), *_tags(entry.custom_metadata)]
            rows += _rows(_text(entry.content), entry.author, at, tags, key=None)
        await run_on(self._memory, _save(scope, rows))

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """The memories that fit the query, best first; none for a blank query."""
        if not query.strip():
            return SearchMemoryResponse()
        scope, app = self._scope(user_id), _label(f"adk:{app_name}")
        narrowed: Any = {} if self._all_apps else {"tag": app}

        def search() -> Flow[list[RecalledMemory]]:
            found = yield calls.recall_memories(scope, query[:4000], limit=self._limit, **narrowed)
            return list(found.data)

        found = await run_on(self._memory, search())
        return SearchMemoryResponse(memories=[_entry(memory) for memory in found])

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """End the validity of a memory of this app and user; one that is not there is no error. Its history stays."""
        if memory_id:
            flow = _retire(self._scope(user_id), _label(f"adk:{app_name}"), memory_id)
            await run_on(self._memory, flow)

    async def _add(
        self,
        app_name: str,
        user_id: str,
        session: str,
        events: "Sequence[Event]",
        metadata: Mapping[str, object] | None = None,
    ) -> None:
        scope = self._scope(user_id, _session_id(app_name, user_id, session))
        tags = [_label(f"adk:{app_name}"), *_tags(metadata)]
        rows: list[NewMemory] = []
        for event in events:
            at = datetime.fromtimestamp(event.timestamp, UTC)
            key = _label(f"adk:{scope.session}:{event.id}", 240)
            rows += _rows(_text(event.content), event.author, at, tags, key=key)
        await run_on(self._memory, _save_new(scope, rows))

    def _scope(self, user_id: str, session: str | None = None) -> Scope:
        return self._memory._scope.narrowed(user=user_id, session=session)


def _save_new(scope: Scope, rows: Sequence[NewMemory]) -> Flow[None]:
    """Save the rows whose keys the session has not, among its retired memories too."""
    known: set[str] = set()
    after: str | None = None
    while rows:
        try:
            page = yield calls.list_memories(
                scope, limit=PAGE, after_id=after, include_expired=True
            )
        except NotFound:
            break  # a session that has nothing yet
        known |= {memory.key for memory in page.data}
        if not page.has_more:
            break
        after = page.last_id
    yield from _save(scope, [row for row in rows if row["key"] not in known])


def _save(scope: Scope, rows: Sequence[NewMemory]) -> Flow[None]:
    for start in range(0, len(rows), MAX_BATCH):
        done: Batch = yield calls.save_batch(scope, rows[start : start + MAX_BATCH])
        for result in done.results:
            if result.status != "stored":
                raise Invalid(f"{result.key}: {(result.error or {}).get('detail', result.status)}")


def _retire(scope: Scope, app: str, memory_id: str) -> Flow[None]:
    try:
        memory = yield calls.read_memory(scope, memory_id)
        if app in memory.tags:
            yield calls.retire_memory(scope, memory_id)
    except NotFound:
        return


def _rows(
    text: str, author: str | None, at: datetime | None, tags: Sequence[str], *, key: str | None
) -> Iterable[NewMemory]:
    """A text as memories of at most 8,000 characters; none without text."""
    parts = [text[start : start + MAX_CHARS] for start in range(0, len(text), MAX_CHARS)]
    for number, part in enumerate(parts):
        if not part.strip():
            continue
        row: NewMemory = {
            "key": key_of(part) if key is None else f"{key}#{number}" if number else key,
            "value": part,
            "category": "conversation",
            "tags": list(tags),
            "trust": "user" if author == "user" else "assistant",
        }
        if author:
            row["source"] = _label(author)
        if at is not None:
            row["valid_from"] = at if at.tzinfo else at.replace(tzinfo=UTC)
        yield row


def _entry(memory: RecalledMemory) -> MemoryEntry:
    said = memory.valid_from or memory.created_at
    role = "user" if memory.source in ("user", "manual") else "model"
    return MemoryEntry(
        id=memory.id,
        content=Content(role=role, parts=[Part(text=memory.value)]),
        author=memory.source,
        timestamp=said.isoformat(),
    )


def _text(content: Content | None) -> str:
    parts = content.parts if content else None
    return "\n".join(part.text for part in parts or [] if part.text and not part.thought)


def _tags(metadata: Mapping[str, object] | None) -> list[str]:
    return [_label(f"{name}={value}") for name, value in (metadata or {}).items()]


def _session_id(app_name: str, user_id: str, session: str) -> str:
    """One name for app, user and session: ADK's session ids are unique only within the other two."""
    parts = (app_name, user_id, session or "-")
    joined = ":".join(("adk", *parts))
    if len(joined) <= 128 and all(_SESSION.fullmatch(part) for part in parts):
        return joined
    return f"adk:{hashlib.sha256(repr(parts).encode()).hexdigest()}"


def _label(text: str, most: int = MAX_LABEL_CHARS) -> str:
    """A text that fits; a longer one ends in its digest, so that two do not become the same."""
    if len(text) <= most:
        return text
    return f"{text[: most - 17]}~{hashlib.sha256(text.encode()).hexdigest()[:16]}"
