"""LangGraph's operations as flows of calls."""

import dataclasses
import hashlib
import io
import math
import zipfile
from collections.abc import Mapping, Sequence
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
    index_of,
    is_expired,
    is_indexed,
    is_searched,
    item_of,
    names_of,
    path_of,
    prefix_of,
    texts_of,
)
from holdfast_client.langgraph.ranking import Texts
from holdfast_client.named_stores import list_all
from holdfast_client.scope import Scope
from holdfast_client.stores import calls
from holdfast_client.stores.model import StoreEntry

MOST_RECALLED = 100
MOST_READ_SINGLY = 20


@dataclass(frozen=True, slots=True)
class Place:
    """The store of Holdfast that holds the items, and what is searched in an item by default."""

    scope: Scope
    store_id: str
    fields: tuple[str, ...]
    refresh_on_read: bool
    omit_expired: bool


def planned(ops: Sequence[Op]) -> tuple[list[tuple[int, Op]], list[PutOp]]:
    """The reads with their places in the batch, and the puts. Reads see the state before the batch; of two puts the last counts."""
    reads: list[tuple[int, Op]] = []
    puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
    for number, op in enumerate(ops):
        if isinstance(op, PutOp):
            puts[tuple(op.namespace), op.key] = op
        else:
            reads.append((number, op))
    return reads, list(puts.values())


def read(place: Place, op: Op) -> Flow[Result]:
    """The result of one operation that reads."""
    if isinstance(op, GetOp):
        return (yield from get_item(place, op))
    if isinstance(op, SearchOp):
        return (yield from search(place, op))
    if isinstance(op, ListNamespacesOp):
        return (yield from list_namespaces(place, op))
    raise ValueError(f"Unknown operation type: {type(op)}")


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
    metadata = index_of(op) | ({} if op.ttl is None else Expiry.after(op.ttl).metadata)
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
    """Items below a namespace, the last changed first; with a query by the scores of Holdfast's recall."""
    rows = yield from rows_to_search(place, op)
    if not op.query:
        return (yield from read_items(place, op, rows, {}))
    found = yield _recall(place, op.query)
    known = {row.id for row in rows}
    scores = {
        hit.id: hit.score
        for hit in found.data
        if hit.id in known and is_searched(hit.object.content or "")
    }
    scores = {row.id: scores.get(row.id, 0.0) for row in rows if is_indexed(row)}
    return (yield from read_items(place, op, rows, scores))


def rows_to_search(place: Place, op: SearchOp) -> Flow[list[StoreEntry]]:
    """The entries below the namespace of a search, without contents, the last changed first."""
    filters.check(op.filter)
    rows = yield from _rows(place, op.namespace_prefix)
    rows.sort(key=lambda row: row.updated_at, reverse=True)
    return rows


def read_texts(place: Place, rows: Sequence[StoreEntry]) -> Flow[dict[str, Texts]]:
    """The indexed texts of entries, by id; many are read in one call."""
    rows = [row for row in rows if is_indexed(row)]
    contents: dict[str, str] = {}
    if len(rows) > MOST_READ_SINGLY:
        contents = _unpacked((yield calls.export_store(place.scope, place.store_id)))
    found: dict[str, Texts] = {}
    for row in rows:
        content = contents.get(row.path)
        if (
            content is not None
            and hashlib.sha256(content.encode()).hexdigest() == row.content_sha256
        ):
            entry = dataclasses.replace(row, content=content)
        else:
            try:
                entry = yield calls.read_entry(place.scope, place.store_id, row.id)
            except NotFound:
                continue  # deleted meanwhile
        found[row.id] = {"version": entry.version, "texts": texts_of(entry, place.fields)}
    return found


def read_items(
    place: Place, op: SearchOp, rows: Sequence[StoreEntry], scores: Mapping[str, float]
) -> Flow[list[SearchItem]]:
    """The items that a search returns: by score, those without one last; else in the order of the rows."""
    rows = sorted(rows, key=lambda row: scores.get(row.id, -math.inf), reverse=True)
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
        score = scores.get(row.id)
        items.append(
            SearchItem(
                item.namespace, item.key, item.value, item.created_at, item.updated_at, score
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


def _unpacked(content: bytes) -> dict[str, str]:
    """The texts of an exported store by path."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


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
