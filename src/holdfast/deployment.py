"""What every process of the service works with, opened and closed in one place: the API, the worker, MCP on standard
input, and the commands that administer a database.

Config          what was set, frozen, passed to child processes
Deployment      database, embedders, cache of keys, conversations' backends, object store: made, not yet opened
opened()        opens all of it for a block
open_deployment both at once
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from holdfast.conversations.backends import Backends
from holdfast.conversations.resources.token_access import TokenAccess
from holdfast.edge.connections import ConnectionLimits
from holdfast.engine import find_running
from holdfast.kernel import durations, tracing
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.key_cache import KeyCache
from holdfast.kernel.ledger import MeteredLlm
from holdfast.kernel.llm import open_llm
from holdfast.kernel.recall import vectors
from holdfast.kernel.recall.slow import SlowRecalls
from holdfast.kernel.redis import Redis
from holdfast.learning.extractors import open_extractor
from holdfast.learning.judge import Judge
from holdfast.learning.sessions import SessionEvents
from holdfast.learning.settle import Learning
from holdfast.memories.assets.objects import ObjectStore
from holdfast.settings import Settings


@dataclass(frozen=True, slots=True)
class Config:
    """What one process of the service needs to know of its settings."""

    database_url: str
    assets: str = "memory:///"  # a folder or a URL; by default they go with the process
    pool_size: int = 20
    statement_timeout_s: float = 10.0
    slow_recall_s: float = 1.0
    otlp_endpoint: str | None = None
    database_folder: Path | None = None  # where the embedded database keeps its data
    replica_url: str | None = None
    owner_url: str | None = None  # the schema's owner; None: the embedded database's own
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
    settle_after_s: float = 900.0
    consolidate_every_s: float | None = None
    trusted_proxies: tuple[str, ...] = ()
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)


def config_of(settings: Settings, database_url: str) -> Config:
    """The configuration that these settings ask for, on this database."""
    key = settings.llm_api_key
    return Config(
        database_url=database_url,
        assets=settings.assets,
        pool_size=settings.pool_size,
        statement_timeout_s=durations.seconds(settings.statement_timeout),
        slow_recall_s=durations.seconds(settings.slow_recall),
        otlp_endpoint=settings.otlp_endpoint,
        database_folder=None if settings.database_url else settings.data_dir,
        replica_url=settings.replica_url,
        owner_url=settings.migration_url or settings.database_url,
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
        settle_after_s=durations.seconds(settings.settle_after),
        consolidate_every_s=None
        if settings.consolidate is None
        else durations.seconds(settings.consolidate),
        trusted_proxies=tuple(settings.trusted_proxies),
        connections=ConnectionLimits(
            request_timeout_s=settings.request_timeout_s,
            max_connections=settings.max_connections,
        ),
    )


def owner_url(config: Config) -> str:
    """The login that owns the tables, for what only their owner may do. The embedded database's is read from its folder when
    it is needed, so that no process of the service carries it."""
    if config.owner_url is not None:
        return config.owner_url
    running = None if config.database_folder is None else find_running(config.database_folder)
    if running is None:
        raise BackendUnavailable("the owner's login of the database cannot be found")
    return running.owner_url


class Deployment:
    """One per process. Nothing is connected before `opened`."""

    def __init__(
        self,
        config: Config,
        *,
        min_size: int = 2,
        max_size: int | None = None,
        statement_timeout_s: float | None = None,
    ) -> None:
        """`min_size` and `max_size` (the configured one unless given) are of the pool of connections. With a
        `statement_timeout_s` a call does not wait longer for a database that does not answer."""
        self.config = config
        if config.otlp_endpoint is not None:
            tracing.start(config.otlp_endpoint)
        self.embedders = Embedders(
            config.embedder, config.embedder_api_key, close_reading=config.close_reading
        )
        self.key_cache = KeyCache()
        self.judge = Judge(is_used=config.embedder != "none")
        self.db = Database(
            config.database_url,
            min_size=min_size,
            max_size=max_size or config.pool_size,
            services=[
                self.embedders,
                self.key_cache,
                SlowRecalls(config.slow_recall_s),
                self.judge,
            ],
            statement_timeout_s=statement_timeout_s,
            folder=config.database_folder,
            replica_url=config.replica_url,
        )
        self.conversations = _backends(config, self.db)
        self.learning = Learning(
            self.conversations, open_extractor(self.conversations.llm, self.judge)
        )
        self.assets = ObjectStore(config.assets)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Everything is connected within this block."""
        try:
            await self.db.open()
            await vectors.start(self.db)
            yield
        finally:
            await self.conversations.close()
            await self.db.close()
            await self.embedders.close()


@asynccontextmanager
async def open_deployment(
    config: Config, *, min_size: int = 1, max_size: int = 2
) -> AsyncIterator[Deployment]:
    """A deployment that is open within this block; by default with few connections, for a command."""
    deployment = Deployment(config, min_size=min_size, max_size=max_size)
    async with deployment.opened():
        yield deployment


def _backends(config: Config, db: Database) -> Backends:
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
        listener=SessionEvents(db),
    )
