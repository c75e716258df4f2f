"""HoldfastStore and AsyncHoldfastStore: LangGraph's BaseStore on a store of Holdfast."""

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, TypeVar, cast

from langgraph.store.base import (
    BaseStore,
    IndexConfig,
    InvalidNamespaceError,
    Op,
    PutOp,
    Result,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)
from langgraph.store.base.batch import AsyncBatchedBaseStore

from holdfast_client.client import AsyncClient, Client
from holdfast_client.flows import Flow, run, run_async
from holdfast_client.langgraph.operations import (
    Place,
    planned,
    put_item,
    read,
    read_items,
    read_texts,
    rows_to_search,
    sweep,
)
from holdfast_client.langgraph.ranking import Index, Ranking
from holdfast_client.langgraph.sweeping import SWEEP_MINUTES, Sweeper, sweep_again
from holdfast_client.named_stores import open_store

T = TypeVar("T")
DESCRIPTION = "Items of LangGraph"
AT_ONCE = 8


class HoldfastStore(BaseStore):
    """Items in one store of Holdfast, named `store`, each an entry with its versions; made at the first use if there is none.

    `memory` is a Client, a scoped one, or an embedded Holdfast; with an AsyncClient only the `a…` methods work. `fields` are the
    paths that a query searches unless a put names others. With an `embed` in `index` that embedder ranks instead of Holdfast's
    recall. `ttl` as in LangGraph: minutes, and whether a read starts them anew; `sweep_ttl` deletes what is expired, which is
    returned until then unless `omit_expired` is True.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Client | AsyncClient,
        *,
        store: str = "langgraph",
        fields: Sequence[str] | None = None,
        ttl: TTLConfig | None = None,
        index: Index | IndexConfig | None = None,
    ) -> None:
        self._memory, self._name = memory, store
        self.index_config = index
        self._fields = tuple(fields or (index or {}).get("fields") or ("$",))
        self._ranking = Ranking(cast(Index, index)) if index and index.get("embed") else None
        self.ttl_config = ttl
        self._place: Place | None = None
        self._turn = threading.Lock()
        self._sweeper = Sweeper(self.sweep_ttl)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the operations; LangGraph's other methods use this."""
        checked = _checked(ops)
        place, send = self._opened(), self._client.send
        results: list[Result] = [None] * len(checked)
        reads, puts = planned(checked)
        for number, op in reads:
            results[number] = self._read(place, op)
        for put in puts:
            run(put_item(place, put), send)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, awaited, up to eight operations at once. With a sync client it runs in a thread."""
        checked = _checked(ops)
        if isinstance(self._memory, Client):
            return await asyncio.to_thread(self.batch, checked)
        place, send = await self._opened_async(), self._memory.send
        results: list[Result] = [None] * len(checked)
        reads, puts = planned(checked)
        found = await _at_once([self._aread(place, op) for _, op in reads])
        for (number, _), result in zip(reads, found, strict=True):
            results[number] = result
        await _at_once([run_async(put_item(place, put), send) for put in puts])
        return results

    def _read(self, place: Place, op: Op) -> Result:
        send, ranking = self._client.send, self._ranking
        if ranking is None or not isinstance(op, SearchOp) or not op.query:
            return run(read(place, op), send)
        rows = run(rows_to_search(place, op), send)
        texts = run(read_texts(place, ranking.unknown(rows)), send)
        query = ranking.embed(op.query, texts)
        return run(read_items(place, op, rows, ranking.scores(query, rows)), send)

    async def _aread(self, place: Place, op: Op) -> Result:
        assert isinstance(self._memory, AsyncClient)
        send, ranking = self._memory.send, self._ranking
        if ranking is None or not isinstance(op, SearchOp) or not op.query:
            return await run_async(read(place, op), send)
        rows = await run_async(rows_to_search(place, op), send)
        texts = await run_async(read_texts(place, ranking.unknown(rows)), send)
        query = await ranking.aembed(op.query, texts)
        return await run_async(read_items(place, op, rows, ranking.scores(query, rows)), send)

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Call `sweep_ttl` in a thread, every so many minutes; by default those of the `ttl` settings, or 5."""
        self._sweeper.start(_interval(self.ttl_config, sweep_interval_minutes))

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stop the thread; whether it ended within the time-out in seconds."""
        return self._sweeper.stop(timeout)

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
        refresh, omit = ttl.get("refresh_on_read", True), ttl.get("omit_expired", False)
        return Place(self._memory._scope, store_id, self._fields, bool(refresh), bool(omit))


class AsyncHoldfastStore(AsyncBatchedBaseStore):
    """A HoldfastStore for async programs. Calls that are awaited at the same time are sent as one batch, repeated ones once.

    Made in a running event loop. Other threads may use the methods without `a`; in the loop itself they raise InvalidStateError.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: AsyncClient,
        *,
        store: str = "langgraph",
        fields: Sequence[str] | None = None,
        ttl: TTLConfig | None = None,
        index: Index | IndexConfig | None = None,
    ) -> None:
        super().__init__()
        self._items = HoldfastStore(memory, store=store, fields=fields, ttl=ttl, index=index)
        self.ttl_config, self.index_config = ttl, index
        self._sweeping: asyncio.Task[None] | None = None

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the operations; LangGraph's other methods use this."""
        return await self._items.abatch(ops)

    async def sweep_ttl(self) -> int:
        """Delete the items whose time is over; how many."""
        return await self._items.asweep_ttl()

    async def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Call `sweep_ttl` in a task, every so many minutes; by default those of the `ttl` settings, or 5."""
        if self._sweeping is None or self._sweeping.done():
            interval_s = _interval(self.ttl_config, sweep_interval_minutes)
            self._sweeping = asyncio.create_task(sweep_again(self._items.asweep_ttl, interval_s))

    async def stop_ttl_sweeper(self) -> bool:
        """Stop the task and wait for its end."""
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.wait([self._sweeping])
        return True


def _interval(ttl: TTLConfig | None, minutes: float | None) -> float:
    """In seconds."""
    return 60.0 * (minutes or (ttl or {}).get("sweep_interval_minutes") or SWEEP_MINUTES)


async def _at_once(work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """The results, with a bound on how many run; all have ended when the first error is raised."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def bounded(each: Coroutine[Any, Any, T]) -> T:
        async with turn:
            return await each

    results = await asyncio.gather(*map(bounded, work), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return cast(list[T], results)


def _checked(ops: Iterable[Op]) -> list[Op]:
    """The operations, with their namespaces checked as LangGraph's own methods check them."""
    checked = list(ops)
    for op in checked:
        validate_op_namespace(op)
        if isinstance(op, PutOp) and not op.namespace:
            raise InvalidNamespaceError("Namespace cannot be empty.")
    return checked
