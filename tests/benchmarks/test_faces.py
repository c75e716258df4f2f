"""The benchmarks of the faces run to their end, small and once: they send statements and fill tables themselves."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest
from bench import harness, recall_speed

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


def bench_of(org: Any, db: Any, service: Any) -> harness.Bench:
    """The service under test, as a benchmark sees it."""
    return harness.Bench(
        service.pid,
        service.url,
        org.key,
        org.id,
        service.app_url,
        service.owner_url,
        db,
        org.client(),
    )


@pytest.mark.parametrize("name", SIZES)
async def test_a_benchmark_runs_to_its_end(name, org, db, service, monkeypatch, capsys):
    module = import_module(f"bench.{name}")
    monkeypatch.setattr(module, "compare", once)
    for constant, number in SIZES[name].items():
        monkeypatch.setattr(module, constant, number)
    await module.run(bench_of(org, db, service))


async def test_the_speed_of_recall_is_measured_on_what_was_filled(
    org, db, service, monkeypatch, capsys
):
    sizes = {"NARROW_SIZE": 20, "ROUNDS": 1, "PER_ROUND": 2, "CLIENTS": 2, "PER_CLIENT": 2}
    for constant, number in sizes.items():
        monkeypatch.setattr(recall_speed, constant, number)
    bench = bench_of(org, db, service)
    recall_speed.fill(bench, 60)
    await recall_speed.measure(bench, bench, 60)
    printed = capsys.readouterr().out
    assert "sees all of 60" in printed
    assert "2 clients: p95 / p50" in printed
