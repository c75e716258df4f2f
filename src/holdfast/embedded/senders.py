"""Senders of the client that run a call in the app of this process instead of over HTTP; retries and errors are the same."""

import asyncio
from typing import Any

from holdfast.embedded.app_loop import AppLoop
from holdfast_client.calls import Call
from holdfast_client.transport import AsyncSender, Outcome, Retries, Sender, Server


class AppSender(Sender):
    """Sends calls to an AppLoop and waits in the caller's thread."""

    def __init__(self, app: AppLoop, server: Server, timeout_s: float, retries: Retries) -> None:
        super().__init__(server, retries)
        self._app, self._timeout_s = app, timeout_s

    def attempt(self, call: Call[Any]) -> Outcome:
        """Run a call once."""
        return self._app.submit(self._app.request(self.server, call, self._timeout_s)).result()

    def close(self) -> None:
        """Nothing to do: the folder is closed by `Opened.close`."""


class AsyncAppSender(AsyncSender):
    """Sends calls to an AppLoop and waits in the caller's event loop."""

    def __init__(self, app: AppLoop, server: Server, timeout_s: float, retries: Retries) -> None:
        super().__init__(server, retries)
        self._app, self._timeout_s = app, timeout_s

    async def attempt(self, call: Call[Any]) -> Outcome:
        """Run a call once."""
        running = self._app.submit(self._app.request(self.server, call, self._timeout_s))
        return await asyncio.wrap_future(running)

    async def close(self) -> None:
        """Nothing to do: the folder is closed by `Opened.aclose`."""
