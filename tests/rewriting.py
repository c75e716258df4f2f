"""Rewrites the asserts of all test modules once per run, before the workers of pytest-xdist import them.

pytest keeps rewritten modules in `__pycache__`. After a checkout there are none, and each worker would make all of them at the
same time as the others, which takes longer than importing them.
"""

import sys
import threading
from pathlib import Path

import pytest
from _pytest.assertion import rewrite


def start(config: pytest.Config, folder: Path) -> threading.Thread:
    """Rewrite what has no current file in the cache, in a thread: meanwhile this process waits for the service."""
    thread = threading.Thread(target=_rewrite_all, args=(config, folder))
    thread.start()
    return thread


def _rewrite_all(config: pytest.Config, folder: Path) -> None:
    if sys.dont_write_bytecode or not getattr(config.option, "tx", None):  # no workers
        return
    for path in sorted(folder.rglob("*.py")):
        if not path.name.startswith("test_") and path.name != "conftest.py":
            continue
        kept = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
        if rewrite._read_pyc(path, kept) is None:
            rewrite.try_makedirs(kept.parent)
            source_hash, code = rewrite._rewrite_test(path, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source_hash, kept)
