"""Hygiene: how clean memory is, and consolidation that fixes it."""

from fastapi import APIRouter, Response

from holdfast.console.visit import PageRoute, TheVisit
from holdfast.kernel.errors import Malformed
from holdfast.learning.consolidation import hygiene, service
from holdfast.learning.consolidation.service import KINDS, ConsolidationKind

router = APIRouter(route_class=PageRoute, prefix="/hygiene", include_in_schema=False)

REHEARSED_SHOWN = 50
# Of each kind: a page answers soon. `holdfast hygiene` compares up to 10,000.
ROWS_COMPARED = 100
# What each kind of consolidation does, for a person who is about to start it.
FIXES: dict[ConsolidationKind, str] = {
    "duplicates": "merge what says the same",
    "contradictions": "end what a newer statement contradicts",
    "expired": "retire what is over",
    "unused": "retire what was never used",
    "core": "move what the core block has no room for",
}


@router.get("", response_model=None)
async def read_hygiene(visit: TheVisit) -> Response:
    """Counts for what memory holds for the user; with `rehearse`, what one kind of consolidation would propose."""
    kind = visit.query.choice("rehearse", KINDS)
    found = await hygiene.measure(visit.db, visit.caller, compared=ROWS_COMPARED)
    rehearsal = None if kind is None else await service.rehearse(visit.db, visit.caller, [kind])
    return visit.page(
        "upkeep/hygiene.html",
        kinds={
            "Memories": found.memory,
            "Entries": found.entry,
            "Block lines": found.block,
            "Node items": found.node_item,
        },
        compared=ROWS_COMPARED,
        fixes=FIXES,
        rehearsed=kind,
        proposals=[] if rehearsal is None else rehearsal.proposals[:REHEARSED_SHOWN],
        number=0 if rehearsal is None else len(rehearsal.proposals),
    )


@router.post("", response_model=None)
async def consolidate(visit: TheVisit) -> Response:
    """Have a job consolidate; what it finds is applied, or waits for review where the org says so."""
    kind = visit.form.choice("kind", KINDS)
    if kind is None:
        raise Malformed.field("kind", f"is one of {', '.join(KINDS)}")
    asked = await service.request(visit.db, visit.caller, [kind])
    return visit.go(f"/jobs/{asked.job_id}")
