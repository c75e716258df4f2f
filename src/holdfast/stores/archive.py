"""The zip form of a store: files at their paths, and a manifest with what a file cannot say.

The manifest takes a name that no entry of the store has; the zip's comment says which. A zip that was packed by hand
has neither, and that is fine.
"""

import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

from holdfast.kernel import limits
from holdfast.kernel.errors import Invalid
from holdfast.kernel.zips import Bounds, file_info, read_zip, refused
from holdfast.stores import paths
from holdfast.stores.model import MAX_CONTENT_BYTES, Store, Text, check_metadata, measured

MAX_ZIP_BYTES = 96 * 1024 * 1024
MAX_UNPACKED_BYTES = 64 * 1024 * 1024
MAX_FILES = 100_000

MANIFEST = ".holdfast-manifest"
FORMAT = "holdfast-store"
_COMMENT = "holdfast manifest: "


@dataclass(frozen=True, slots=True)
class Packed:
    """An entry as it goes into a zip."""

    path: str
    content: str
    metadata: dict[str, str]
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A file as it came out of one; `metadata` is None where no manifest told of any."""

    path: str
    text: Text
    metadata: dict[str, str] | None


class Packer:
    """Writes a zip, entry by entry; the manifest goes last."""

    def __init__(self, file: IO[bytes], store: Store) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._store = store
        self._metadata: dict[str, dict[str, str]] = {}
        self._like_manifest: set[str] = set()

    def add(self, entries: Iterable[Packed]) -> None:
        """Put entries in."""
        for entry in entries:
            self._zip.writestr(file_info(entry.path, entry.updated_at), entry.content.encode())
            if entry.metadata:
                self._metadata[entry.path] = entry.metadata
            if entry.path.startswith(MANIFEST):
                self._like_manifest.add(entry.path)

    def finish(self, at: datetime) -> None:
        """Write the manifest and close the zip."""
        name, count = f"{MANIFEST}.json", 1
        while name in self._like_manifest:
            count += 1
            name = f"{MANIFEST}-{count}.json"
        manifest = {
            "format": FORMAT,
            "version": 1,
            "name": self._store.name,
            "description": self._store.description,
            "metadata": self._store.metadata,
            "entries": {path: {"metadata": each} for path, each in self._metadata.items()},
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=1)
        self._zip.writestr(file_info(name, at), text.encode())
        self._zip.comment = f"{_COMMENT}{name}".encode()
        self._zip.close()


_BOUNDS = Bounds(
    max_files=MAX_FILES,
    max_bytes=MAX_UNPACKED_BYTES,
    max_file_bytes=lambda path: (
        MAX_UNPACKED_BYTES if path.startswith(MANIFEST) else MAX_CONTENT_BYTES
    ),
    check_path=paths.check_path,
)


def unpack(body: bytes) -> list[Unpacked]:
    """Every file of a zip, by path. Whatever is wrong with one of them refuses the whole."""
    unzipped = read_zip(body, _BOUNDS)
    contents, manifest_name = unzipped.files, _manifest_name(unzipped.comment)
    manifest = _manifest(contents.get(manifest_name))
    return [
        Unpacked(path, _text(path, data), _metadata_of(path, manifest))
        for path, data in contents.items()
        if manifest is None or path != manifest_name
    ]


def _text(path: str, data: bytes) -> Text:
    """A file's text. A blank one is refused only where it would be written: see transfer.py."""
    try:
        return measured(data.decode(), may_be_blank=True, what=repr(path))
    except UnicodeDecodeError:
        raise refused(f"{path!r} is not UTF-8 text") from None
    except Invalid as error:
        raise refused(f"{path!r}: {error.detail}") from None


def _manifest_name(comment: str) -> str:
    return comment.removeprefix(_COMMENT) if comment.startswith(_COMMENT) else f"{MANIFEST}.json"


def _manifest(data: bytes | None) -> Mapping[str, Any] | None:
    """The manifest, if it is one; any other file may carry its name."""
    try:
        manifest = json.loads(data or b"null")
    except (ValueError, RecursionError):
        return None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        return None
    entries = manifest.get("entries")
    return entries if isinstance(entries, dict) else None


def _metadata_of(path: str, manifest: Mapping[str, Any] | None) -> dict[str, str] | None:
    if manifest is None:
        return None
    entry = manifest.get(path, {})
    metadata = entry.get("metadata", {}) if isinstance(entry, dict) else None
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise refused(f"the manifest's metadata of {path!r} is not a map of texts")
    for text in (*metadata.keys(), *metadata.values()):
        limits.storable(text, field="metadata")
    check_metadata(metadata)
    return metadata
