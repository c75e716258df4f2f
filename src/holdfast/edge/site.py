"""The pages outside the API and the console: the API's docs without a network, health, metrics."""

import asyncio
import math
import os
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from pydantic import BaseModel, Field

from holdfast.edge.route import OpenRoute
from holdfast.kernel import jobs, metrics
from holdfast.kernel.db import Database
from holdfast.kernel.errors import HoldfastError, NotFound

router = APIRouter(route_class=OpenRoute, include_in_schema=False)
health_router = APIRouter(tags=["operations"])

Check = Callable[[], Awaitable[None]]
CHECK_TIMEOUT_S = 3.0

_SWAGGER = files("fastapi_swagger") / "resources"
_ASSETS = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}

_DOCS = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Holdfast API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>
"""

_START = "SwaggerUIBundle({url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true});"


@router.get("/docs", response_class=HTMLResponse)
async def docs() -> str:
    """The OpenAPI document, rendered with files of this package only."""
    return _DOCS


@router.get("/docs/{name}")
async def docs_asset(name: str) -> Response:
    """The renderer's files."""
    if name == "start.js":
        return Response(_START, media_type="text/javascript")
    if name not in _ASSETS:
        raise NotFound("there is nothing at this path")
    return Response((_SWAGGER / name).read_bytes(), media_type=_ASSETS[name])


def _text_like(example: str) -> dict[int | str, dict[str, Any]]:
    """An answer in plain text, with an example for the OpenAPI document."""
    return {200: {"content": {"text/plain": {"example": example}}}}


@health_router.get(
    "/healthz",
    operation_id="service.health",
    response_class=PlainTextResponse,
    responses=_text_like("ok\n"),
)
async def healthz() -> str:
    """The process is alive. Checks no dependency."""
    return "ok\n"


class Readiness(BaseModel):
    """Whether the service is ready, and each dependency by name: `ok`, or what is wrong with it."""

    ready: bool
    checks: dict[str, str] = Field(examples=[{"database": "ok"}])


@health_router.get(
    "/readyz",
    operation_id="service.ready",
    responses={
        200: {"model": Readiness},
        503: {"model": Readiness, "description": "A dependency is not there."},
    },
)
async def readyz(request: Request) -> JSONResponse:
    """Each dependency by name: 200 when all answer, 503 when one does not.

    A replica that is not used is named with the reason, and the service is ready all the same: the primary answers."""
    needed: dict[str, Check] = request.app.state.checks
    checks: dict[str, Check] = {**needed, **request.app.state.optional_checks}
    results = dict(zip(checks, await asyncio.gather(*map(_run, checks.values())), strict=True))
    ready = all(results[name] == "ok" for name in needed)
    return JSONResponse({"ready": ready, "checks": results}, 200 if ready else 503)


@health_router.get(
    "/metrics",
    operation_id="service.metrics",
    response_class=PlainTextResponse,
    responses=_text_like("# TYPE holdfast_jobs_waiting gauge\nholdfast_jobs_waiting 0.0\n"),
)
async def prometheus(request: Request) -> Response:
    """Prometheus metrics, of all processes of this service."""
    await _measure_backlog(request.app.state.db)
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # its library has no types here
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


async def _measure_backlog(db: Database) -> None:
    """Ask the queue at each scrape: a worker that has died cannot report that jobs wait for it."""
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_S):
            found = await jobs.read_backlog(db)
    except (HoldfastError, TimeoutError):
        found = jobs.Backlog(math.nan, math.nan)  # the database is away: unknown, which is not 0
    metrics.jobs_waiting.set(found.waiting)
    metrics.oldest_job_seconds.set(found.oldest_s)


async def _run(check: Check) -> str:
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_S):
            await check()
    except HoldfastError as error:
        return error.detail
    except Exception as error:  # whatever keeps it from answering, it is not ready
        return type(error).__name__
    return "ok"


__all__ = ["Check", "health_router", "router"]
