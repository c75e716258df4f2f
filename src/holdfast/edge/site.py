"""The pages outside the API: what runs here, its docs without a network, its health, its metrics."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from importlib.resources import files
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from holdfast import __version__
from holdfast.edge.route import OpenRoute
from holdfast.kernel.errors import HoldfastError, NotFound

router = APIRouter(route_class=OpenRoute, include_in_schema=False)
health_router = APIRouter(tags=["operations"])

Check = Callable[[], Awaitable[None]]
CHECK_TIMEOUT_S = 3.0

_SWAGGER = files("fastapi_swagger") / "resources"
_ASSETS = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}

_HOME = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Holdfast</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
 :root {{ color-scheme: light dark; }}
 body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; }}
 code {{ font-size: .95em; }}
</style></head><body>
<h1>Holdfast</h1>
<p>One memory service for AI agents. Version {__version__} is running here.</p>
<ul>
 <li><a href="/docs">The API, to read and to try</a> (<a href="/openapi.json">OpenAPI</a>)</li>
 <li><a href="/readyz">Is it ready?</a> · <a href="/metrics">Metrics</a></li>
</ul>
<p>The API is under <code>/api/v1</code>; send your key as <code>Authorization: Bearer hf_live_…</code>.</p>
</body></html>
"""

_DOCS = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Holdfast API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>
"""

_START = "SwaggerUIBundle({url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true});"


@router.get("/", response_class=HTMLResponse, response_model=None)
async def home(link: str | None = None) -> str | Response:
    """What runs here and where the docs are; a one-time link goes to the page that uses it."""
    if link is not None:
        return RedirectResponse(f"/sign-in?{urlencode({'link': link})}", 303)
    return _HOME


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


@health_router.get("/healthz", response_class=PlainTextResponse)
async def healthz() -> str:
    """The process is alive. Checks no dependency."""
    return "ok\n"


@health_router.get("/readyz", responses={503: {"description": "A dependency is not there."}})
async def readyz(request: Request) -> JSONResponse:
    """Each dependency by name: 200 when all answer, 503 when one does not."""
    checks: dict[str, Check] = request.app.state.checks
    results = dict(zip(checks, await asyncio.gather(*map(_run, checks.values())), strict=True))
    ready = all(result == "ok" for result in results.values())
    return JSONResponse({"ready": ready, "checks": results}, 200 if ready else 503)


@health_router.get("/metrics", response_class=PlainTextResponse)
async def prometheus() -> Response:
    """Prometheus metrics, of all processes of this service."""
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # its library has no types here
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


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
