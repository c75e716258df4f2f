"""The first page: what there is, and what to do next."""

import asyncio

from fastapi import APIRouter, Request, Response

from holdfast.console.routes.sign_in import link_page
from holdfast.console.visit import Handler, PageRoute, TheVisit
from holdfast.directory import agents, orgs
from holdfast.kernel import jobs
from holdfast.kernel.pages import Cursor
from holdfast.memories import service as memories
from holdfast.memories.model import Filter
from holdfast.stores import service as stores


class HomeRoute(PageRoute):
    """The first page; a one-time link that names it goes to the page that uses the link, signed in or not."""

    def get_route_handler(self) -> Handler:
        """The page's function, wrapped."""
        answer = super().get_route_handler()

        async def handle(request: Request) -> Response:
            link = request.query_params.get("link")
            return await answer(request) if link is None else link_page(link)

        return handle


router = APIRouter(route_class=HomeRoute, include_in_schema=False)

FEW = Cursor(5)


@router.get("/", response_model=None)
async def overview(visit: TheVisit) -> Response:
    """What was written lately, and the first commands where there is nothing yet."""
    db, caller = visit.db, visit.caller
    org, newest, stored, known, work = await asyncio.gather(
        orgs.read_org(db, caller),
        memories.list_memories(db, caller, Filter(), FEW),
        stores.list_stores(db, caller, FEW),
        agents.list_agents(db, caller, FEW),
        jobs.list_jobs(db, caller, FEW),
    )
    return visit.page(
        "overview.html",
        org=org,
        memories=newest.data,
        stores=stored.data,
        agents=known.data,
        jobs=work.data,
        url=str(visit.request.base_url).rstrip("/"),
    )
