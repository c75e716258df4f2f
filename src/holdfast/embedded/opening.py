"""Opening a data folder for this process: once per folder, however often it is asked for."""

import atexit
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import httpx

from holdfast.embedded.keeper import Kept
from holdfast.embedded.keeping import KeeperStart, OpenFailed, running_service
from holdfast.embedded.locks import USERS, FileLock
from holdfast.engine.home import make_data_dir
from holdfast.local import LocalService
from holdfast_client.transport import (
    AsyncHttpSender,
    AsyncSender,
    HttpSender,
    Retries,
    Sender,
    Server,
    certificates_for,
)

if TYPE_CHECKING:
    from holdfast.embedded.instance import Instance

# How long an opening waits while a keeper that nobody used any more stops its Postgres.
STOPPING_WITHIN_S = 60.0


class Opened(Protocol):
    """A folder that is open for one Holdfast or AsyncHoldfast."""

    def sender(self, timeout_s: float, retries: Retries) -> Sender: ...

    def async_sender(self, timeout_s: float, retries: Retries) -> AsyncSender: ...

    def as_new_org(self, name: str) -> "Opened": ...

    def close(self) -> None: ...


class Served:
    """A folder on which a `holdfast serve` runs: calls go to it over HTTP."""

    def __init__(self, service: LocalService) -> None:
        self._server = Server(service.url, service.key)

    def sender(self, timeout_s: float, retries: Retries) -> Sender:
        """A sender over HTTP."""
        return HttpSender(
            self._server,
            httpx.Client(timeout=timeout_s, verify=certificates_for(self._server.url)),
            retries,
        )

    def async_sender(self, timeout_s: float, retries: Retries) -> AsyncSender:
        """A sender over HTTP."""
        return AsyncHttpSender(
            self._server,
            httpx.AsyncClient(timeout=timeout_s, verify=certificates_for(self._server.url)),
            retries,
        )

    def as_new_org(self, name: str) -> "Opened":
        """Refused: only the service itself makes orgs."""
        raise OpenFailed(f"a `holdfast serve` runs on this folder: holdfast orgs create {name!r}")

    def close(self) -> None:
        """Nothing is held: the senders close their own connections."""


class Embedded:
    """A folder whose service runs in this process."""

    def __init__(self, folder: "_Folder", server: Server) -> None:
        self._folder, self._server = folder, server

    def sender(self, timeout_s: float, retries: Retries) -> Sender:
        """A sender to the app of this process."""
        from holdfast.embedded.senders import AppSender

        return AppSender(self._folder.instance.app, self._server, timeout_s, retries)

    def async_sender(self, timeout_s: float, retries: Retries) -> AsyncSender:
        """A sender to the app of this process, awaited."""
        from holdfast.embedded.senders import AsyncAppSender

        return AsyncAppSender(self._folder.instance.app, self._server, timeout_s, retries)

    def as_new_org(self, name: str) -> "Opened":
        """The same folder with the service key of a new org."""
        key = self._folder.instance.new_org(name)
        return Embedded(self._folder, replace(self._server, key=key))

    def close(self) -> None:
        """Let the folder go; the last of this process closes the app."""
        with _turn:
            self._folder.holders -= 1
            if self._folder.holders == 0:
                _folders.pop(self._folder.data_dir, None)
                self._folder.close()


class _Folder:
    """The service of one folder in this process, and its lock."""

    def __init__(self, data_dir: Path, users: FileLock, instance: "Instance") -> None:
        self.data_dir, self.instance = data_dir, instance
        self.holders = 0
        self._users = users

    def close(self) -> None:
        """Close the app and let the keeper know that this process is done."""
        try:
            self.instance.close()
        finally:
            self._users.release()


_folders: dict[Path, _Folder] = {}
_turn = threading.RLock()


def open_folder(data_dir: str | Path | None, settings: Mapping[str, Any]) -> Opened:
    """Open a data folder with these settings. A second opening in this process shares the first one's app."""
    from holdfast.settings import read_settings

    path = read_settings(data_dir=data_dir).data_dir.expanduser().resolve()
    with _turn:
        folder = _folders.get(path)
        if folder is None or not folder.instance.is_ours:
            found = _open(path, settings)
            if isinstance(found, Served):
                return found
            folder = _folders[path] = found
        folder.holders += 1
        return Embedded(folder, folder.instance.server)


def _open(path: Path, settings: Mapping[str, Any]) -> "Served | _Folder":
    service = running_service(path)
    if service is not None:
        return Served(service)
    make_data_dir(path)
    users = FileLock(path / USERS, shared=True, patience_s=STOPPING_WITHIN_S)
    try:
        start = KeeperStart(path, settings)
        # Loaded while Postgres starts.
        from holdfast.embedded.instance import Instance

        kept = start.wait()
        if isinstance(kept, Kept):
            return _Folder(path, users, Instance(kept, path, settings))
    except BaseException:
        users.release()
        raise
    users.release()
    return Served(kept)


@atexit.register
def _close_all() -> None:
    with _turn:
        for folder in [*_folders.values()]:
            with suppress(
                Exception
            ):  # the interpreter is ending: what cannot be closed goes with it
                folder.close()
        _folders.clear()


os.register_at_fork(after_in_child=_folders.clear)
