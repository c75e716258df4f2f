"""The zip form of a store: files at their paths, and a manifest with what a file cannot say.

The manifest takes a name that no entry of the store has; the zip's comment says which. A zip that was packed by hand
has neither, and that is fine.
"""

import io
import json
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

from holdfast.kernel import limits
from holdfast.kernel.errors import HoldfastError, Invalid, LimitExceeded
from holdfast.stores import paths
from holdfast.stores.model import MAX_CONTENT_BYTES, Store, Text, check_metadata, measured

MAX_ZIP_BYTES = 96 * 1024 * 1024
MAX_UNPACKED_BYTES = 64 * 1024 * 1024
MAX_FILES = 100_000

MANIFEST = ".holdfast-manifest"
FORMAT = "holdfast-store"
_COMMENT = "holdfast manifest: "
_ENCRYPTED, _UTF8_NAME = 0x1, 0x800
# Everything the library is known to raise for a zip that is broken or made to break it.
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, OverflowError, struct.error,
)  # fmt: skip


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
            self._zip.writestr(_file_info(entry.path, entry.updated_at), entry.content.encode())
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
        self._zip.writestr(_file_info(name, at), text.encode())
        self._zip.comment = f"{_COMMENT}{name}".encode()
        self._zip.close()


def unpack(body: bytes) -> list[Unpacked]:
    """Every file of a zip, by path. Whatever is wrong with one of them refuses the whole."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return _unpack(archive)
    except _UNREADABLE:
        raise _refusal("this is not a zip that can be read") from None


def _unpack(archive: zipfile.ZipFile) -> list[Unpacked]:
    infos = _files(archive)
    manifest_name = _manifest_name(archive)
    contents = {path: _read(archive, info, path) for path, info in infos.items()}
    manifest = _manifest(contents.get(manifest_name))
    if manifest is not None:
        del contents[manifest_name]
    return [
        Unpacked(
            path,
            # An export may hold what the Anthropic surface lets in: a blank entry.
            _text(path, data, may_be_blank=manifest is not None),
            _metadata_of(path, manifest),
        )
        for path, data in contents.items()
    ]


def _files(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The files by path, before anything is unpacked: names, kinds and declared sizes have to be right."""
    infos = archive.infolist()
    limits.at_most(len(infos), MAX_FILES, what="files in the zip")
    total = sum(info.file_size for info in infos)
    if total > MAX_UNPACKED_BYTES:
        raise LimitExceeded(
            f"the zip unpacks to {total:,} bytes; at most {MAX_UNPACKED_BYTES:,} are taken",
            limit=MAX_UNPACKED_BYTES,
            actual=total,
        )
    files: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = _name(info)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise _refusal(f"{name!r} is a link or a device")
        if info.flag_bits & _ENCRYPTED:
            raise _refusal(f"{name!r} is encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _refusal(f"{name!r} is packed in a way that is not taken; use deflate")
        _check_name(name.removesuffix("/"))
        if name.endswith("/"):
            continue
        if kind == stat.S_IFDIR:
            raise _refusal(f"{name!r} is a folder without its /")
        if name in files:
            raise _refusal(f"{name!r} is in the zip twice")
        files[name] = info
    return files


def _name(info: zipfile.ZipInfo) -> str:
    """The name as it was written. Without the flag for UTF-8 the library reads it as code page 437."""
    name = info.orig_filename
    if info.flag_bits & _UTF8_NAME or name.isascii():
        return name
    try:
        return name.encode("cp437").decode()
    except UnicodeError:
        raise _refusal("a file's name is not UTF-8") from None


def _check_name(name: str) -> None:
    try:
        paths.check_path(name)
    except Invalid as error:
        raise _refusal(f"{name!r}: {error.detail}") from None


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str) -> bytes:
    """The bytes of one file: never more than it declared, and exactly what it was packed from (CRC)."""
    is_manifest = path.startswith(MANIFEST)
    if info.file_size > MAX_CONTENT_BYTES and not is_manifest:
        raise LimitExceeded(
            f"{path!r} has {info.file_size:,} bytes; at most {MAX_CONTENT_BYTES:,} are kept",
            limit=MAX_CONTENT_BYTES,
            actual=info.file_size,
        )
    with archive.open(info) as file:
        data = file.read(info.file_size + 1)
    if len(data) != info.file_size:
        raise _refusal(f"{path!r} is not as long as the zip says")
    return data


def _text(path: str, data: bytes, *, may_be_blank: bool) -> Text:
    try:
        return measured(data.decode(), may_be_blank=may_be_blank, what=repr(path))
    except UnicodeDecodeError:
        raise _refusal(f"{path!r} is not UTF-8 text") from None
    except Invalid as error:
        raise _refusal(f"{path!r}: {error.detail}") from None


def _manifest_name(archive: zipfile.ZipFile) -> str:
    comment = archive.comment.decode(errors="replace")
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
        raise _refusal(f"the manifest's metadata of {path!r} is not a map of texts")
    for text in (*metadata.keys(), *metadata.values()):
        limits.storable(text, field="metadata")
    check_metadata(metadata)
    return metadata


def _file_info(path: str, at: datetime) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path, date_time=_dos_time(at))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    return info


def _dos_time(at: datetime) -> tuple[int, int, int, int, int, int]:
    """Zip knows years from 1980 to 2107."""
    year = min(max(at.year, 1980), 2107)
    return year, at.month, at.day, at.hour, at.minute, at.second


def _refusal(message: str) -> HoldfastError:
    return Invalid.field("zip", message)
