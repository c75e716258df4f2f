"""A folder of text files and a store, kept the same both ways.

    from holdfast_client.sync import sync_folder

    report = sync_folder(client.stores, store_id, Path("memory"))

What both sides had after the last sync is noted in `.holdfast-sync.json` in the folder: the version of each entry and the
digest of its text. A side that differs from the note has changed. If only one has, the other follows, under compare-and-set;
if both have, both texts are kept: the store's at its path, the folder's beside it as `NAME.conflict-DIGEST.EXT`. A text that was
changed on one side and deleted on the other stays. Nothing is overwritten that was not seen.
"""

import hashlib
import json
import os
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from holdfast_client.errors import Conflict, HoldfastError, NotFound
from holdfast_client.paging import iterate
from holdfast_client.stores import Stores
from holdfast_client.stores.model import StoreEntry

NOTE = ".holdfast-sync.json"
MAX_BYTES = 102_400


@dataclass(slots=True)
class SyncReport:
    """What a sync did, by path; `skipped` has a reason for each file or entry that was left alone."""

    uploaded: list[str] = field(default_factory=list)
    downloaded: list[str] = field(default_factory=list)
    deleted_in_store: list[str] = field(default_factory=list)
    deleted_in_folder: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Whether anything was written or deleted."""
        return bool(
            self.uploaded or self.downloaded or self.deleted_in_store or self.deleted_in_folder
        )


@dataclass(frozen=True, slots=True)
class Known:
    """A path as both sides had it after the last sync."""

    version: int
    sha256: str


def sync_folder(stores: Stores, store_id: str, folder: Path) -> SyncReport:
    """Bring a folder and a store to the same texts; ValueError if the folder was synced with another store."""
    return _Sync(stores, store_id, folder).run()


class _Sync:
    def __init__(self, stores: Stores, store_id: str, folder: Path) -> None:
        self.stores, self.store_id, self.folder = stores, store_id, folder
        self.report = SyncReport()
        self.known = self._read_note()

    def run(self) -> SyncReport:
        local = self._local()
        remote = {
            row.path: row
            for row in iterate(self.stores.list, self.store_id, limit=100)
            if isinstance(row, StoreEntry) and self._is_synced(row.path)
        }
        for path in sorted({*local, *remote, *self.known}):
            if path in self.report.skipped:
                continue
            try:
                self._bring_together(path, local.get(path), remote.get(path))
            except (HoldfastError, OSError) as error:
                self.report.skipped[path] = str(error)
        self._write_note()
        return self.report

    def _bring_together(self, path: str, text: str | None, row: StoreEntry | None) -> None:
        known = self.known.get(path)
        local_changed = _digest(text) != (known.sha256 if known else None)
        # The digest too: an entry that was deleted and made anew counts its versions from 1 again.
        remote_changed = (Known(row.version, row.content_sha256) if row else None) != known
        if remote_changed and local_changed:
            self._both_changed(path, text, row)
        elif local_changed:
            self._upload(path, text, row)
        elif remote_changed:
            self._download(path, text, row)

    def _both_changed(self, path: str, text: str | None, row: StoreEntry | None) -> None:
        if text is None and row is None:
            self.known.pop(path, None)
        elif row is None:
            self._upload(path, text, None)  # deleted there, changed here: it stays
        elif text is None or _digest(text) == row.content_sha256:
            self._download(path, text, row)
        else:
            self.report.conflicts.append(path)
            beside = _beside(path, text)
            self._write(beside, None, text)
            self._upload(beside, text, None)
            self._download(path, text, row)

    def _upload(self, path: str, text: str | None, row: StoreEntry | None) -> None:
        """Bring the store to the folder's text; if somebody is faster, the next sync sees two changes."""
        try:
            if text is None:
                if row is not None:
                    self.stores.delete_entry(self.store_id, row.id, version=row.version)
                    self.report.deleted_in_store.append(path)
                self.known.pop(path, None)
                return
            entry = self._put(path, text, row)
        except (Conflict, NotFound):
            self.report.skipped[path] = "changed in the store meanwhile; the next sync takes it up"
            return
        self.known[path] = Known(entry.version, entry.content_sha256)
        self.report.uploaded.append(path)

    def _put(self, path: str, text: str, row: StoreEntry | None) -> StoreEntry:
        if row is None:
            return self.stores.create_entry(self.store_id, path, text)
        return self.stores.update_entry(self.store_id, row.id, text, version=row.version)

    def _download(self, path: str, text: str | None, row: StoreEntry | None) -> None:
        """Bring the folder to the store's text."""
        if row is None:
            if self._remove(path, text):
                self.known.pop(path, None)
                self.report.deleted_in_folder.append(path)
            return
        if _digest(text) != row.content_sha256:
            entry = self.stores.read_entry(self.store_id, row.id)
            if not self._write(path, text, entry.content or ""):
                return
            row = entry
            self.report.downloaded.append(path)
        self.known[path] = Known(row.version, row.content_sha256)

    # --- the folder ----------------------------------------------------------------------------------------------------

    def _local(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for base, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                path = (Path(base) / name).relative_to(self.folder).as_posix()
                if self._is_synced(path) and (text := self._text_of(path)) is not None:
                    found[path] = text
        return found

    def _is_synced(self, path: str) -> bool:
        """Whether a path takes part: hidden files do not, nor what cannot be a path on both sides."""
        parts = path.split("/")
        if any(part.startswith(".") for part in parts) or "\\" in path:
            return False
        return unicodedata.is_normalized("NFC", path)

    def _text_of(self, path: str) -> str | None:
        file = self.folder / path
        if file.is_symlink() or not file.is_file():
            self.report.skipped[path] = "no plain file"
            return None
        content = file.read_bytes()
        try:
            text = content.decode()
        except UnicodeDecodeError:
            self.report.skipped[path] = "no text in UTF-8"
            return None
        if len(content) > MAX_BYTES or not text.strip():
            self.report.skipped[path] = "empty, or larger than 100 KB"
            return None
        return text

    def _write(self, path: str, seen: str | None, text: str) -> bool:
        """Write a file, whole; not if it has changed since it was read."""
        file = self.folder / path
        if self._leads_elsewhere(path):
            return False
        if (self._text_of(path) if file.exists() else None) != seen:
            self.report.skipped[path] = "changed in the folder meanwhile; the next sync takes it up"
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f".{file.name}.holdfast-{os.getpid()}")
        fresh.write_bytes(text.encode())
        fresh.replace(file)
        return True

    def _leads_elsewhere(self, path: str) -> bool:
        """Whether a folder on the way to a file is a link; such a file is left alone."""
        *parents, _ = (self.folder / path).relative_to(self.folder).parts
        way = self.folder
        for name in parents:
            way /= name
            if way.is_symlink():
                self.report.skipped[path] = f"{name} is a link to another folder"
                return True
        return False

    def _remove(self, path: str, seen: str | None) -> bool:
        file = self.folder / path
        if self._leads_elsewhere(path):
            return False
        if file.exists() and self._text_of(path) != seen:
            self.report.skipped[path] = "changed in the folder meanwhile; the next sync takes it up"
            return False
        file.unlink(missing_ok=True)
        return True

    # --- the note ------------------------------------------------------------------------------------------------------

    def _read_note(self) -> dict[str, Known]:
        try:
            note: dict[str, Any] = json.loads((self.folder / NOTE).read_text())
            store_id, entries = note["store_id"], note["entries"].items()
            known = {path: Known(each["version"], each["sha256"]) for path, each in entries}
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ValueError(
                f"{self.folder / NOTE} cannot be read: remove it, and the next sync keeps both texts where they differ"
            ) from None
        if store_id != self.store_id:
            raise ValueError(
                f"{self.folder} was synced with the store {store_id}: remove {NOTE} to sync it with another"
            )
        return known

    def _write_note(self) -> None:
        entries = {
            path: {"version": known.version, "sha256": known.sha256}
            for path, known in sorted(self.known.items())
        }
        fresh = self.folder / f"{NOTE}.{os.getpid()}"
        fresh.write_text(json.dumps({"store_id": self.store_id, "entries": entries}, indent=1))
        fresh.replace(self.folder / NOTE)


def _digest(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()


def _beside(path: str, text: str) -> str:
    """The path for the folder's text of a conflict; the same text has the same path."""
    folder, _, name = path.rpartition("/")
    stem, dot, ext = name.rpartition(".")
    stem, ext = (stem, f".{ext}") if dot else (name, "")
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{folder}/{stem}.conflict-{digest}{ext}" if folder else f"{stem}.conflict-{digest}{ext}"
