"""The keeper: the process that owns the embedded Postgres while `Holdfast()` is open anywhere, and runs background jobs.

    python -m holdfast.embedded.keeper      with the settings as JSON on standard input

It is started by the first process that opens the folder and serves all others. Every user of the folder holds `users.lock`
shared; once the keeper gets that lock whole, nobody is left (a process that was killed has lost its lock too): it finishes
the job it is at, stops Postgres in order, and ends.
"""

import asyncio
import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from holdfast import __version__
from holdfast.embedded.locks import KEEPER, USERS, FileLock
from holdfast.engine import Endpoints, Engine, FolderInUse
from holdfast.engine.files import write_private

NOTE = "embedded.json"
LOOK_EVERY_S = 0.2
# The process that opens the folder needs the machine first.
WORKER_AFTER_S = 1.0
FOLDER_IN_USE = 3
ANOTHER_KEEPER = 4


@dataclass(frozen=True, slots=True)
class Kept:
    """Where the keeper's Postgres answers."""

    pid: int
    app_url: str
    owner_url: str
    version: str


def read_note(data_dir: Path) -> Kept | None:
    """What the keeper noted; None where there is no note. A note alone does not prove that the keeper lives."""
    try:
        return Kept(**json.loads((data_dir / NOTE).read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def forget_dead_keeper(data_dir: Path) -> None:
    """Remove the note of a keeper that was killed: it names a Postgres that is stopping or gone, and would be taken for the
    note of the next keeper while that one is starting. Holding the keeper's lock, nobody else can be writing one."""
    with suppress(TimeoutError):
        lock = FileLock(data_dir / KEEPER, shared=False, patience_s=0)
        (data_dir / NOTE).unlink(missing_ok=True)
        lock.release()


def main() -> int:
    """Keep the folder until nobody uses it."""
    settings = json.load(sys.stdin)
    data_dir = Path(settings["data_dir"])
    try:
        lock = FileLock(data_dir / KEEPER, shared=False, patience_s=1.0)
    except TimeoutError:
        return ANOTHER_KEEPER
    engine = Engine(data_dir)
    try:
        endpoints = engine.start()
        engine.watch()
        _note(data_dir, endpoints)
        users = asyncio.run(_until_unused(data_dir, settings, endpoints))
    except FolderInUse:
        return FOLDER_IN_USE
    finally:
        (data_dir / NOTE).unlink(missing_ok=True)
        engine.stop()
        lock.release()
    users.release()  # held until here, so that whoever opens the folder now finds no half-stopped server
    return 0


def _note(data_dir: Path, endpoints: Endpoints) -> None:
    kept = Kept(os.getpid(), endpoints.app_url, endpoints.owner_url, __version__)
    write_private(data_dir / NOTE, json.dumps(asdict(kept)))


async def _until_unused(data_dir: Path, settings: dict[str, Any], endpoints: Endpoints) -> FileLock:
    """Run jobs until nobody uses the folder; the lock that says so."""
    stop = asyncio.Event()
    working = asyncio.create_task(_work(settings, endpoints, stop))
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        with suppress(TimeoutError):
            users = FileLock(data_dir / USERS, shared=False, patience_s=0)
            break
    stop.set()
    await working
    return users


async def _work(settings: dict[str, Any], endpoints: Endpoints, stop: asyncio.Event) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), WORKER_AFTER_S)
    if stop.is_set():
        return
    # Imported here: Postgres should answer first.
    from holdfast.deployment import config_of
    from holdfast.kernel import logs
    from holdfast.kernel.migrate import migrate
    from holdfast.settings import read_settings
    from holdfast.worker import keep_working

    logs.configure("warning")
    await asyncio.to_thread(migrate, endpoints.owner_url)
    config = config_of(read_settings(**settings), endpoints.app_url)
    await keep_working(lambda: None, stop, config)


if __name__ == "__main__":
    sys.exit(main())
