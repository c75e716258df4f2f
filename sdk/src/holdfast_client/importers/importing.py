"""Writes the pieces of an export. Each piece has the same key, id or path every time, so a second run adds nothing."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from holdfast_client.client import Client
from holdfast_client.errors import HoldfastError, NotFound
from holdfast_client.flows import run
from holdfast_client.importers.formats import FORMATS
from holdfast_client.importers.pieces import (
    EntityPiece,
    LeftOut,
    MemoryPiece,
    MessagePiece,
    Piece,
    RelationPiece,
    TextPiece,
)
from holdfast_client.memories.model import NewMemory
from holdfast_client.named_stores import open_store
from holdfast_client.nodes.model import NewItem

Progress = Callable[[int, int], None]
BATCH = 50
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_.:@-]+")


@dataclass(slots=True)
class ImportReport:
    """What an import did, or would do: counts by kind; `left_out` counts by reason."""

    dry_run: bool
    imported: Counter[str] = field(default_factory=Counter)
    unchanged: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "dry_run": self.dry_run,
            "imported": dict(self.imported),
            "unchanged": dict(self.unchanged),
            "left_out": dict(self.left_out),
        }


def import_file(
    client: Client,
    source: str,
    path: Path,
    *,
    user: str | None = None,
    store: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import an export of `source`, one of FORMATS, for `user` (else for the users that it names, else the client's own).

    Texts of a folder go into the store named `store`, by default the folder's name. ValueError for a file that is not of this
    format. With `dry_run` nothing is written and nothing is asked of the service.
    """
    if source not in FORMATS:
        raise ValueError(f"{source!r} is no known format; these are: {', '.join(sorted(FORMATS))}")
    try:
        pieces = list(FORMATS[source](path))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not an export of {source} ({error!r})") from None
    report = ImportReport(dry_run)
    if dry_run:
        for piece in pieces:
            _count_only(report, piece)
        return report
    return _Import(client, source, user, store or path.name, report, progress).run(pieces)


