"""Hygiene: how clean memory is, and consolidation that fixes it."""

from typing import Literal, get_args

from fastapi import APIRouter, Response

from holdfast.console.visit import PageRoute, TheVisit
from holdfast.kernel.errors import Malformed
from holdfast.learning.consolidation import measuring, service
from holdfast.learning.consolidation.service import KINDS, ConsolidationKind

router = APIRouter(route_class=PageRoute, prefix="/hygiene", include_in_schema=False)

Previewed = Literal["expired", "unused", "core"]
PREVIEWED: tuple[Previewed, ...] = get_args(Previewed)
ROWS_SHOWN = 50
# What each kind of consolidation does, for a person who is about to start it.
FIXES: dict[ConsolidationKind, str] = {
    "duplicates": "merge what says the same",
    "contradictions": "end what a newer statement contradicts",
    "expired": "retire what is over",
    "unused": "retire what was learned and never used",
    "core": "move what tells of one day from the core block to the memories",
}
KIND_NAMES = {
    "memory": "Memories",
    "entry": "Entries",
    "block": "Block lines",
    "node_item": "Node items",
}


@router.get("", response_model=None)
async def read_hygiene(visit: TheVisit) -> Response:
    """The counts and pairs of the last measurement; with `preview`, the rows that one fix would retire or move."""
    kind = visit.query.choice("preview", PREVIEWED)
    shown = await measuring.read(visit.db, visit.caller)
    rows = [] if kind is None else await service.preview(visit.db, visit.caller, kind)
    found = shown.hygiene
    kinds = {} if found is None else {KIND_NAMES[each]: getattr(found, each) for each in KIND_NAMES}
    return visit.page(
        "upkeep/hygiene.html",
        shown=shown,
        kinds=kinds,
        kind_names=KIND_NAMES,
        is_empty=found is not None and not any(each.rows for each in kinds.values()),
        fixes=FIXES,
        previewed=kind,
        rows=rows[:ROWS_SHOWN],
        number=len(rows),
    )


@router.post("", response_model=None)
async def consolidate(visit: TheVisit) -> Response:
    """Have a job consolidate; what it finds is applied, or waits for review where the org says so."""
    kind = visit.form.choice("kind", KINDS)
    if kind is None:
        raise Malformed.field("kind", f"is one of {', '.join(KINDS)}")
    asked = await service.request(visit.db, visit.caller, [kind])
    return visit.go(f"/jobs/{asked.job_id}")


@router.post("/measure", response_model=None)
async def measure(visit: TheVisit) -> Response:
    """Have a job measure; the page shows its result when it is done."""
    await measuring.request(visit.db, visit.caller)
    return visit.go("/hygiene", "measuring")
