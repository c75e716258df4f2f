"""How a command reaches the database: by URL, beside a running `serve`, or by starting the engine for a moment."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from holdfast.engine import Engine, find_running
from holdfast.kernel.db import Database
from holdfast.kernel.migrate import migrate
from holdfast.settings import Settings, read_settings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Urls:
    """Of the service's role, and of the schema's owner."""

    app: str
    owner: str


@contextmanager
def reach_database(settings: Settings, *, migrated: bool = True) -> Iterator[Urls]:
    """The database of these settings, with its schema up to date unless told otherwise."""
    if settings.database_url is not None:
        yield Urls(settings.database_url, settings.migration_url or settings.database_url)
        return
    running = find_running(settings.data_dir)
    if running is not None:
        yield Urls(running.app_url, running.owner_url)
        return
    engine = Engine(settings.data_dir)
    try:
        endpoints = engine.start()
        if migrated:
            migrate(endpoints.owner_url)
        yield Urls(endpoints.app_url, endpoints.owner_url)
    finally:
        engine.stop()


def with_database(work: Callable[[Database], Awaitable[T]]) -> T:
    """Do one piece of work on the database of the environment's settings."""
    with reach_database(read_settings()) as urls:

        async def run() -> T:
            async with Database(urls.app, min_size=1, max_size=2).opened() as db:
                return await work(db)

        return asyncio.run(run())
