"""The benchmarks of the faces run to their end, small and once: they send statements and fill tables themselves."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest
from bench import harness

SIZES: Mapping[str, dict[str, int]] = {
    "context": {"MEMORIES": 20},
    "conversations": {"SHORT": 3, "LONG": 6},
    "entries": {"AGENTS": 3},
    "memories": {"BATCH": 5, "USERS": 2, "PER_USER": 5},
    "stores": {"SMALL": 20, "LARGE": 40, "VERSIONS_EACH": 2},
}


async def once(title: str, operations: dict[str, harness.Operation], **_: Any) -> dict[str, float]:
    """In place of `compare`: every operation, the first time."""
    for operation in operations.values():
        await operation(0)
    return dict.fromkeys(operations, 1.0)


@pytest.mark.parametrize("name", SIZES)
async def test_a_benchmark_runs_to_its_end(name, org, db, service, monkeypatch, capsys):
    module = import_module(f"bench.{name}")
    monkeypatch.setattr(module, "compare", once)
    for constant, number in SIZES[name].items():
        monkeypatch.setattr(module, constant, number)
    bench = harness.Bench(
        service.pid,
        service.url,
        org.key,
        org.id,
        service.app_url,
        service.owner_url,
        db,
        org.client(),
    )
    await module.run(bench)
