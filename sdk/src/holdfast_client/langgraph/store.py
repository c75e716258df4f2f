"""HoldfastStore: LangGraph's BaseStore on a store of Holdfast."""

import asyncio
import threading
from collections.abc import Iterable, Sequence
from typing import TypeVar

from langgraph.store.base import (
    BaseStore,
    InvalidNamespaceError,
    Op,
    PutOp,
    Result,
    TTLConfig,
    validate_op_namespace,
)

from holdfast_client.client import AsyncClient, Client
from holdfast_client.flows import Flow, run, run_async
from holdfast_client.langgraph.operations import Place, run_batch, sweep
from holdfast_client.named_stores import open_store

T = TypeVar("T")
DESCRIPTION = "Items of LangGraph"


class HoldfastStore(BaseStore):
    """Items in one store of Holdfast, named `store`, each an entry with its versions; made at the first use if there is none.

    `memory` is a Client, a scoped one, or an embedded Holdfast; with an AsyncClient only the `a…` methods work. `fields` are the
    paths that a query searches unless a put names others. `ttl` as in LangGraph: minutes, and whether a read starts them
    anew; `sweep_ttl` deletes what is expired, which is not returned unless `omit_expired` is False.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Client | AsyncClient,
        *,
        store: str = "langgraph",
        fields: Sequence[str] = ("$",),
        ttl: TTLConfig | None = None,
    ) -> None:
        self._memory, self._name, self._fields = memory, store, tuple(fields)
        self.ttl_config = ttl
        self._place: Place | None = None
        self._turn = threading.Lock()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the operations; LangGraph's other methods use this."""
        checked = _checked(ops)
        return run(run_batch(self._opened(), checked), self._client.send)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, awaited. With a sync client it runs in a thread."""
        checked = _checked(ops)
        if isinstance(self._memory, Client):
            return await asyncio.to_thread(self.batch, checked)
        return await run_async(run_batch(await self._opened_async(), checked), self._memory.send)

    def sweep_ttl(self) -> int:
        """Delete the items whose time is over; how many."""
        return run(sweep(self._opened()), self._client.send)

    async def asweep_ttl(self) -> int:
        """As `sweep_ttl`, awaited."""
        if isinstance(self._memory, Client):
            return await asyncio.to_thread(self.sweep_ttl)
        return await run_async(sweep(await self._opened_async()), self._memory.send)

    @property
    def _client(self) -> Client:
        if isinstance(self._memory, Client):
            return self._memory
        raise asyncio.InvalidStateError(
            "this store has an AsyncClient: use aget, aput, asearch, adelete, abatch"
        )

    def _opened(self) -> Place:
        with self._turn:
            if self._place is None:
                client = self._client
                self._place = self._at(
                    run(open_store(client._scope, self._name, DESCRIPTION), client.send)
                )
            return self._place

    async def _opened_async(self) -> Place:
        assert isinstance(self._memory, AsyncClient)
        if self._place is None:
            flow: Flow[str] = open_store(self._memory._scope, self._name, DESCRIPTION)
            self._place = self._at(await run_async(flow, self._memory.send))
        return self._place

    def _at(self, store_id: str) -> Place:
        ttl = self.ttl_config or {}
        refresh, omit = ttl.get("refresh_on_read", True), ttl.get("omit_expired", True)
        return Place(self._memory._scope, store_id, self._fields, bool(refresh), bool(omit))


def _checked(ops: Iterable[Op]) -> list[Op]:
    """The operations, with their namespaces checked as LangGraph's own methods check them."""
    checked = list(ops)
    for op in checked:
        validate_op_namespace(op)
        if isinstance(op, PutOp) and not op.namespace:
            raise InvalidNamespaceError("Namespace cannot be empty.")
    return checked
