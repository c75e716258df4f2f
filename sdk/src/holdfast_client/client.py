"""The sync and the async client: server, scope, and one attribute per face."""

import copy
import os
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from holdfast_client.calls import Call
from holdfast_client.lean_httpx import httpx
from holdfast_client.scope import Scope
from holdfast_client.transport import (
    MAX_RETRIES,
    AsyncHttpSender,
    AsyncSender,
    HttpSender,
    Retries,
    Sender,
    Server,
    certificates_for,
)
from holdfast_client.unified_recall import AsyncVerbs, Verbs

if TYPE_CHECKING:
    from holdfast_client.activity import Activity, AsyncActivity
    from holdfast_client.blocks import AsyncBlocks, Blocks
    from holdfast_client.context import AsyncContexts, Contexts
    from holdfast_client.conversations import AsyncConversations, Conversations
    from holdfast_client.directory import AsyncDirectory, Directory
    from holdfast_client.entries import AsyncEntries, Entries
    from holdfast_client.erasures import AsyncErasures, Erasures
    from holdfast_client.insights import AsyncInsights, Insights
    from holdfast_client.jobs import AsyncJobs, Jobs
    from holdfast_client.learning import (
        AsyncLearning,
        AsyncProposals,
        AsyncSessions,
        Learning,
        Proposals,
        Sessions,
    )
    from holdfast_client.memories import AsyncMemories, Memories
    from holdfast_client.nodes import AsyncNodes, Nodes
    from holdfast_client.service import AsyncService, Service
    from holdfast_client.stores import AsyncStores, Stores

T = TypeVar("T")
P = TypeVar("P")

# The module and class of each face; the async class has `Async` before its name. A face is loaded at its first use, so
# that importing the client takes little more than importing httpx.
FACES = {
    "activity": "activity.Activity",
    "blocks": "blocks.Blocks",
    "context": "context.Contexts",
    "conversations": "conversations.Conversations",
    "directory": "directory.Directory",
    "entries": "entries.Entries",
    "erasures": "erasures.Erasures",
    "insights": "insights.Insights",
    "jobs": "jobs.Jobs",
    "learning": "learning.Learning",
    "memories": "memories.Memories",
    "nodes": "nodes.Nodes",
    "proposals": "learning.Proposals",
    "service": "service.Service",
    "sessions": "learning.Sessions",
    "stores": "stores.Stores",
}

DEFAULT_URL = "http://127.0.0.1:8321"
DEFAULT_TIMEOUT = httpx.Timeout(30.0, connect=5.0)


class Client(Verbs):
    """The sync client.

    `url` defaults to HOLDFAST_URL, else to `http://127.0.0.1:8321`; `key` to HOLDFAST_API_KEY. Threads may share a client.
    Close it, or use it in a `with`. Pass your own httpx.Client as `http` for a proxy or a certificate authority; the client
    does not close it.
    """

    activity: "Activity"
    blocks: "Blocks"
    context: "Contexts"
    conversations: "Conversations"
    directory: "Directory"
    entries: "Entries"
    erasures: "Erasures"
    insights: "Insights"
    jobs: "Jobs"
    memories: "Memories"
    nodes: "Nodes"
    learning: "Learning"
    proposals: "Proposals"
    service: "Service"
    sessions: "Sessions"
    stores: "Stores"

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float | httpx.Timeout = DEFAULT_TIMEOUT,
        max_retries: int = MAX_RETRIES,
        http: httpx.Client | None = None,
    ) -> None:
        server = find_server(url, key)
        self._owns_http = http is None
        self._sender: Sender = HttpSender(
            server,
            http or httpx.Client(timeout=timeout, verify=certificates_for(server.url)),
            Retries(most=max_retries),
        )
        self._bind(Scope())

    def _bind(self, scope: Scope) -> None:
        super().__init__(self.send, scope)
        for name in FACES:
            vars(self).pop(name, None)  # of another scope

    def __getattr__(self, name: str) -> Any:
        made = _face(name, "", self)
        setattr(self, name, made)
        return made

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *FACES})

    def scope(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        session: str | None = None,
        workspace: str | None = None,
    ) -> Self:
        """A client with these names in its scope, on the same connections; names that are not given are kept."""
        scoped = copy.copy(self)
        scoped._owns_http = False
        scoped._bind(
            self._scope.narrowed(
                user=user, agent=agent, project=project, session=session, workspace=workspace
            )
        )
        return scoped

    def wrap(
        self,
        provider: P,
        *,
        session: str | None = None,
        user: str | None = None,
        agent: str | None = None,
        max_tokens: int | None = None,
        strict: bool = False,
    ) -> P:
        """A provider's client (`OpenAI()`, `Anthropic()`, or their async forms) whose model calls read and write memory; see `holdfast_client.wrap`.

        The messages are appended to `sessions/{session}`. `max_tokens` limits the context. With `strict`, a failure of memory
        fails the model call.
        """
        from holdfast_client.wrap import wrap

        scope = self._scope.narrowed(user=user, agent=agent, session=session)
        scope.must_session()
        return wrap(self, provider, scope, max_tokens=max_tokens, strict=strict)

    def send(self, call: Call[T], /) -> T:
        """Send a call that was built with a function of a `calls.py`."""
        return self._sender.send(call)

    def close(self) -> None:
        """Close the connections. On a scoped client this does nothing: close the client it was made from."""
        if self._owns_http:
            self._sender.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sender.server.url!r}, {self._scope})"


