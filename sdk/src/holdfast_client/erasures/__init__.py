"""Erasing people, and the receipts of that."""

from holdfast_client.erasures import calls
from holdfast_client.erasures.model import ErasureJob, Receipt, Verdict
from holdfast_client.face import AsyncFace, Face, awaited, sync

__all__ = ["AsyncErasures", "ErasureJob", "Erasures", "Receipt", "Verdict"]


class Erasures(Face):
    """Erase a person; read and check receipts."""

    erase = sync(calls.erase_user)
    list = sync(calls.list_receipts)
    read = sync(calls.read_receipt)
    verify = sync(calls.verify_receipt)


class AsyncErasures(AsyncFace):
    """Erase a person; read and check receipts."""

    erase = awaited(calls.erase_user)
    list = awaited(calls.list_receipts)
    read = awaited(calls.read_receipt)
    verify = awaited(calls.verify_receipt)
