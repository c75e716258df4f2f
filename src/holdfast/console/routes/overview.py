"""The first page: what there is, and what to do next."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

from fastapi import APIRouter, Request, Response

from holdfast.console.drawing.plots import Plot, counted, measured
from holdfast.console.routes.sign_in import link_page
from holdfast.console.visit import Handler, PageRoute, TheVisit
from holdfast.directory import agents, orgs
from holdfast.kernel import clock, jobs, usage
from holdfast.kernel.pages import Cursor
from holdfast.kernel.usage import UsageBucket
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
    used = await usage.read(db, caller, since, clock.now(), timedelta(days=1))
    return visit.page(
        "overview.html",
        org=org,
        memories=newest.data,
        stores=stored.data,
        agents=known.data,
        jobs=work.data,
        plots=[*_plots(since, days), *_usage_plots(since, used)],
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


def _usage_plots(since: datetime, used: Sequence[UsageBucket]) -> list[Plot]:
    """What was recalled and given to models in the last two weeks, all faces together."""
    every = [since + timedelta(days=number) for number in range(DAYS)]
    by_day = {day: [each for each in used if each.at == day] for day in every}
    recalls = {day: sum(each.recalls for each in found) for day, found in by_day.items()}
    return [
        counted("Recalls", "recalls", list(recalls.items())),
        measured(
            "Recalls that found something",
            "%",
            [(day, _hit_rate(by_day[day], recalls[day])) for day in every],
            top=1.0,
        ),
        counted(
            "Tokens given to models",
            "tokens",
            [(day, sum(each.tokens for each in by_day[day])) for day in every],
        ),
    ]


def _hit_rate(found: Sequence[UsageBucket], recalls: int) -> float | None:
    if not recalls:
        return None
    return sum((each.hit_rate or 0.0) * each.recalls for each in found) / recalls