class AsyncClient(AsyncVerbs):
    """The async client: the same arguments and methods as `Client`, awaited."""

    activity: "AsyncActivity"
    blocks: "AsyncBlocks"
    context: "AsyncContexts"
    conversations: "AsyncConversations"
    directory: "AsyncDirectory"
    entries: "AsyncEntries"
    erasures: "AsyncErasures"
    insights: "AsyncInsights"
    jobs: "AsyncJobs"
    memories: "AsyncMemories"
    nodes: "AsyncNodes"
    learning: "AsyncLearning"
    proposals: "AsyncProposals"
    service: "AsyncService"
    sessions: "AsyncSessions"
    stores: "AsyncStores"

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float | httpx.Timeout = DEFAULT_TIMEOUT,
        max_retries: int = MAX_RETRIES,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        server = find_server(url, key)
        self._owns_http = http is None
        self._sender: AsyncSender = AsyncHttpSender(
            server,
            http or httpx.AsyncClient(timeout=timeout, verify=certificates_for(server.url)),
            Retries(most=max_retries),
        )
        self._bind(Scope())

    def _bind(self, scope: Scope) -> None:
        super().__init__(self.send, scope)
        for name in FACES:
            vars(self).pop(name, None)  # of another scope

    def __getattr__(self, name: str) -> Any:
        made = _face(name, "Async", self)
        setattr(self, name, made)
        return made

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *FACES})

    def scope(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        session: str | None = None,
        workspace: str | None = None,
    ) -> Self:
        """A client with these names in its scope, on the same connections; names that are not given are kept."""
        scoped = copy.copy(self)
        scoped._owns_http = False
        scoped._bind(
            self._scope.narrowed(
                user=user, agent=agent, project=project, session=session, workspace=workspace
            )
        )
        return scoped

    def wrap(
        self,
        provider: P,
        *,
        session: str | None = None,
        user: str | None = None,
        agent: str | None = None,
        max_tokens: int | None = None,
        strict: bool = False,
    ) -> P:
        """A provider's client (`AsyncOpenAI()` or `AsyncAnthropic()`) whose model calls read and write memory; see `holdfast_client.wrap`.

        The messages are appended to `sessions/{session}`. `max_tokens` limits the context. With `strict`, a failure of memory
        fails the model call.
        """
        from holdfast_client.wrap import wrap_async

        scope = self._scope.narrowed(user=user, agent=agent, session=session)
        scope.must_session()
        return wrap_async(self, provider, scope, max_tokens=max_tokens, strict=strict)

    async def send(self, call: Call[T], /) -> T:
        """Send a call that was built with a function of a `calls.py`."""
        return await self._sender.send(call)

    async def close(self) -> None:
        """Close the connections. On a scoped client this does nothing: close the client it was made from."""
        if self._owns_http:
            await self._sender.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sender.server.url!r}, {self._scope})"


def _face(name: str, prefix: str, client: Any) -> Any:
    """The face of this name for a client; AttributeError if there is none."""
    if name not in FACES:
        raise AttributeError(f"{type(client).__name__!r} object has no attribute {name!r}")
    module, _, kind = FACES[name].rpartition(".")
    found = getattr(import_module(f"holdfast_client.{module}"), f"{prefix}{kind}")
    return found(client.send, client._scope)


def find_server(url: str | None, key: str | None) -> Server:
    """The URL and key: the given ones, else those of the environment, else the default URL. ValueError without a key."""
    found_url = url or os.environ.get("HOLDFAST_URL") or DEFAULT_URL
    found_key = key or os.environ.get("HOLDFAST_API_KEY")
    if not found_url.startswith(("http://", "https://")):
        raise ValueError(
            f"the URL of a Holdfast server looks like {DEFAULT_URL}, not {found_url!r}"
        )
    if not found_key:
        raise ValueError(
            "give a key, or set HOLDFAST_API_KEY; `holdfast serve` shows one at its first start"
        )
    return Server(found_url.rstrip("/"), found_key)
