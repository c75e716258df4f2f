"""`python -m bench [NAME …]` runs all benchmarks, or the named ones."""

import importlib
import sys
from pathlib import Path

import uvloop

from bench.harness import bench_service, console, load_note
from holdfast.api import tune_garbage_collector
from holdfast.kernel import logs

# Modules here that have no `run(bench)`: tools, and programs of their own.
OTHERS = {"__init__", "__main__", "console", "extract", "harness", "kill_rounds", "load", "memchat", "quality", "recall_features", "replay"}  # fmt: skip
NAMES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in OTHERS)


async def main(names: list[str]) -> None:
    """Run each benchmark on a new service."""
    for name in names:
        console.rule(f"{name} ({load_note()})")
        module = importlib.import_module(f"bench.{name}")
        async with bench_service() as bench:
            tune_garbage_collector()  # measurements in this process use the same settings as the service
            await module.run(bench)


if unknown := set(sys.argv[1:]) - set(NAMES):
    raise SystemExit(f"no benchmark named {', '.join(unknown)}; there are {', '.join(NAMES)}")
logs.configure("warning")
uvloop.run(main(sys.argv[1:] or NAMES))
