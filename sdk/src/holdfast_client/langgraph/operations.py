"""LangGraph's operations as flows of calls."""

from collections.abc import Sequence
from dataclasses import dataclass

from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from holdfast_client.calls import Call, ask, at, one
from holdfast_client.errors import Conflict, NotFound
from holdfast_client.flows import Flow
from holdfast_client.langgraph import filters
from holdfast_client.langgraph.items import (
    NOT_INDEXED,
    Expiry,
    content_of,
    is_expired,
    is_indexed,
    is_searched,
    item_of,
    names_of,
    path_of,
    prefix_of,
)
from holdfast_client.named_stores import list_all
from holdfast_client.scope import Scope
from holdfast_client.stores import calls
from holdfast_client.stores.model import StoreEntry

MOST_RECALLED = 100


@dataclass(frozen=True, slots=True)
class Place:
    """The store of Holdfast that holds the items, and what is searched in an item by default."""

    scope: Scope
    store_id: str
    fields: tuple[str, ...]
    refresh_on_read: bool
    omit_expired: bool


def run_batch(place: Place, ops: Sequence[Op]) -> Flow[list[Result]]:
    """The results in the order of the operations. Reads see the state before the batch; of two puts the last counts."""
    results: list[Result] = [None] * len(ops)
    puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
    for number, op in enumerate(ops):
        if isinstance(op, GetOp):
            results[number] = yield from get_item(place, op)
        elif isinstance(op, SearchOp):
            results[number] = yield from search(place, op)
        elif isinstance(op, ListNamespacesOp):
            results[number] = yield from list_namespaces(place, op)
        elif isinstance(op, PutOp):
            puts[tuple(op.namespace), op.key] = op
        else:
            raise ValueError(f"Unknown operation type: {type(op)}")
    for op in puts.values():
        yield from put_item(place, op)
    return results


def get_item(place: Place, op: GetOp) -> Flow[Item | None]:
    """One item; None if there is none or its time is over."""
    try:
        entry = yield calls.read_entry_at(
            place.scope, place.store_id, path_of(op.namespace, op.key)
        )
    except NotFound:
        return None
    if place.omit_expired and is_expired(entry):
        return None
    if op.refresh_ttl:
        yield from _refresh(place, entry)
    return item_of(entry)


def put_item(place: Place, op: PutOp) -> Flow[None]:
    """Write an item, or delete it; repeated until nobody is in between."""
    path = path_of(op.namespace, op.key)
    if op.value is None:
        yield from _delete(place, path)
        return
    content = content_of(op, place.fields)
    metadata = {} if op.ttl is None else Expiry.after(op.ttl).metadata
    if not is_searched(content):
        metadata = {**metadata, **NOT_INDEXED}
    while True:
        try:
            yield calls.create_entry(place.scope, place.store_id, path, content, metadata=metadata)
            return
        except Conflict as conflict:
            known: StoreEntry = conflict.current
        try:
            yield calls.update_entry(
                place.scope,
                place.store_id,
                known.id,
                content,
                version=known.version,
                metadata=metadata,
            )
            return
        except (Conflict, NotFound):
            continue


def search(place: Place, op: SearchOp) -> Flow[list[SearchItem]]:
    """Items below a namespace, the last changed first.

    With a query the best come first, then those that it did not find, with a score of 0, then those that are not indexed.
    """
    filters.check(op.filter)
    rows = yield from _rows(place, op.namespace_prefix)
    rows.sort(key=lambda row: row.updated_at, reverse=True)
    scores: dict[str, float] = {}
    if op.query:
        found = yield _recall(place, op.query)
        known = {row.id for row in rows}
        scores = {
            hit.id: hit.score
            for hit in found.data
            if hit.id in known and is_searched(hit.object.content or "")
        }
        scores = {row.id: scores.get(row.id, 0.0) for row in rows if is_indexed(row)}
        rows.sort(key=lambda row: scores.get(row.id, -1.0), reverse=True)
    items: list[SearchItem] = []
    wanted = op.offset + op.limit
    for row in rows:
        if len(items) >= wanted:
            break
        try:
            entry = yield calls.read_entry(place.scope, place.store_id, row.id)
        except NotFound:
            continue  # deleted meanwhile
        item = item_of(entry)
        if not filters.matches(item.value, op.filter):
            continue
        items.append(
            SearchItem(
                item.namespace,
                item.key,
                item.value,
                item.created_at,
                item.updated_at,
                scores.get(row.id),
            )
        )
        if op.refresh_ttl and len(items) > op.offset:
            yield from _refresh(place, entry)
    return items[op.offset :]


def list_namespaces(place: Place, op: ListNamespacesOp) -> Flow[list[tuple[str, ...]]]:
    """The namespaces that hold items, sorted."""
    rows = yield from _rows(place, ())
    namespaces = {names_of(row.path)[0] for row in rows}
    fitting = [
        each
        for each in namespaces
        if all(_fits(each, match) for match in op.match_conditions or ())
    ]
    if op.max_depth is not None:
        fitting = [each[: op.max_depth] for each in fitting]
    return sorted(set(fitting))[op.offset : op.offset + op.limit]


def sweep(place: Place) -> Flow[int]:
    """Delete the items whose time is over; how many."""
    rows = yield from list_all(place.scope, place.store_id)
    expired = [row for row in rows if is_expired(row)]
    for row in expired:
        yield from _delete(place, row.path)
    return len(expired)


def _rows(place: Place, namespace: Sequence[str]) -> Flow[list[StoreEntry]]:
    """The entries below a namespace that a read may return, without contents."""
    rows = yield from list_all(place.scope, place.store_id, prefix_of(namespace))
    return [row for row in rows if not (place.omit_expired and is_expired(row))]


def _refresh(place: Place, entry: StoreEntry) -> Flow[None]:
    """Let the time of an item that was read begin again. Somebody else's change in between counts as the refresh."""
    expiry = Expiry.of(entry.metadata)
    if expiry is None or entry.content is None or not place.refresh_on_read:
        return
    try:
        yield calls.update_entry(
            place.scope,
            place.store_id,
            entry.id,
            entry.content,
            version=entry.version,
            metadata={**entry.metadata, **Expiry.after(expiry.ttl).metadata},
        )
    except (Conflict, NotFound):
        return


def _delete(place: Place, path: str) -> Flow[None]:
    try:
        entry = yield calls.read_entry_at(place.scope, place.store_id, path)
        yield calls.delete_entry(place.scope, place.store_id, entry.id)
    except NotFound:
        return


def _fits(namespace: tuple[str, ...], match: MatchCondition) -> bool:
    path = tuple(match.path)
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if match.match_type == "prefix" else namespace[-len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=False))


@dataclass(frozen=True, slots=True)
class _Hit:
    id: str
    score: float
    object: StoreEntry


@dataclass(frozen=True, slots=True)
class _Hits:
    data: list[_Hit]


def _recall(place: Place, query: str) -> Call[_Hits]:
    path = at("memory_stores", place.store_id, "recall")
    return ask(place.scope, path, one(_Hits), {"query": query[:4000], "limit": MOST_RECALLED})
