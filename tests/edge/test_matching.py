"""Routes that are found by the beginning of a path are those that FastAPI finds by asking all."""

import re

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from fastapi.routing import iter_route_contexts
from starlette.responses import PlainTextResponse
from starlette.routing import Match, Mount

from holdfast.app import make_app
from holdfast.deployment import Config
from holdfast.edge import matching


@pytest.fixture(scope="module")
def routes():
    return make_app(Config(database_url="postgresql:///none", embedder="none")).router.routes


def test_the_first_route_that_matches_a_path_is_among_those_that_are_asked(routes):
    heads = {id(route): matching.heads_of(route) for route in routes}
    compared = 0
    for each in iter_route_contexts(routes):
        for method in each.methods or ():
            path = re.sub(r"\{[^}]*\}", "x", each.path)
            scope = {"type": "http", "method": method, "path": path, "root_path": "", "headers": []}
            first = next(r for r in routes if r.matches(dict(scope))[0] is Match.FULL)
            segments = matching._segments(path)
            assert any(segments[: len(head)] == head for head in heads[id(first)]), path
            compared += 1
    assert compared > 200


@pytest.fixture
async def client():
    app = FastAPI(redirect_slashes=False)
    first, second = APIRouter(), APIRouter()

    @first.get("/things/fixed")
    async def fixed() -> str:
        return "fixed"

    @second.get("/things/{thing_id}")
    async def thing(thing_id: str) -> str:
        return thing_id

    @second.get("/{anything}/{more}/{than}/{three}")
    async def anything(anything: str, three: str) -> str:
        return f"{anything} {three}"

    matching.add(app.router, first, "/api/v1")
    matching.add(app.router, second, "/api/v1")
    matching.add(app.router, second)

    async def mounted(scope, receive, send):
        await PlainTextResponse("mounted")(scope, receive, send)

    app.router.routes.append(Mount("/files", app=mounted))
    matching.install(app.router)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
        yield client


@pytest.mark.parametrize(
    ("method", "path", "status", "answer"),
    [
        ("GET", "/api/v1/things/fixed", 200, '"fixed"'),
        ("GET", "/api/v1/things/other", 200, '"other"'),
        ("GET", "/things/fixed", 200, '"fixed"'),
        ("GET", "/a/b/c/d", 200, '"a d"'),
        ("GET", "/files/deep/down", 200, "mounted"),
        ("POST", "/api/v1/things/fixed", 405, None),
        ("GET", "/api/v1/nothing", 404, None),
        ("GET", "/", 404, None),
    ],
)
async def test_paths_are_answered_as_without_the_lookup(client, method, path, status, answer):
    reply = await client.request(method, path)
    assert reply.status_code == status
    assert answer is None or reply.text == answer
