"""HoldfastConversationStore: Pydantic AI's ConversationStore on a store of Holdfast.

A record is the text `conversations/ID.json`, replaced by compare-and-set on its version; a message is the text
`messages/ENTRY.json`, which never changes. Both hold compressed JSON, so that recall, which searches every store, does not
find raw messages. What lists and deletions need without reading contents is in the metadata.
"""

import base64
import hashlib
import zlib
from collections.abc import Iterable, Sequence
from urllib.parse import quote, unquote

from pydantic import TypeAdapter
from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
    ConversationStore,
)

from holdfast_client.client import AsyncClient, Client
from holdfast_client.errors import Conflict, NotFound
from holdfast_client.flows import Flow
from holdfast_client.named_stores import list_all, open_store
from holdfast_client.running import run_on
from holdfast_client.scope import Scope
from holdfast_client.stores import calls
from holdfast_client.stores.model import StoreEntry

RECORDS, MESSAGES = "conversations/", "messages/"
_record = TypeAdapter(ConversationRecord)
_entry = TypeAdapter(ConversationEntry)


class HoldfastConversationStore(ConversationStore):
    """Conversations in one store of Holdfast, named `store` and made at the first use if there is none.

    A message has at most 75 KB as compressed JSON. A save writes its messages first and then the record, so a save that fails leaves the
    conversation as it was. Deleting a conversation deletes the messages that no other one uses; their versions stay until the
    store is deleted. A fork that is made while its source is being deleted may find its history gone.
    """

    def __init__(self, memory: Client | AsyncClient, *, store: str = "pydantic-ai") -> None:
        self._memory, self._name = memory, store
        self._store_id: str | None = None

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        """The record of a conversation; None if there is none."""
        found = await run_on(self._memory, _read(*await self._opened(), _path(conversation_id)))
        return None if found is None else _record.validate_json(_unpacked(found))

    async def read_records(
        self, *, scope: str | None = None, limit: int | None = None
    ) -> Sequence[ConversationRecord]:
        """The records, or those of a scope, last saved first."""
        opened = await self._opened()
        rows = await run_on(self._memory, list_all(*opened, RECORDS))
        if scope is not None:
            rows = [row for row in rows if row.metadata.get("scope") == _digest(scope)]
        rows.sort(key=lambda row: row.metadata["updated_at"], reverse=True)
        texts = await run_on(self._memory, _read_all(*opened, [row.path for row in rows[:limit]]))
        return [_record.validate_json(_unpacked(text)) for text in texts]

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        """Store the new messages, then the record, if the present record has this revision."""
        flow = _write(*await self._opened(), record, new_entries, expected_revision)
        await run_on(self._memory, flow)

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Delete a conversation and the messages that no other conversation uses."""
        flow = _delete(*await self._opened(), conversation_id, expected_revision)
        await run_on(self._memory, flow)

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        """One message; LookupError if there is none."""
        found = await run_on(self._memory, _read(*await self._opened(), _message_path(entry_id)))
        if found is None:
            raise LookupError(f"no message {entry_id!r} in the store {self._name!r}")
        return _entry.validate_json(_unpacked(found))

    async def _opened(self) -> tuple[Scope, str]:
        scope = self._memory._scope
        if self._store_id is None:
            flow = open_store(scope, self._name, "Conversations of Pydantic AI")
            self._store_id = await run_on(self._memory, flow)
        return scope, self._store_id


def _read(scope: Scope, store_id: str, path: str) -> Flow[StoreEntry | None]:
    try:
        found: StoreEntry = yield calls.read_entry_at(scope, store_id, path)
    except NotFound:
        return None
    return found


def _read_all(scope: Scope, store_id: str, paths: Iterable[str]) -> Flow[list[StoreEntry]]:
    """The texts at these paths that are still there."""
    found = []
    for path in paths:
        entry = yield from _read(scope, store_id, path)
        if entry is not None:
            found.append(entry)
    return found


def _write(
    scope: Scope,
    store_id: str,
    record: ConversationRecord,
    new_entries: Sequence[ConversationEntry],
    expected_revision: str | None,
) -> Flow[None]:
    path = _path(record.conversation_id)
    known = yield from _read(scope, store_id, path)
    if (known.metadata["revision"] if known else None) != expected_revision:
        raise ConversationConflict(record.conversation_id)
    if record.head_id is not None and record.head_id not in {entry.id for entry in new_entries}:
        head = yield from _read(scope, store_id, _message_path(record.head_id))
        if head is None:
            raise ConversationConflict(record.conversation_id)
    for entry in new_entries:
        text = _packed(_entry.dump_json(entry))
        parent = {"parent": entry.parent_id} if entry.parent_id else {}
        yield calls.create_entry(scope, store_id, _message_path(entry.id), text, metadata=parent)
    text, notes = _packed(_record.dump_json(record)), _metadata(record)
    try:
        if known is None:
            yield calls.create_entry(scope, store_id, path, text, metadata=notes)
        else:
            yield calls.update_entry(
                scope, store_id, known.id, text, version=known.version, metadata=notes
            )
    except (Conflict, NotFound):
        yield from _drop(scope, store_id, (entry.id for entry in new_entries))
        raise ConversationConflict(record.conversation_id) from None


def _delete(scope: Scope, store_id: str, conversation_id: str, revision: str) -> Flow[None]:
    known = yield from _read(scope, store_id, _path(conversation_id))
    if known is None or known.metadata["revision"] != revision:
        raise ConversationConflict(conversation_id)
    record = _record.validate_json(_unpacked(known))
    try:
        yield calls.delete_entry(scope, store_id, known.id, version=known.version)
    except (Conflict, NotFound):
        raise ConversationConflict(conversation_id) from None
    rows = yield from list_all(scope, store_id, MESSAGES)
    parents = {_id_of(row.path): row.metadata.get("parent") for row in rows}
    others = yield from list_all(scope, store_id, RECORDS)
    texts = yield from _read_all(scope, store_id, [row.path for row in others])
    kept: set[str] = set()
    for text in texts:
        kept |= _reached(_record.validate_json(_unpacked(text)), parents)
    yield from _drop(scope, store_id, sorted(_reached(record, parents) - kept))


def _reached(record: ConversationRecord, parents: dict[str, str | None]) -> set[str]:
    """The messages of a conversation's history and of the branches that it left."""
    found: set[str] = set()
    for tip in (record.head_id, *record.branches):
        entry = tip
        while entry is not None and entry in parents and entry not in found:
            found.add(entry)
            entry = parents[entry]
    return found


def _drop(scope: Scope, store_id: str, entry_ids: Iterable[str]) -> Flow[None]:
    for entry_id in entry_ids:
        found = yield from _read(scope, store_id, _message_path(entry_id))
        if found is not None:
            try:
                yield calls.delete_entry(scope, store_id, found.id)
            except NotFound:
                continue


def _metadata(record: ConversationRecord) -> dict[str, str]:
    notes = {"revision": record.revision, "updated_at": record.updated_at.isoformat()}
    return notes if record.scope is None else {**notes, "scope": _digest(record.scope)}


def _path(conversation_id: str) -> str:
    return f"{RECORDS}{_encoded(conversation_id)}.json"


def _message_path(entry_id: str) -> str:
    return f"{MESSAGES}{_encoded(entry_id)}.json"


def _encoded(name: str) -> str:
    return quote(name, safe="").replace(".", "%2E")


def _id_of(path: str) -> str:
    return unquote(path.removeprefix(MESSAGES).removesuffix(".json"))


def _packed(text: bytes) -> str:
    return base64.b64encode(zlib.compress(text)).decode()


def _unpacked(entry: StoreEntry) -> bytes:
    return zlib.decompress(base64.b64decode(entry.content or ""))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
