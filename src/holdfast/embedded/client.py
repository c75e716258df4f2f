"""Holdfast and AsyncHoldfast: the clients of an embedded service."""

import asyncio
import copy
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from holdfast.embedded.opening import Opened, open_folder
from holdfast_client.client import AsyncClient, Client
from holdfast_client.scope import Scope
from holdfast_client.transport import MAX_RETRIES, Retries

TIMEOUT_S = 30.0


class _Embedded(ABC):
    """What both clients are opened with."""

    def __init__(
        self,
        data_dir: str | Path | None = None,
        *,
        timeout: float = TIMEOUT_S,
        max_retries: int = MAX_RETRIES,
        **settings: Any,
    ) -> None:
        self._use(open_folder(data_dir, settings), timeout, Retries(most=max_retries))

    @abstractmethod
    def _use(self, opened: Opened, timeout: float, retries: Retries) -> None: ...


class Holdfast(_Embedded, Client):
    """The service of a data folder, embedded in this process.

    `data_dir` defaults as for `holdfast serve`: HOLDFAST_DATA_DIR, else the user's data directory. `settings` are those of
    docs/settings.md by name, such as `llm=`; they count over HOLDFAST_* variables. Close it, or use it in a `with`. Threads
    may share one, and several processes may open one folder. Open it after a fork, not before.
    """

    def _use(self, opened: Opened, timeout: float, retries: Retries) -> None:
        self._owns_http = False
        self._opened: Opened | None = opened
        self._sender = opened.sender(timeout, retries)
        self._how = timeout, retries
        self._bind(Scope())

    def close(self) -> None:
        """Let the folder go; the last to do so stops its Postgres. Closing twice is no error."""
        opened, self._opened = self._opened, None
        if opened is not None:
            self._sender.close()
            opened.close()

    def new_org(self, name: str) -> "Holdfast":
        """Make an org, and give a client with its service key: another tenant of the same service. Closing it does nothing.

        Only where the service runs in this process: a `holdfast serve` makes orgs with `holdfast orgs create`.
        """
        if self._opened is None:
            raise ValueError(
                "call new_org on the Holdfast that was opened, not on a scoped or closed one"
            )
        tenant = copy.copy(self)
        tenant._use(self._opened.as_new_org(name), *self._how)
        tenant._opened = None
        return tenant

    def scope(self, **names: str | None) -> "Holdfast":
        """As `Client.scope`: the same instance, with these names in its scope. Closing it does nothing."""
        scoped = super().scope(**names)
        scoped._opened = None
        return scoped


class AsyncHoldfast(_Embedded, AsyncClient):
    """As `Holdfast`, awaited. Opening blocks for as long as Postgres takes to start; `await` begins with the first call."""

    def _use(self, opened: Opened, timeout: float, retries: Retries) -> None:
        self._owns_http = False
        self._opened: Opened | None = opened
        self._sender = opened.async_sender(timeout, retries)
        self._bind(Scope())

    async def close(self) -> None:
        """Let the folder go; the last to do so stops its Postgres. Closing twice is no error."""
        opened, self._opened = self._opened, None
        if opened is not None:
            await self._sender.close()
            await asyncio.to_thread(opened.close)

    def scope(self, **names: str | None) -> "AsyncHoldfast":
        """As `AsyncClient.scope`: the same instance, with these names in its scope. Closing it does nothing."""
        scoped = super().scope(**names)
        scoped._opened = None
        return scoped
