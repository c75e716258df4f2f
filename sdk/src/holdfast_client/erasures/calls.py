"""The operations that erase people."""

from holdfast_client.calls import Call, Query, at, get, one, page_of, post
from holdfast_client.erasures.model import ErasureJob, Receipt, Verdict
from holdfast_client.scope import Scope
from holdfast_client.values import Page


def erase_user(scope: Scope, user_id: str, *, everything: bool = False) -> Call[ErasureJob]:
    """Erase a person for good; `everything`: also what the person wrote into shared memory. Wait for the job with
    `client.jobs.wait`: its result names the receipt."""
    body = {"everything": everything}
    return post(scope, at("users", user_id, "erase"), one(ErasureJob), body)


def list_receipts(
    scope: Scope, *, limit: int = 20, after_id: str | None = None, before_id: str | None = None
) -> Call[Page[Receipt]]:
    """Receipts of erasures, newest first."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(scope, "/erasures", page_of(Receipt), page)


def read_receipt(scope: Scope, receipt_id: str) -> Call[Receipt]:
    """One receipt."""
    return get(scope, at("erasures", receipt_id), one(Receipt))


def verify_receipt(scope: Scope, receipt_id: str) -> Call[Verdict]:
    """Check that a receipt is as it was written, and that nothing of the person is left."""
    return get(scope, at("erasures", receipt_id, "verify"), one(Verdict))
