"""Settings in, a running service out: the one place that knows every room.

make_app(url) → the HTTP app: routes of every face, around them the edge
a request     → edge/middleware.py (id, log, metrics) → edge/route.py (who asks, once or again)
              → a face's routes.py → its service.py → its queries.sql → a frozen value → JSON
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, cast

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.telemetry import TelemetryConfig

from holdfast import __version__
from holdfast.access import routes as access
from holdfast.access.oauth import routes as oauth_routes
from holdfast.anthropic_api import routes as anthropic_api
from holdfast.blocks import routes as blocks
from holdfast.console import not_found
from holdfast.console import routes as console
from holdfast.context import routes as context
from holdfast.conversations import routes as conversations
from holdfast.conversations.backends import Backends
from holdfast.conversations.resources import routes as memory_resources
from holdfast.deployment import Config, Deployment
from holdfast.directory import routes as directory
from holdfast.directory.people import routes as people
from holdfast.edge import guide, matching, middleware, openapi, problems, site
from holdfast.edge.client_address import read_networks
from holdfast.edge.route import fixed_paths
from holdfast.entries import routes as entries
from holdfast.entries.past import routes as entry_history
from holdfast.erasure import routes as erasure
from holdfast.exchange import routes as exchange
from holdfast.kernel import tracing
from holdfast.kernel.tokens import Tokenizer
from holdfast.kernel.usage import Usage
from holdfast.learning import routes as learning
from holdfast.mem0_api import routes as mem0_api
from holdfast.memories import routes as memories
from holdfast.operations import routes as operations
from holdfast.stores import routes as stores
from holdfast.unified_recall import routes as unified_recall

if TYPE_CHECKING:
    from holdfast.edge.mcp_http import Mounted
    from holdfast.edge.toolbox import Toolbox

API = "/api/v1"

# Every room with HTTP words of its own. Of those whose paths begin alike the first is asked first (edge/matching.py).
ROUTERS = (
    unified_recall.router,
    context.router,
    *memories.ROUTERS,
    entries.router,
    entry_history.router,
    entries.batch_router,
    entries.zip_router,
    conversations.router,
    blocks.router,
    *stores.ROUTERS,
    memory_resources.router,
    access.open_router,
    access.router,
    access.secret_router,
    directory.router,
    people.router,
    *operations.routers,
    learning.router,
    learning.model_router,
    erasure.router,
    exchange.router,
)


def toolboxes(backends: Backends) -> "tuple[Toolbox, ...]":
    """Every room with words for a model, in the order in which a model reads them."""
    # Imported here: the MCP SDK takes half a second to load, and an embedded instance does without it.
    from holdfast.blocks import tools as block_tools
    from holdfast.context import tools as context_tools
    from holdfast.entries import tools as entry_tools
    from holdfast.memories import tools as memory_tools
    from holdfast.memories.graph import tools as graph_tools
    from holdfast.stores import tools as store_tools
    from holdfast.unified_recall import tools as unified_recall_tools

    return (
        context_tools.make_box(backends),
        memory_tools.box,
        unified_recall_tools.box,
        block_tools.box,
        entry_tools.box,
        graph_tools.box,
        store_tools.box,
    )


def make_app(config: Config, *, embedded: bool = False) -> FastAPI:
    """The HTTP app; it opens its deployment when it starts and closes it when it stops.

    `embedded`: without MCP, and ready before the vocabularies are read.
    """
    deployment = Deployment(config, statement_timeout_s=config.statement_timeout_s)
    db, backends, assets = deployment.db, deployment.conversations, deployment.assets
    mcp = None if embedded else _mount_mcp(config, deployment)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        usage = db.services.get(Usage)
        async with (
            deployment.opened(),
            usage.written(db),
            deployment.key_cache.listening(db),
            nullcontext() if db.replica is None else db.replica.watched(),
        ):
            if mcp is None:
                yield
                return
            # Reads the vocabularies before anyone waits.
            await asyncio.to_thread(Tokenizer().count, "")
            async with mcp.running():
                yield

    app = FastAPI(
        title="Holdfast",
        version=__version__,
        description="One memory service for AI agents.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=cast("TelemetryConfig", tracing.for_fastapi()),
    )
    app.state.db = db
    app.state.assets = assets
    app.state.cookie_secure = config.cookie_secure
    app.state.conversations = backends
    app.state.learning = deployment.learning
    app.state.checks = {"database": db.check, "assets": assets.check}
    app.state.optional_checks = {} if db.replica is None else {"replica": db.replica.check}
    if backends.redis is not None:
        app.state.checks["redis"] = backends.redis.check
    if deployment.embedders.remote:
        app.state.checks["embedder"] = deployment.embedders.check

    matching.add(app.router, site.router)
    matching.add(app.router, guide.router)
    for router in console.ROUTERS:
        matching.add(app.router, router)
    matching.add(app.router, site.health_router)
    for router in ROUTERS:
        matching.add(app.router, router, API)
    if mcp is not None:
        matching.add(app.router, oauth_routes.router)
        app.router.routes.extend(mcp.routes)
    for router in anthropic_api.ROUTERS:
        matching.add(app.router, router, "/anthropic/v1")
    matching.add(app.router, anthropic_api.elsewhere, "/anthropic")
    matching.add(app.router, mem0_api.router, "/mem0")

    app.state.trusted_proxies = read_networks(config.trusted_proxies)
    app.state.fixed_paths = fixed_paths(API, ROUTERS)
    matching.install(app.router)
    problems.install(app)
    not_found.install(app)
    openapi.install(app)
    if config.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(config.cors_origins),
            allow_methods=["*"],
            allow_headers=["*"],
        )
    app.add_middleware(middleware.Requests, body_timeout_s=config.connections.request_timeout_s)
    return app


def _mount_mcp(config: Config, deployment: Deployment) -> "Mounted":
    from holdfast.edge import mcp_http

    guests = mcp_http.Guests(
        loopback_only=config.on_loopback,
        hosts=frozenset(config.allowed_hosts),
        origins=frozenset(config.cors_origins),
    )
    return mcp_http.mount(toolboxes(deployment.conversations), deployment.db, guests)
