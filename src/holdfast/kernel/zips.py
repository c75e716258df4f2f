"""Zips from outside, read with every defence in one place; files written into a zip.

A zip is taken whole or refused: links and devices, encryption, other compressions than deflate, two files of one name, names
that are not UTF-8, more files or bytes than allowed, and files that are not as long as the zip declares.
"""

import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO

from holdfast.kernel import limits
from holdfast.kernel.errors import HoldfastError, Invalid, LimitExceeded

_CENTRAL_RECORD = b"PK\x01\x02"
_ENCRYPTED, _UTF8_NAME = 0x1, 0x800
# Everything that zipfile is known to raise for a zip that is broken or made to break it.
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, OverflowError, struct.error,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a zip may hold: files, bytes altogether, bytes of the file at a path, and which paths."""

    max_files: int
    max_bytes: int
    max_file_bytes: Callable[[str], int]
    check_path: Callable[[str], None]  # raises Invalid; is given folders too, without their slash


@dataclass(frozen=True, slots=True)
class Unzipped:
    """The files of a zip by their paths, and the zip's comment."""

    files: dict[str, bytes]
    comment: str


def read_zip(body: bytes, bounds: Bounds) -> Unzipped:
    """Every file of a zip; Invalid or LimitExceeded where anything about it is not allowed."""
    # Before the zip's directory is read: zipfile makes an object of every record, however many there are.
    if body.count(_CENTRAL_RECORD) > 10 * bounds.max_files:
        raise refused(f"it lists more than {bounds.max_files:,} files")
    try:
        with zipfile.ZipFile(BytesIO(body)) as archive:
            infos = _files(archive, bounds)
            files = {path: _read(archive, info, path, bounds) for path, info in infos.items()}
            return Unzipped(files, archive.comment.decode(errors="replace"))
    except _UNREADABLE:
        raise refused("this is not a zip that can be read") from None


def file_info(path: str, at: datetime) -> zipfile.ZipInfo:
    """A deflated file for `ZipFile.writestr`, with the time it was changed (a zip has years from 1980 to 2107)."""
    year = min(max(at.year, 1980), 2107)
    info = zipfile.ZipInfo(path, (year, at.month, at.day, at.hour, at.minute, at.second))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    return info


def refused(why: str) -> HoldfastError:
    """The error for a zip that is not taken."""
    return Invalid.field("zip", why)


def _files(archive: zipfile.ZipFile, bounds: Bounds) -> dict[str, zipfile.ZipInfo]:
    """The files by path, each checked by what the zip says of it before anything is unpacked."""
    infos = archive.infolist()
    limits.at_most(len(infos), bounds.max_files, what="files in the zip")
    total = sum(info.file_size for info in infos)
    if total > bounds.max_bytes:
        raise LimitExceeded(
            f"the zip unpacks to {total:,} bytes; at most {bounds.max_bytes:,} are taken",
            limit=bounds.max_bytes,
            actual=total,
        )
    files: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        path = _path(info)
        _check(info, path)
        try:
            bounds.check_path(path.removesuffix("/"))
        except Invalid as error:
            raise refused(f"{path!r}: {error.detail}") from None
        if path.endswith("/"):
            continue
        if path in files:
            raise refused(f"{path!r} is in it twice")
        files[path] = info
    return files


def _check(info: zipfile.ZipInfo, path: str) -> None:
    """Refuse what is no regular file or folder, or cannot be unpacked here."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise refused(f"{path!r} is a link or a device")
    if kind == stat.S_IFDIR and not path.endswith("/"):
        raise refused(f"{path!r} is a folder without its /")
    if path.endswith("/") and info.file_size:
        raise refused(f"{path!r} is a folder with a content")
    if info.flag_bits & _ENCRYPTED:
        raise refused(f"{path!r} is encrypted")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise refused(f"{path!r} is compressed in a way that is not read here; use deflate")


def _path(info: zipfile.ZipInfo) -> str:
    """The name as it was written. Without the flag for UTF-8, zipfile has read it as code page 437."""
    name = info.orig_filename
    if info.flag_bits & _UTF8_NAME or name.isascii():
        return name
    try:
        return name.encode("cp437").decode()
    except UnicodeError:
        raise refused("a file's name is not UTF-8") from None


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str, bounds: Bounds) -> bytes:
    """The bytes of one file: as many as it declares and its bound allows; zipfile compares the checksum."""
    most = bounds.max_file_bytes(path)
    if info.file_size > most:
        raise LimitExceeded(
            f"{path!r} has {info.file_size:,} bytes; at most {most:,} are kept",
            limit=most,
            actual=info.file_size,
        )
    with archive.open(info) as file:
        data = file.read(info.file_size + 1)
    if len(data) != info.file_size:
        raise refused(f"{path!r} is not as long as the zip says")
    return data
