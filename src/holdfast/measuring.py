"""How long calls take on a deployment: an org made for the purpose, used through the application, and removed again."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import httpx

from holdfast.app import make_app
from holdfast.bootstrap import create_org
from holdfast.deployment import config_of
from holdfast.settings import Settings
from holdfast.walls.probe import client_of, remove_org

Send = Callable[[httpx.AsyncClient, int], Awaitable[httpx.Response]]

_PLACES = ("Porto", "Braga", "Leeds", "Perth", "Turin", "Ghent", "Malmö", "Cork", "Graz", "Lille")
_THINGS = ("bicycle", "printer", "garden", "invoice", "ferry", "choir", "oven", "lease", "harp")


def _fact(number: int) -> str:
    """A sentence of its own for each number."""
    place, thing = _PLACES[number % len(_PLACES)], _THINGS[number % len(_THINGS)]
    return f"The {thing} number {number} belongs to the office in {place}."


async def _remember(api: httpx.AsyncClient, number: int) -> httpx.Response:
    return await api.post("/memories", json={"key": f"fact {number}", "value": _fact(number)})


async def _recall(api: httpx.AsyncClient, number: int) -> httpx.Response:
    return await api.post("/recall", json={"query": f"where is the {_THINGS[number % 9]}?"})


async def _context(api: httpx.AsyncClient, number: int) -> httpx.Response:
    message = f"Who has a {_THINGS[number % 9]} in {_PLACES[number % 10]}?"
    return await api.post("/context", json={"message": message, "max_tokens": 2000})


async def _list(api: httpx.AsyncClient, _number: int) -> httpx.Response:
    return await api.get("/memories", params={"limit": 20})


# In this order: what is remembered is what the others find.
CALLS: dict[str, Send] = {
    "remember": _remember,
    "recall": _recall,
    "context": _context,
    "memories.list": _list,
}


async def measure(
    settings: Settings, app_url: str, owner_url: str, times: int
) -> list[dict[str, Any]]:
    """For each of CALLS: how often it was made, and milliseconds of the median and of the slowest twentieth."""
    app = make_app(config_of(settings, app_url))
    async with app.router.lifespan_context(app):
        org_id, key = await create_org(app.state.db, "bench: a measurement")
        try:
            async with client_of(app, key, {"Holdfast-User": "bench"}) as api:
                return [await _measured(api, name, send, times) for name, send in CALLS.items()]
        finally:
            remove_org(owner_url, org_id)


async def _measured(api: httpx.AsyncClient, name: str, send: Send, times: int) -> dict[str, Any]:
    (await send(api, 0)).raise_for_status()  # plans and caches are made by the first
    took: list[float] = []
    for number in range(1, times + 1):
        begun = time.perf_counter()
        reply = await send(api, number)
        took.append(time.perf_counter() - begun)
        reply.raise_for_status()
    return _figures(name, took)


def _figures(name: str, took: Sequence[float]) -> dict[str, Any]:
    ordered = sorted(took)
    return {
        "call": name,
        "times": len(ordered),
        "p50_ms": round(ordered[len(ordered) // 2] * 1000, 2),
        "p95_ms": round(ordered[min(len(ordered) * 95 // 100, len(ordered) - 1)] * 1000, 2),
        "per_second": round(len(ordered) / sum(ordered), 1),
    }
