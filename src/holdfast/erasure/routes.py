"""Erasing a person over HTTP, and the receipts."""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field

from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body, page_cursor
from holdfast.erasure import service
from holdfast.erasure.model import Receipt, Verdict
from holdfast.erasure.verify import verify
from holdfast.kernel.pages import Cursor, Page

router = APIRouter(route_class=ApiRoute, tags=["erasure"])


class EraseBody(Body):
    """How much goes: `everything` also deletes what the person wrote into shared memory."""

    everything: bool = Field(False, examples=[False])


class ErasureJob(Body):
    """The job that erases: its id. GET /jobs/{job_id} has its progress and, at the end, the receipt's id."""

    job_id: str


@router.post("/users/{user_id}/erase", status_code=202, operation_id="erasures.erase")
async def erase_user(
    user_id: str, caller: TheCaller, db: TheDatabase, body: EraseBody | None = None
) -> ErasureJob:
    """Erase a person for good: with a service key, or in a browser with a fresh step-up (an owner, or the person)."""
    everything = body is not None and body.everything
    job_id = await service.request(db, caller, user_id, everything=everything)
    return ErasureJob(job_id=job_id)


@router.get("/erasures", operation_id="erasures.list")
async def list_receipts(
    cursor: Annotated[Cursor, Depends(page_cursor)], caller: TheCaller, db: TheDatabase
) -> Page[Receipt]:
    """The receipts of erasures, newest first, for those who administer the org."""
    return await service.list_receipts(db, caller, cursor)


@router.get("/erasures/{receipt_id}", operation_id="erasures.read")
async def get_receipt(receipt_id: str, caller: TheCaller, db: TheDatabase) -> Receipt:
    """One receipt, for those who administer the org."""
    return await service.open_receipt(db, caller, receipt_id)


@router.get("/erasures/{receipt_id}/verify", operation_id="erasures.verify")
async def verify_receipt(receipt_id: str, caller: TheCaller, db: TheDatabase) -> Verdict:
    """Check that a receipt is as it was written, and that nothing of the person is left."""
    return await verify(db, caller, await service.open_receipt(db, caller, receipt_id))
