"""Settings in, a running service out: the one place that knows every room.

make_app(url) → the HTTP app: routes of every face, around them the edge
a request     → edge/middleware.py (id, log, metrics) → edge/route.py (who asks, once or again)
              → a face's routes.py → its service.py → its queries.sql → a frozen value → JSON
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from holdfast import __version__
from holdfast.access import routes as access
from holdfast.anthropic_api import routes as anthropic_api
from holdfast.blocks import routes as blocks
from holdfast.blocks import tools as block_tools
from holdfast.context import routes as context
from holdfast.context import tools as context_tools
from holdfast.conversations import routes as conversations
from holdfast.conversations.backends import Backends
from holdfast.conversations.resources import routes as memory_resources
from holdfast.conversations.resources.token_access import TokenAccess
from holdfast.directory import routes as directory
from holdfast.edge import mcp_http, middleware, openapi, problems, site
from holdfast.edge.client_address import read_networks
from holdfast.edge.connections import ConnectionLimits
from holdfast.edge.route import fixed_paths
from holdfast.edge.toolbox import Toolbox
from holdfast.entries import routes as entries
from holdfast.entries import tools as entry_tools
from holdfast.kernel import durations
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.ledger import MeteredLlm
from holdfast.kernel.llm import open_llm
from holdfast.kernel.recall import vectors
from holdfast.kernel.redis import Redis
from holdfast.kernel.tokens import Tokenizer
from holdfast.memories import routes as memories
from holdfast.memories.assets.objects import ObjectStore
from holdfast.memories.graph import tools as graph_tools
from holdfast.operations import routes as operations
from holdfast.settings import Settings
from holdfast.stores import routes as stores
from holdfast.stores import tools as store_tools
from holdfast.unified_recall import routes as unified_recall
from holdfast.unified_recall import tools as unified_recall_tools

API = "/api/v1"

# Every room with HTTP words of its own.
ROUTERS = (
    access.open_router,
    access.router,
    access.secret_router,
    directory.router,
    entries.router,
    entries.batch_router,
    entries.zip_router,
    *operations.routers,
    blocks.router,
    context.router,
    *memories.ROUTERS,
    unified_recall.router,
    stores.router,
    stores.import_router,
    memory_resources.router,
    conversations.router,
)


def toolboxes(backends: Backends) -> tuple[Toolbox, ...]:
    """Every room with words for a model, in the order in which a model reads them."""
    return (
        context_tools.make_box(backends),
        unified_recall_tools.box,
        entry_tools.box,
        block_tools.box,
        graph_tools.box,
        store_tools.box,
    )


@dataclass(frozen=True, slots=True)
class AppConfig:
    """What the HTTP app is made of."""

    database_url: str
    assets: str = "memory:///"  # a folder or a URL; by default they go with the process
    pool_size: int = 20
    statement_timeout_s: float = 10.0
    database_folder: Path | None = None  # where the embedded database keeps its data
    embedder: str = "local"
    embedder_api_key: str | None = None
    close_reading: bool = True
    cors_origins: tuple[str, ...] = ()
    cookie_secure: bool = False
    on_loopback: bool = True
    allowed_hosts: tuple[str, ...] = ()
    redis_url: str | None = None
    llm: str | None = None
    llm_base_url: str | None = None
    llm_api_key: str | None = None
    token_endpoints: tuple[str, ...] = ()
    token_keys: tuple[str, ...] = ()
    flushed_kept_for: str | None = None
    trusted_proxies: tuple[str, ...] = ()
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)


def config_of(settings: Settings, database_url: str) -> AppConfig:
    """What the settings say about the app."""
    key = settings.llm_api_key
    return AppConfig(
        database_url=database_url,
        assets=settings.assets,
        pool_size=settings.pool_size,
        statement_timeout_s=durations.seconds(settings.statement_timeout),
        database_folder=None if settings.database_url else settings.data_dir,
        embedder=settings.embedder,
        embedder_api_key=settings.embedder_key,
        close_reading=settings.close_reading == "on",
        cors_origins=tuple(settings.cors_origins),
        allowed_hosts=tuple(settings.allowed_hosts),
        redis_url=settings.redis_url,
        llm=settings.llm,
        llm_base_url=settings.llm_base_url,
        llm_api_key=None if key is None else key.get_secret_value(),
        token_endpoints=tuple(settings.token_endpoints),
        token_keys=tuple(settings.token_keys),
        flushed_kept_for=settings.flushed_kept_for,
        trusted_proxies=tuple(settings.trusted_proxies),
        connections=ConnectionLimits(
            request_timeout_s=settings.request_timeout_s,
            max_connections=settings.max_connections,
        ),
    )


def open_embedders(config: AppConfig) -> Embedders:
    """What embeds, in the API and in a worker alike."""
    return Embedders(config.embedder, config.embedder_api_key, close_reading=config.close_reading)


def open_backends(config: AppConfig, db: Database) -> Backends:
    """What conversations stand on, in the API and in a worker alike."""
    kept_for = config.flushed_kept_for
    llm = open_llm(config.llm, config.llm_base_url, config.llm_api_key)
    return Backends(
        db=db,
        redis=None if config.redis_url is None else Redis(config.redis_url),
        llm=None if llm is None else MeteredLlm(db, llm),
        token_access=TokenAccess(config.token_endpoints, config.token_keys),
        timeout_s=config.statement_timeout_s,
        flushed_kept_for=None
        if kept_for is None
        else timedelta(seconds=durations.seconds(kept_for)),
    )


def make_app(config: AppConfig) -> FastAPI:
    """The HTTP app; it opens its database when it starts and closes it when it stops."""
    embedders = open_embedders(config)
    db = Database(
        config.database_url,
        max_size=config.pool_size,
        embedders=embedders,
        statement_timeout_s=config.statement_timeout_s,
        folder=config.database_folder,
    )
    backends = open_backends(config, db)
    mcp = mcp_http.mount(toolboxes(backends), db, _guests(config))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await db.open()
        await vectors.start(db)
        await asyncio.to_thread(Tokenizer().count, "")  # reads the vocabularies before anyone waits
        async with db.keyring.listening(db), mcp.running():
            yield
        await backends.close()
        await db.close()

    app = FastAPI(
        title="Holdfast",
        version=__version__,
        description="One memory service for AI agents.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.db = db
    app.state.assets = assets = ObjectStore(config.assets)
    app.state.cookie_secure = config.cookie_secure
    app.state.conversations = backends
    app.state.checks = {"database": db.check, "assets": assets.check}
    if backends.redis is not None:
        app.state.checks["redis"] = backends.redis.check
    if db.embedders.remote:
        app.state.checks["embedder"] = db.embedders.check

    app.include_router(site.router)
    app.include_router(access.page_router)
    app.include_router(site.health_router)
    for router in ROUTERS:
        app.include_router(router, prefix=API)
    app.router.routes.extend(mcp.routes)
    app.include_router(anthropic_api.router, prefix="/anthropic/v1")
    app.include_router(anthropic_api.elsewhere, prefix="/anthropic")

    app.state.trusted_proxies = read_networks(config.trusted_proxies)
    app.state.fixed_paths = fixed_paths(API, ROUTERS)
    problems.install(app)
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


def _guests(config: AppConfig) -> mcp_http.Guests:
    return mcp_http.Guests(
        loopback_only=config.on_loopback,
        hosts=frozenset(config.allowed_hosts),
        origins=frozenset(config.cors_origins),
    )
