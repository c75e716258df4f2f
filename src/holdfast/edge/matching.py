"""Adds the routers' routes to the app, and finds a request's route by the beginning of its path.

FastAPI's `include_router` builds every route a second time (parameters, models, validators: a second of CPU when the service
starts) and compares each request with every route of every router in turn. Here a route is added as it was made, under its
prefix, and looked up by the first segments of the path: only those that begin so are asked, in the order in which they were
added. What none of them answers whole (a wrong method, no such path) goes the usual way.
"""

import copy
from functools import lru_cache

from fastapi.routing import APIRouter, iter_route_contexts
from starlette.routing import BaseRoute, Match, Route, compile_path
from starlette.types import Receive, Scope, Send

# As many segments of a path as are looked up: `/api/v1/memories`.
SEGMENTS = 3
# Beginnings of paths that are kept with their routers. Clients choose paths, so there is a bound.
MAX_KEPT = 1_024

Head = tuple[str, ...]


def add(app: APIRouter, router: APIRouter, prefix: str = "") -> None:
    """Add the routes of a router, which take nothing from the app that they are added to."""
    for route in router.routes:
        assert isinstance(route, Route), "a router has routes and no routers of its own"
        placed = copy.copy(route)
        placed.path = prefix + route.path
        placed.path_regex, placed.path_format, placed.param_convertors = compile_path(placed.path)
        app.routes.append(placed)


def install(router: APIRouter) -> None:
    """Have a router find its routes by the beginning of the path. Routes that are added afterwards are found the usual way."""
    heads = [(route, heads_of(route)) for route in router.routes]

    @lru_cache(maxsize=MAX_KEPT)
    def candidates(head: Head) -> tuple[BaseRoute, ...]:
        return tuple(
            route for route, begins in heads if any(head[: len(each)] == each for each in begins)
        )

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        # With tracing, FastAPI tells its telemetry which route it took.
        if scope["type"] == "http" and not scope.get("root_path") and not _is_traced(scope):
            scope.setdefault("router", router)
            for route in candidates(_segments(scope["path"])):
                match, child_scope = route.matches(scope)
                if match is Match.FULL:
                    scope.update(child_scope)
                    await route.handle(scope, receive, send)
                    return
        await router.app(scope, receive, send)

    router.middleware_stack = app


def heads_of(route: BaseRoute) -> frozenset[Head]:
    """The beginnings of the paths that a route, or a router's routes, can match: as far as they are fixed."""
    return frozenset(_fixed(each.path) for each in iter_route_contexts([route]))


def _fixed(path: str | None) -> Head:
    """The first segments of a pattern, up to the first that a request fills in; none of what has no pattern."""
    segments = _segments(path or "")
    filled_in = [place for place, each in enumerate(segments) if "{" in each]
    return segments[: filled_in[0]] if filled_in else segments


def _segments(path: str) -> Head:
    return tuple(path.split("/", SEGMENTS + 1)[1 : SEGMENTS + 1])


def _is_traced(scope: Scope) -> bool:
    return scope.get("fastapi.telemetry") is not None
