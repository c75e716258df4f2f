"""MCP over streamable HTTP, at /mcp and at /mcp/agents/{agent_id}.

Every request stands alone: it brings its credential, any process can answer it, and nothing is kept between two. Hence
no stream to listen on (GET) and no session to end (DELETE): both are 405, as the protocol allows.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from holdfast.edge import tool_sets
from holdfast.edge.base_url import WELL_KNOWN, base_url
from holdfast.edge.mcp import Context, make_server
from holdfast.edge.problems import as_holdfast_error, problem, request_id_of
from holdfast.edge.route import claims_of
from holdfast.edge.toolbox import Call, Toolbox
from holdfast.kernel import auth, rates
from holdfast.kernel.db import Database
from holdfast.kernel.errors import AgentNotFound, MethodNotAllowed, ScopeDenied
from holdfast.kernel.ids import is_client_id
from holdfast.kernel.limits import MAX_BODY_BYTES

DEFAULT_AGENT = "default"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_CALL = "holdfast.call"


@dataclass(frozen=True, slots=True)
class Guests:
    """Which names of this service a request may have been sent to, and which web pages may have sent it.

    A page that makes its own name lead to this machine (DNS rebinding) sends that name as Host: on a loopback address
    only loopback names, and those that are named here, are answered.
    """

    loopback_only: bool = True
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()

    def check(self, host: str, origin: str | None) -> None:
        """Refuse a request that came by another name, or from a page of elsewhere."""
        name = _host_name(f"//{host}")
        if name not in LOOPBACK | self.hosts and (self.loopback_only or self.hosts):
            raise ScopeDenied("the Host of this request is not one that MCP answers to here")
        if origin is None or origin in self.origins:
            return
        known = LOOPBACK | self.hosts if self.loopback_only else LOOPBACK | self.hosts | {name}
        if _host_name(origin) not in known - {None}:
            raise ScopeDenied("pages of this Origin may not use MCP here")


def _host_name(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


class Endpoint:
    """One path of MCP: from a request to its Call, then the SDK's."""

    def __init__(
        self,
        path: str,
        toolboxes: Sequence[Toolbox],
        db: Database,
        guests: Guests,
        *,
        of_one_agent: bool,
    ) -> None:
        self.path = path
        self._db = db
        self._guests = guests
        server = make_server(toolboxes, _call_of, of_one_agent=of_one_agent)
        self.manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        scope["route"] = self  # the log and the metrics name it by its pattern
        # White space around a header's value is no part of it (RFC 9110), and httptools leaves what trails.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        request = Request(scope, receive)
        try:
            self._guests.check(request.headers.get("host", ""), request.headers.get("origin"))
            if request.method != "POST":
                raise MethodNotAllowed("MCP takes POST here: there are no sessions", "POST")
            scope[_CALL] = await self._identify(request)
        except Exception as error:  # every failure gets a reply
            reply = problem(as_holdfast_error(error), request_id_of(request))
            if reply.status_code == 401:  # where a client finds who gives tokens (RFC 9728)
                where = f"{base_url(request)}{WELL_KNOWN}{request.url.path}"
                reply.headers["WWW-Authenticate"] += f', resource_metadata="{where}"'
            await reply(scope, receive, send)
            return
        await self.manager.handle_request(scope, receive, send)

    async def _identify(self, request: Request) -> Call:
        """Who asks, by an API key: a browser's cookie says nothing here."""
        claims = replace(claims_of(request), cookie=None)
        identified = await auth.identify(self._db, claims)
        caller = identified.caller
        request.scope["holdfast.caller"] = caller
        if identified.requests_per_minute is not None:
            await rates.count_request(self._db, caller, identified.requests_per_minute)
        agent_id = request.path_params.get("agent_id", caller.agent_id or DEFAULT_AGENT)
        caller.speaking_as(agent_id)  # MEM-001 where the key is another agent's
        if not is_client_id(agent_id):
            raise AgentNotFound("there is no such agent")
        return Call(
            self._db,
            caller,
            agent_id,
            url=str(request.base_url).rstrip("/"),
            tools=tool_sets.chosen(request.query_params.get("tools")),
            session_id=_session_of(request),
        )


def _session_of(request: Request) -> str | None:
    """The MCP session that a request names. The server keeps none: it only says which session was given what."""
    named = request.headers.get("mcp-session-id")
    return named if named is not None and is_client_id(named) else None


def _call_of(context: Context) -> Call:
    assert context.request is not None  # it came by HTTP
    call: Call = context.request.scope[_CALL]
    return call


@dataclass(frozen=True, slots=True)
class Mounted:
    """MCP in an app: its routes, and what must run while they answer."""

    endpoints: tuple[Endpoint, ...]

    @property
    def routes(self) -> list[BaseRoute]:
        """For the app's router."""
        return [Route(each.path, each) for each in self.endpoints]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The SDK's tasks, for as long as the app answers."""
        async with AsyncExitStack() as stack:
            for endpoint in self.endpoints:
                await stack.enter_async_context(endpoint.manager.run())
            yield


def mount(toolboxes: Sequence[Toolbox], db: Database, guests: Guests) -> Mounted:
    """MCP for the caller's own agent, and for the agent that the URL names."""

    def at(path: str, **options: Any) -> Endpoint:
        return Endpoint(path, toolboxes, db, guests, **options)

    return Mounted(
        (at("/mcp", of_one_agent=False), at("/mcp/agents/{agent_id}", of_one_agent=True))
    )
