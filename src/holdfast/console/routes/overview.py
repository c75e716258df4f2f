"""The first page: what there is, and what to do next."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

from fastapi import APIRouter, Request, Response

from holdfast.console.drawing.plots import Plot, counted
from holdfast.console.routes.sign_in import link_page
from holdfast.console.visit import Handler, PageRoute, TheVisit
from holdfast.directory import agents, orgs
from holdfast.kernel import clock, jobs
from holdfast.kernel.pages import Cursor
from holdfast.memories import service as memories
from holdfast.memories.model import Filter
from holdfast.operations.revisions import Day, count_writes
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
DAYS = 14


@router.get("/", response_model=None)
async def overview(visit: TheVisit) -> Response:
    """What was written lately, and the first commands where there is nothing yet."""
    db, caller = visit.db, visit.caller
    since = _midnight() - timedelta(days=DAYS - 1)
    org, newest, stored, known, work, days = await asyncio.gather(
        orgs.read_org(db, caller),
        memories.list_memories(db, caller, Filter(), FEW),
        stores.list_stores(db, caller, FEW),
        agents.list_agents(db, caller, FEW),
        jobs.list_jobs(db, caller, FEW),
        count_writes(db, caller, since),
    )
    return visit.page(
        "overview.html",
        org=org,
        memories=newest.data,
        stores=stored.data,
        agents=known.data,
        jobs=work.data,
        plots=_plots(since, days),
        url=str(visit.request.base_url).rstrip("/"),
    )


def _midnight() -> datetime:
    return clock.now().replace(hour=0, minute=0, second=0, microsecond=0)


def _plots(since: datetime, days: Sequence[Day]) -> list[Plot]:
    """The last two weeks, a column for each day."""
    by_day = {each.day: each for each in days}
    every = [since + timedelta(days=number) for number in range(DAYS)]
    found = [(day, by_day.get(day)) for day in every]
    return [
        counted("Changes", "changes", [(day, each.writes if each else 0) for day, each in found]),
        counted(
            "Made by jobs", "changes", [(day, each.by_jobs if each else 0) for day, each in found]
        ),
        counted(
            "Evicted or flushed",
            "times",
            [(day, each.evictions if each else 0) for day, each in found],
        ),
    ]