class _Import:
    def __init__(
        self,
        client: Client,
        source: str,
        user: str | None,
        store: str,
        report: ImportReport,
        progress: Progress | None,
    ) -> None:
        self.client, self.source, self.user, self.store = client, source, user, store
        self.report, self.progress = report, progress
        self._nodes: dict[str, str] = {}
        self._store_id: str | None = None

    def run(self, pieces: list[Piece]) -> ImportReport:
        done = 0
        for (kind, _), group in groupby(pieces, key=_together):
            batch = list(group)
            for start in range(0, len(batch), BATCH):
                part = batch[start : start + BATCH]
                try:
                    self._write(kind, part)
                except HoldfastError as error:
                    self.report.left_out[f"refused: {error.code}: {error.detail}"] += len(part)
                done += len(part)
                if self.progress is not None:
                    self.progress(done, len(pieces))
        return self.report

    def _write(self, kind: type, pieces: list[Any]) -> None:
        writers: Mapping[type, Callable[[list[Any]], None]] = {
            MemoryPiece: self._memories,
            MessagePiece: self._messages,
            EntityPiece: self._entities,
            RelationPiece: self._relations,
            TextPiece: self._texts,
        }
        if kind is LeftOut:
            for piece in pieces:
                self.report.left_out[piece.reason] += 1
        else:
            writers[kind](pieces)

    def _memories(self, pieces: list[MemoryPiece]) -> None:
        scoped = self._for(pieces[0].user)
        done = scoped.memories.batch([_memory(piece, self.source) for piece in pieces])
        for result in done.results:
            if result.status != "stored":
                reason = (result.error or {}).get("detail", result.status)
                self.report.left_out[f"refused: {reason}"] += 1
            else:
                (self.report.imported if result.created else self.report.unchanged)["memories"] += 1

    def _messages(self, pieces: list[MessagePiece]) -> None:
        session = _NOT_IN_IDS.sub("-", f"{self.source}-{pieces[0].session}")[:128]
        messages = [
            {
                "id": f"{self.source}-{piece.id}"[:128],
                "role": piece.role,
                "content": piece.text,
                **({"created_at": piece.created_at} if piece.created_at else {}),
            }
            for piece in pieces
        ]
        done = self._for(pieces[0].user).conversations.append(
            "sessions", messages, key=session, session_id=session
        )
        if done.appended:
            self.report.imported["messages"] += done.appended
        if done.duplicates:
            self.report.unchanged["messages"] += done.duplicates
        if done.not_persisted:
            self.report.left_out["refused: not persisted"] += done.not_persisted

    def _entities(self, pieces: list[EntityPiece]) -> None:
        nodes = self._for(None).nodes
        for piece in pieces:
            node_id = self._node(piece.name)
            if node_id is None:
                items = [NewItem(text, source=self.source) for text in piece.observations]
                made = nodes.create(piece.name, kind=piece.kind, items=items)
                self._nodes[piece.name.casefold()] = made.id
                self.report.imported["nodes"] += 1
                continue
            self.report.unchanged["nodes"] += 1
            said = {item.content for item in nodes.get(node_id).items}
            for text in piece.observations:
                if text not in said:
                    nodes.add_item(node_id, text, source=self.source)
                    self.report.imported["items"] += 1

    def _relations(self, pieces: list[RelationPiece]) -> None:
        nodes = self._for(None).nodes
        for piece in pieces:
            ends = self._node(piece.source), self._node(piece.target)
            if ends[0] is None or ends[1] is None:
                self.report.left_out["a relation of an unknown entity"] += 1
                continue
            nodes.put_edge(ends[0], piece.relation, ends[1])
            self.report.imported["relations"] += 1

    def _texts(self, pieces: list[TextPiece]) -> None:
        stores = self._for(None).stores
        if self._store_id is None:
            self._store_id = run(
                open_store(stores._scope, self.store, "Imported texts"), stores._send
            )
        for piece in pieces:
            try:
                same = stores.get(self._store_id, piece.path).content == piece.text
            except NotFound:
                same = False
            if not same:
                stores.put(self._store_id, piece.path, piece.text)
            (self.report.unchanged if same else self.report.imported)["texts"] += 1

    def _node(self, name: str) -> str | None:
        known = self._nodes.get(name.casefold())
        if known is None:
            for node in self._for(None).nodes.search(name, limit=100).data:
                self._nodes[node.name.casefold()] = node.id
        return self._nodes.get(name.casefold())

    def _for(self, user: str | None) -> Client:
        return self.client.scope(user=self.user or user)


def _memory(piece: MemoryPiece, source: str) -> NewMemory:
    made: NewMemory = {
        "key": piece.key[:200],
        "value": piece.text,
        "tags": list(piece.tags)[:32],
        "source": source,
        "trust": "import",
    }
    valid_from, valid_to = _time(piece.valid_from), _time(piece.valid_to)
    if valid_from is not None:
        made["valid_from"] = valid_from
    if valid_to is not None:
        made["valid_to"] = valid_to
    if piece.agent is not None:
        made["scope"], made["agent_id"] = "agent", piece.agent
    return made


def _time(text: Any) -> datetime | None:
    """A time of an export, in UTC where it names no offset; None where there is none, or it cannot be read."""
    try:
        found = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _together(piece: Piece) -> tuple[type, str]:
    """What may be written in one call: of one kind, and for one user or session."""
    if isinstance(piece, MessagePiece):
        return MessagePiece, f"{piece.user}\0{piece.session}"
    return type(piece), str(getattr(piece, "user", ""))


def _count_only(report: ImportReport, piece: Piece) -> None:
    names: Mapping[type, str] = {
        MemoryPiece: "memories",
        MessagePiece: "messages",
        EntityPiece: "nodes",
        RelationPiece: "relations",
        TextPiece: "texts",
    }
    if isinstance(piece, LeftOut):
        report.left_out[piece.reason] += 1
    else:
        report.imported[names[type(piece)]] += 1
