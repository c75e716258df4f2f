"""Calls of language models over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import page_cursor
from holdfast.kernel import ledger
from holdfast.kernel.ledger import CallStatus, LlmCall
from holdfast.kernel.pages import Cursor, Page

router = APIRouter(route_class=ApiRoute, tags=["language models"])


@router.get("/llm-calls", operation_id="jobs.llm_calls")
async def list_llm_calls(
    cursor: Annotated[Cursor, Depends(page_cursor)],
    caller: TheCaller,
    db: TheDatabase,
    status: Annotated[CallStatus | None, Query()] = None,
    job_id: Annotated[str | None, Query(description="of this job alone")] = None,
) -> Page[LlmCall]:
    """Calls of language models, newest first: all of the org's for administrators, else those made for the user."""
    return await ledger.list_calls(db, caller, cursor, status=status, job_id=job_id)
