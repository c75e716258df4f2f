"""A service for a benchmark: the one at HOLDFAST_URL, or one started for it in a folder that goes away."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Service:
    """Where to ask, with which key, and (where it was started here) its data folder."""

    url: str
    key: str
    data_dir: Path | None


@contextmanager
def running() -> Iterator[Service]:
    """The service to measure."""
    if "HOLDFAST_URL" in os.environ:
        yield Service(os.environ["HOLDFAST_URL"], os.environ["HOLDFAST_API_KEY"], None)
        return
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as name:
        data_dir = Path(name) / "data"
        process = subprocess.Popen(
            [sys.executable, "-m", "holdfast", "serve", "--json", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "HOLDFAST_DATA_DIR": str(data_dir)},
        )
        assert process.stdout is not None
        try:
            ready = json.loads(process.stdout.readline())
            yield Service(ready["url"], ready["api_key"], data_dir)
        finally:
            process.terminate()
            process.wait(60)
            process.stdout.close()
