"""Texts and bytes that a command reads from arguments, files and standard input."""

import sys
from pathlib import Path

from holdfast.cli.exits import CommandError


def text_of(argument: str) -> str:
    """An argument, or standard input where it is `-`."""
    return sys.stdin.read() if argument == "-" else argument


def read_bytes(file: Path | None) -> bytes:
    """A file's bytes; standard input for `-` or none."""
    if file is None or str(file) == "-":
        return sys.stdin.buffer.read()
    try:
        return file.read_bytes()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}") from None


def read_text(file: Path | None) -> str:
    """A file's text, which must be UTF-8."""
    try:
        return read_bytes(file).decode()
    except UnicodeDecodeError:
        raise CommandError("what is to be written is not UTF-8 text") from None


def write_bytes(file: Path, content: bytes) -> None:
    """Write to a file; to standard output for `-`."""
    if str(file) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        return
    try:
        file.write_bytes(content)
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}") from None
