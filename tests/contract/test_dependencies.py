"""What routes depend on runs on the event loop: FastAPI would run a plain function in a thread, for every call."""

import inspect

from fastapi.routing import APIRoute

from holdfast.anthropic_api import routes as anthropic_api
from holdfast.app import ROUTERS
from holdfast.mem0_api import routes as mem0_api


def dependencies_of(dependant):
    for each in dependant.dependencies:
        yield each.call
        yield from dependencies_of(each)


def test_every_dependency_of_a_route_is_a_coroutine():
    routers = (*ROUTERS, *anthropic_api.ROUTERS, mem0_api.router)
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    calls = {call for route in routes for call in dependencies_of(route.dependant)}
    assert len(calls) > 8
    assert [call.__qualname__ for call in calls if not inspect.iscoroutinefunction(call)] == []
