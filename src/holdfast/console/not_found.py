"""The page for an address that is no page: what a browser gets where a client of the API gets a problem."""

from collections.abc import Awaitable, Callable
from typing import cast

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from holdfast.console import render
from holdfast.edge.problems import as_holdfast_error

Handler = Callable[[Request, Exception], Awaitable[Response]]

# Below these no person looks for a page.
NO_PAGES = ("/api/", "/mcp", "/auth/", "/anthropic/", "/mem0/", "/oauth/", "/.well-known/")


def install(app: FastAPI) -> None:
    """Answer a browser's request for an unknown path with a page; everything else as before."""
    otherwise = cast(Handler, app.exception_handlers[HTTPException])

    async def answer(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException) and error.status_code == 404 and _is_browser(request):
            refusal = as_holdfast_error(error)
            return render.page("outside/refused.html", refusal.status, error=refusal)
        return await otherwise(request, error)

    app.add_exception_handler(HTTPException, answer)


def _is_browser(request: Request) -> bool:
    """Whether a page is asked for: clients of the API do not accept HTML by name."""
    wants = "text/html" in request.headers.get("accept", "")
    return wants and request.method == "GET" and not request.url.path.startswith(NO_PAGES)
