"""Finding what answers for a data folder, or starting it: a `serve`, or the keeper."""

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from holdfast.embedded.keeper import FOLDER_IN_USE, Kept, forget_dead_keeper, read_note
from holdfast.embedded.locks import keeper_lives
from holdfast.local import LocalService, find_service

# A first start makes the cluster; a start after a crash may have a log to read.
OPEN_WITHIN_S = 120.0
LOOK_EVERY_S = 0.02
LOG = "keeper.log"


class OpenFailed(RuntimeError):
    """The data folder could not be opened; the text says why."""


def running_service(data_dir: Path) -> LocalService | None:
    """The `holdfast serve` that runs on this folder and takes our key; None if there is none."""
    noted = find_service(data_dir)
    if noted is None:
        return None
    try:
        with httpx.Client(timeout=2.0) as http:
            answer = http.get(
                f"{noted.url}/api/v1/org", headers={"Authorization": f"Bearer {noted.key}"}
            )
    except httpx.RequestError:
        return None
    return noted if answer.status_code == httpx.codes.OK else None


class KeeperStart:
    """A keeper that is being started, or one that runs already."""

    def __init__(self, data_dir: Path, settings: Mapping[str, Any]) -> None:
        """Start a keeper unless one lives; does not wait for it."""
        self._data_dir, self._settings = data_dir, settings
        self._process = None if keeper_lives(data_dir) else self._spawn()

    def wait(self) -> Kept | LocalService:
        """Wait until Postgres answers. A `serve` that took the folder first is given instead."""
        deadline = time.monotonic() + OPEN_WITHIN_S
        while time.monotonic() < deadline:
            if keeper_lives(self._data_dir):
                kept = read_note(self._data_dir)
                if kept is not None:
                    return kept
            elif self._ended():
                service = running_service(self._data_dir)
                if service is not None:
                    return service
            time.sleep(LOOK_EVERY_S)
        raise OpenFailed(
            f"no database on {self._data_dir} within {OPEN_WITHIN_S:g} s; see {self._log}"
        )

    @property
    def _log(self) -> Path:
        return self._data_dir / LOG

    def _ended(self) -> bool:
        """Whether the keeper ended because a `serve` has the folder. If it ended because another keeper was just leaving,
        a new one is started."""
        status = 0 if self._process is None else self._process.poll()
        if status is None:
            return False
        if status == FOLDER_IN_USE:
            time.sleep(0.2)  # a `serve` is on its way up or down
        elif status == 1:
            raise OpenFailed(f"the database of {self._data_dir} did not start; see {self._log}")
        self._process = self._spawn()
        return status == FOLDER_IN_USE

    def _spawn(self) -> "subprocess.Popen[str]":
        forget_dead_keeper(self._data_dir)
        with self._log.open("a") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "holdfast.embedded.keeper"],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                text=True,
                start_new_session=True,  # a Ctrl-C in this terminal is not the keeper's
            )
        assert process.stdin is not None
        with process.stdin as given:
            json.dump({**self._settings, "data_dir": str(self._data_dir)}, given, default=str)
        return process
