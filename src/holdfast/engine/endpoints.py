"""How to reach a running cluster: the two roles, their passwords, their URLs."""

import json
import re
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg

from holdfast.engine.errors import EngineError
from holdfast.engine.files import read_if_there, write_private

DATABASE = "holdfast"
OWNER_ROLE = "holdfast_owner"
APP_ROLE = "holdfast_app"
PORT = 5432
"""Not a network port: only the last part of the socket's name."""

# Passwords stand in URLs and in SQL, and need no quoting in either.
URL_SAFE = re.compile("[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Passwords:
    """The passwords of the two roles that can log in."""

    owner: str
    app: str


@dataclass(frozen=True, slots=True)
class Endpoints:
    """A live cluster: where its roles log in, and the process that serves them."""

    owner_url: str
    """Of the role that owns the database and runs migrations. Not a superuser: there is no need,
    since the superuser's work is done in single-user mode and nobody can log in as it."""
    app_url: str
    """Of the role that the application runs as; row-level security binds it."""
    pid: int
    """The postmaster."""


def read_passwords(file: Path) -> Passwords | None:
    """The passwords kept in the file; None where there is no file."""
    text = read_if_there(file)
    if text is None:
        return None
    try:
        kept = Passwords(**json.loads(text))
        if all(URL_SAFE.fullmatch(password) for password in (kept.owner, kept.app)):
            return kept
    except (ValueError, TypeError):
        pass
    raise EngineError(f"{file} is damaged: remove it and start again; new passwords will be set")


def read_or_make_passwords(file: Path) -> Passwords:
    """The passwords kept in the file, made and kept there first if there are none yet."""
    kept = read_passwords(file)
    if kept is not None:
        return kept
    made = Passwords(owner=secrets.token_urlsafe(32), app=secrets.token_urlsafe(32))
    write_private(file, json.dumps(asdict(made)))
    return made


def endpoints(socket_dir: Path, passwords: Passwords, pid: int) -> Endpoints:
    """The URLs of both roles, through the socket in this folder."""
    return Endpoints(
        owner_url=_url(OWNER_ROLE, passwords.owner, socket_dir),
        app_url=_url(APP_ROLE, passwords.app, socket_dir),
        pid=pid,
    )


def _url(role: str, password: str, socket_dir: Path) -> str:
    host = quote(str(socket_dir), safe="")
    return f"postgresql://{role}:{password}@/{DATABASE}?host={host}&port={PORT}"


def ask(url: str) -> None:
    """Log in and have a query answered, or raise `psycopg.Error`."""
    with psycopg.connect(url, connect_timeout=10) as connection:
        connection.execute("select 1")
