"""The first page: what there is, and what to do next."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Request, Response

from holdfast.console.drawing.plots import Plot, counted, measured
from holdfast.console.routes.sign_in import link_page
from holdfast.console.visit import Handler, PageRoute, TheVisit
from holdfast.directory import agents, orgs
from holdfast.edge.base_url import base_url
from holdfast.kernel import clock, jobs, usage
from holdfast.kernel.pages import Cursor
from holdfast.kernel.usage import UsageBucket
from holdfast.learning import proposals
from holdfast.memories import service as memories
from holdfast.memories.model import Filter
from holdfast.operations.revisions import WritesBucket, count_writes
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
# How far back the plots go, and how much time a column stands for.
SPANS = {
    "1": ("24 hours", timedelta(hours=1), 24),
    "7": ("7 days", timedelta(hours=6), 28),
    "14": ("14 days", timedelta(days=1), 14),
    "30": ("30 days", timedelta(days=1), 30),
}
USUAL_SPAN = "14"
# Of a younger org the plots show fewer days, which would be empty.
NEW_ORG = timedelta(days=2)
# What is recalled: for a prompt, from everything at once, from one face.
FACES = ("context", "recall", "memories", "blocks", "entries", "conversations", "stores", "other")
FACE_NAMES = {"context": "for a prompt", "recall": "everything"}


@router.get("/", response_model=None)
async def overview(visit: TheVisit) -> Response:
    """What was written lately, and the first commands where there is nothing yet."""
    db, caller = visit.db, visit.caller
    org = await orgs.read_org(db, caller)
    usual = "1" if clock.now() - org.created_at < NEW_ORG else USUAL_SPAN
    span = visit.query.choice("days", tuple(SPANS)) or usual
    _, bucket, count = SPANS[span]
    since = _begin(bucket) - bucket * (count - 1)
    newest, stored, known, work, waiting = await asyncio.gather(
        memories.list_memories(db, caller, Filter(), FEW),
        stores.list_stores(db, caller, FEW),
        agents.list_agents(db, caller, FEW),
        jobs.list_jobs(db, caller, FEW),
        proposals.list_proposals(db, caller, FEW, status="pending"),
    )
    now = clock.now()
    written = await count_writes(db, caller, since, bucket)
    used = await usage.read(db, caller, since, now, bucket)
    latencies = await usage.read_latencies(db, caller, since, now, bucket)
    every = [since + bucket * number for number in range(count)]
    return visit.page(
        "overview.html",
        org=org,
        memories=newest.data,
        stores=stored.data,
        agents=known.data,
        jobs=work.data,
        waiting=len(waiting.data),
        more_wait=waiting.has_more,
        plots=_plots(every, written, used, latencies),
        by_hour=bucket < timedelta(days=1),
        spans={days: name for days, (name, _, _) in SPANS.items()},
        span=span,
        url=base_url(visit.request),
    )


def _begin(bucket: timedelta) -> datetime:
    """When the span that holds the present began."""
    epoch = datetime(2001, 1, 1, tzinfo=UTC)
    return epoch + bucket * ((clock.now() - epoch) // bucket)


def _plots(
    every: Sequence[datetime],
    written: Sequence[WritesBucket],
    used: Sequence[UsageBucket],
    latencies: Mapping[datetime, float],
) -> list[Plot]:
    """What was changed, recalled and given to models, a column or a point for each span."""
    changes = {each.at: each for each in written}
    none = WritesBucket(every[0], 0, 0, 0)
    by_span = {at: [each for each in used if each.at == at] for at in every}
    return [
        counted(
            "Writes",
            "writes",
            [(at, _by_whom(changes.get(at, none))) for at in every],
            ("people and agents", "jobs"),
        ),
        counted(
            "Recalls",
            "recalls",
            [(at, _by_face(by_span[at])) for at in every],
            [FACE_NAMES.get(face, face) for face in FACES],
        ),
        measured(
            "Recalls that found something",
            "%",
            [(at, _hit_rate(by_span[at])) for at in every],
            top=1.0,
        ),
        counted(
            "Tokens given to models",
            "tokens",
            [(at, [sum(each.tokens for each in by_span[at])]) for at in every],
        ),
        counted(
            "Evicted or flushed",
            "times",
            [(at, [changes.get(at, none).evictions]) for at in every],
        ),
        measured("Latency of a call", "ms", [(at, latencies.get(at)) for at in every]),
    ]


def _by_whom(found: WritesBucket) -> list[int]:
    return [found.writes - found.by_jobs, found.by_jobs]


def _by_face(found: Sequence[UsageBucket]) -> list[int]:
    """Recalls of each face; what belongs to none is the last."""
    known = FACES[:-1]
    counts = [sum(each.recalls for each in found if each.face == face) for face in known]
    return [*counts, sum(each.recalls for each in found if each.face not in known)]


def _hit_rate(found: Sequence[UsageBucket]) -> float | None:
    recalls = sum(each.recalls for each in found)
    if not recalls:
        return None
    return sum((each.hit_rate or 0.0) * each.recalls for each in found) / recalls
