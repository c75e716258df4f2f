"""The service inside this process: its app on a loop of its own, the schema up to date, a key to call it with."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog

from holdfast.app import make_app
from holdfast.bootstrap import bootstrap, create_org, mint_local_key
from holdfast.deployment import config_of
from holdfast.embedded.app_loop import AppLoop
from holdfast.embedded.keeper import Kept
from holdfast.engine.files import read_if_there, write_private
from holdfast.kernel.db import Database
from holdfast.kernel.migrate import migrate
from holdfast.settings import Settings, read_settings
from holdfast_client.transport import Server

KEY = "embedded.key"
# Several processes share one Postgres, and each has connections of its own.
POOL_SIZE = 8


class Instance:
    """The app of one data folder, running."""

    def __init__(self, kept: Kept, data_dir: Path, settings: Mapping[str, Any]) -> None:
        """Bring the schema up to date, make the first org if there is none, and start the app."""
        _log_warnings_only()
        known = read_settings(**{**settings, "data_dir": data_dir})
        migrate(kept.owner_url)
        key = read_if_there(data_dir / KEY) or asyncio.run(_first_key(kept, known))
        write_private(data_dir / KEY, key)
        config = config_of(known, kept.app_url)
        self.server = Server("http://embedded", key)
        config = replace(config, pool_size=min(config.pool_size, POOL_SIZE))
        self.app = AppLoop(make_app(config, embedded=True))

    @property
    def is_ours(self) -> bool:
        """Whether this process opened it; False in a process that was forked since."""
        return self.app.is_ours

    def new_org(self, name: str) -> str:
        """Make an org; its service key."""
        db: Database = self.app.app.state.db
        _, key = self.app.submit(create_org(db, name)).result()
        return key

    def close(self) -> None:
        """Stop the app."""
        self.app.close()


async def _first_key(kept: Kept, settings: Settings) -> str:
    async with Database(kept.app_url, min_size=1, max_size=1).opened() as db:
        await bootstrap(
            db,
            kept.owner_url,
            key=settings.bootstrap_key,
            email=settings.owner_email,
            password=settings.owner_password,
        )
        return await mint_local_key(db, kept.owner_url)


def _log_warnings_only() -> None:
    """Without this, structlog prints a line for every request; a configuration of the program's own is left alone."""
    if not structlog.is_configured():
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
