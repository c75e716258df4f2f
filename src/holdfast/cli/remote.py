"""How a command talks to a service: the calls of holdfast-client, with their answers as plain JSON.

The service is found by --url and --api-key, by HOLDFAST_URL and HOLDFAST_API_KEY, or beside a `serve` that runs on this
data folder.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, TypeVar

from holdfast.cli.exits import CommandError
from holdfast.local import find_service, local_data_dir
from holdfast_client.calls import Call, Reply
from holdfast_client.client import Client
from holdfast_client.errors import ConnectionFailed
from holdfast_client.scope import Scope

P = ParamSpec("P")
T = TypeVar("T")

TIMEOUT_S = 60.0
PAGE = 100


class Remote:
    """A service, and on whose behalf a command asks it."""

    def __init__(
        self,
        url: str | None,
        api_key: str | None,
        *,
        user: str | None = None,
        workspace: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        session: str | None = None,
    ) -> None:
        self._url, api_key = find_server(url, api_key)
        try:
            self._client = Client(self._url, api_key, timeout=TIMEOUT_S)
            self.scope = Scope().narrowed(
                user=user, workspace=workspace, agent=agent, project=project, session=session
            )
        except ValueError as error:
            raise CommandError(str(error)) from None

    def ask(
        self,
        build: Callable[Concatenate[Scope, P], Call[Any]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Any:
        """The JSON that the service answers to a call of the client."""
        return self._send(replace(self._call(build, *args, **kwargs), read=_plain))

    def fetch(
        self,
        build: Callable[Concatenate[Scope, P], Call[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """The answer as the client reads it: for bytes and texts."""
        return self._send(self._call(build, *args, **kwargs))

    def _send(self, call: Call[T]) -> T:
        try:
            return self._client.send(call)
        except ConnectionFailed:
            detail = f"nothing answers at {self._url}; is `holdfast serve` running?"
            raise ConnectionFailed(detail) from None

    def _call(
        self,
        build: Callable[Concatenate[Scope, P], Call[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Call[T]:
        try:
            return build(self.scope, *args, **kwargs)
        except ValueError as error:
            raise CommandError(str(error)) from None

    def pages(
        self, build: Callable[..., Call[Any]], *args: Any, limit: int | None, **filters: Any
    ) -> Iterator[dict[str, Any]]:
        """The rows of a list, page by page: all of them, or the first `limit`."""
        left = limit
        cursor: dict[str, str] = {}
        while left is None or left > 0:
            size = PAGE if left is None else min(PAGE, left)
            page = self.ask(build, *args, limit=size, **filters, **cursor)
            yield from page["data"]
            if left is not None:
                left -= len(page["data"])
            if not page["has_more"] or not page["data"]:
                return
            by_path = "next_path" in page
            cursor = {"after_path": page["next_path"]} if by_path else {"after_id": page["last_id"]}


def find_server(url: str | None, api_key: str | None) -> tuple[str, str]:
    """URL and key of the service that is meant."""
    if url is None or api_key is None:
        local = find_service(local_data_dir())
        if local is not None and (url is None or url.rstrip("/") == local.url):
            return local.url, api_key or local.key
    if url is None:
        raise CommandError("no service is known: give --url, or set HOLDFAST_URL")
    if api_key is None:
        raise CommandError("no API key is known: give --api-key, or set HOLDFAST_API_KEY")
    return url, api_key


def _plain(reply: Reply) -> Any:
    return reply.json() if reply.content else {}
