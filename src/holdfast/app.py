"""Settings in, a running service out: the one place that knows every room.

make_app(url) → the HTTP app: routes of every face, around them the edge
a request     → edge/middleware.py (id, log, metrics) → edge/route.py (who asks, once or again)
              → a face's routes.py → its service.py → its queries.sql → a frozen value → JSON
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from holdfast import __version__
from holdfast.access import routes as access
from holdfast.directory import routes as directory
from holdfast.edge import middleware, openapi, pages, problems
from holdfast.everywhere import routes as everywhere
from holdfast.jobs import routes as jobs
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.recall import models
from holdfast.memories import routes as memories
from holdfast.memories.objects import ObjectStore
from holdfast.stores import routes as stores

API = "/api/v1"

# Every room with HTTP words of its own.
ROUTERS = (
    access.open_router,
    access.router,
    access.secret_router,
    directory.router,
    jobs.router,
    *memories.ROUTERS,
    everywhere.router,
    stores.router,
    stores.import_router,
)


@dataclass(frozen=True, slots=True)
class AppConfig:
    """What the HTTP app is made of."""

    database_url: str
    assets: str = "memory:///"  # a folder or a URL; by default they go with the process
    pool_size: int = 20
    embedder: str = "local"
    embedder_api_key: str | None = None
    cors_origins: tuple[str, ...] = ()
    cookie_secure: bool = False


def make_app(config: AppConfig) -> FastAPI:
    """The HTTP app; it opens its database when it starts and closes it when it stops."""
    embedders = Embedders(config.embedder, config.embedder_api_key)
    db = Database(config.database_url, max_size=config.pool_size, embedders=embedders)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await db.open()
        await models.start(db)
        yield
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
    app.state.checks = {"database": db.check, "assets": assets.check}

    app.include_router(pages.router)
    app.include_router(pages.health_router)
    for router in ROUTERS:
        app.include_router(router, prefix=API)

    problems.install(app)
    openapi.install(app)
    if config.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(config.cors_origins),
            allow_methods=["*"],
            allow_headers=["*"],
        )
    app.add_middleware(middleware.Requests)
    return app
