"""Erasing a person for good, and the receipts of erasures."""

from fastapi import APIRouter, Response

from holdfast.console.visit import PageRoute, TheVisit
from holdfast.erasure import service
from holdfast.erasure.model import Receipt
from holdfast.erasure.verify import verify
from holdfast.kernel.errors import Invalid, Malformed
from holdfast.kernel.pages import Page

router = APIRouter(route_class=PageRoute, prefix="/erase", include_in_schema=False)


@router.get("", response_model=None)
async def erase_page(visit: TheVisit) -> Response:
    """The form, and the receipts for those who administer the org."""
    cursor = visit.cursor()
    page: Page[Receipt] = Page.of([], cursor)
    if visit.caller.administers:
        page = await service.list_receipts(visit.db, visit.caller, cursor)
    return visit.page(
        "org/erase.html",
        receipts=page.data,
        pages=visit.pager(page, cursor),
        user_id=visit.query.name("user_id") or "",
    )


@router.post("", response_model=None)
async def erase(visit: TheVisit) -> Response:
    """Have a job erase a person (needs step-up); the id is typed twice."""
    user_id = visit.form.name("user_id")
    if user_id is None:
        raise Malformed.field("user_id", "name the person to erase")
    if visit.form.text("again") != user_id:
        raise Invalid.field("again", "is not the same id: nothing was erased")
    everything = visit.form.flag("everything")
    job_id = await service.request(visit.db, visit.caller, user_id, everything=everything)
    return visit.go(f"/jobs/{job_id}", "erasing")


@router.get("/{receipt_id}", response_model=None)
async def receipt(visit: TheVisit, receipt_id: str) -> Response:
    """One receipt; with `verify`, checked against what is there now."""
    found = await service.open_receipt(visit.db, visit.caller, receipt_id)
    verdict = await verify(visit.db, visit.caller, found) if visit.query.flag("verify") else None
    return visit.page("org/receipt.html", receipt=found, verdict=verdict)
