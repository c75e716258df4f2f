"""LangGraph's store on Holdfast, through its own interface: what its in-memory and Postgres stores do, and what they get wrong."""

import asyncio

import pytest

pytest.importorskip("langgraph.store.base", reason="langgraph-checkpoint is not installed")

from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from holdfast_client.langgraph import HoldfastStore
from holdfast_client.langgraph.items import names_of, path_of


@pytest.fixture
def store(both) -> HoldfastStore:
    return HoldfastStore(both.sync)


async def test_put_get_replace_delete(store, both) -> None:
    ns = ("users", "a/b ü", "%2E")
    assert store.get(ns, "k") is None
    store.put(ns, "k", {"text": "green tea\n---\n{}", "n": 1})
    first = store.get(ns, "k")
    assert (first.value, first.key, first.namespace) == (
        {"text": "green tea\n---\n{}", "n": 1},
        "k",
        ns,
    )
    store.put(ns, "k", {"text": "black tea"})
    second = store.get(list(ns), "k")
    assert second.value == {"text": "black tea"}
    assert second.created_at == first.created_at  # kept on replace
    assert second.updated_at > first.updated_at
    store.put((*ns, "k"), "deeper", {"n": 2})  # an item below the path of another
    again = HoldfastStore(both.awaited)  # another process, and async: the same store
    assert (await again.aget((*ns, "k"), "deeper")).value == {"n": 2}
    await again.adelete(ns, "k")
    await again.adelete(ns, "k")
    assert store.get(ns, "k") is None
    with pytest.raises(asyncio.InvalidStateError):
        again.get(ns, "k")


async def test_batches(store) -> None:
    store.put(("a",), "1", {"n": 1})
    ops = [
        GetOp(("a",), "1"),
        PutOp(("a",), "1", {"n": 2}),
        PutOp(("a",), "1", {"n": 3}),
        SearchOp(("a",)),
        ListNamespacesOp(),
        GetOp(("a",), "none"),
    ]
    got = await store.abatch(ops)
    assert got[0].value == {"n": 1}
    assert got[1] is got[2] is got[5] is None
    assert [item.value for item in got[3]] == [{"n": 1}]  # as it was before the batch
    assert got[4] == [("a",)]
    assert store.get(("a",), "1").value == {"n": 3}
    assert store.batch([]) == []


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"color": "red"}, {"1", "3"}),
        ({"color": "red", "size": {"$gte": 3}}, {"3"}),
        ({"size": {"$gt": 1, "$lt": 3}}, {"2"}),
        ({"size": {"$lte": 1}}, {"1"}),
        ({"color": {"$ne": "red"}}, {"2", "4"}),
        ({"color": {"$eq": "blue"}}, {"2"}),
        ({"meta.author": "ana"}, {"1"}),
        ({"meta": {"author": "ana"}}, {"1"}),
    ],
)
def test_filters(store, wanted, found) -> None:
    store.put(("d",), "1", {"color": "red", "size": 1, "meta": {"author": "ana", "x": 1}})
    store.put(("d",), "2", {"color": "blue", "size": 2})
    store.put(("d",), "3", {"color": "red", "size": 3})
    store.put(("d",), "4", {"other": True})  # without the field: no error
    store.put(("elsewhere",), "5", {"color": "red", "size": 3})
    assert {item.key for item in store.search(("d",), filter=wanted)} == found


def test_wrong_filters_and_namespaces(store) -> None:
    with pytest.raises(ValueError, match="Invalid filter key"):
        store.search(("d",), filter={"x' OR 1=1 --": 1})
    with pytest.raises(ValueError, match="Unsupported operator"):
        store.search(("d",), filter={"x": {"$regex": "a"}})
    for op in (PutOp((), "k", {}), PutOp(("a.b",), "k", {}), GetOp(("",), "k"), SearchOp(("a.b",))):
        with pytest.raises(InvalidNamespaceError):
            store.batch([op])
    with pytest.raises(InvalidNamespaceError):
        store.put(("langgraph", "x"), "k", {"a": 1})


def test_pages_newest_first(store) -> None:
    for number in range(7):
        store.put(("p", str(number % 2)), f"k{number}", {"n": number})
    assert [item.value["n"] for item in store.search(("p",), limit=3)] == [6, 5, 4]
    assert [item.value["n"] for item in store.search(("p",), limit=3, offset=5)] == [1, 0]
    assert [item.value["n"] for item in store.search(("p", "0"))] == [6, 4, 2, 0]
    assert store.search(("p", "0"), filter={"n": {"$gt": 2}}, limit=1)[0].value == {"n": 6}


async def test_search_by_meaning(both) -> None:
    store = HoldfastStore(both.sync, fields=["text"])
    store.put(("m",), "food", {"text": "Ana loves pizza and pasta"})
    store.put(("m",), "job", {"text": "Ana works as a carpenter", "secret": "pizza pizza pizza"})
    store.put(("m",), "own", {"text": "nothing", "title": "a pizza recipe"}, index=["title"])
    store.put(("m",), "hidden", {"text": "the best pizza of all"}, index=False)
    store.put(("x",), "food", {"text": "pizza elsewhere"})
    hits = await store.asearch(("m",), query="which pizza does she eat?")
    assert {item.key for item in hits} == {"food", "job", "own", "hidden"}
    assert hits[-1].key == "hidden"  # not indexed: after all others, without a score
    assert hits[-1].score is None
    scores = [item.score for item in hits[:-1]]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0
    assert [item.key for item in store.search(("m",), query="pizza", limit=3)] != ["hidden"]


def test_an_indexed_item_has_a_score_though_the_query_does_not_find_it(both) -> None:
    store = HoldfastStore(both.sync, fields=["text"])
    store.put(("s",), "zebra", {"text": "zany zebra Xerxes"})
    store.put(("s",), "bird", {"text": "text about birds"})
    before = {item.key: item.score for item in store.search(("s",), query="Zany Xerxes")}
    store.put(("s",), "zebra", {"text": "new text about dogs"})
    after = {item.key: item.score for item in store.search(("s",), query="Zany Xerxes")}
    assert before.keys() == after.keys() == {"zebra", "bird"}
    assert 0 <= after["zebra"] < before["zebra"]


def test_namespaces(store) -> None:
    for path in (("a", "b", "c"), ("a", "b", "d"), ("a", "x"), ("z", "c")):
        store.put(path, "k", {"v": 1})
    assert store.list_namespaces() == [("a", "b", "c"), ("a", "b", "d"), ("a", "x"), ("z", "c")]
    assert store.list_namespaces(prefix=("a", "*", "c")) == [("a", "b", "c")]
    assert store.list_namespaces(suffix=("c",)) == [("a", "b", "c"), ("z", "c")]
    assert store.list_namespaces(max_depth=2) == [("a", "b"), ("a", "x"), ("z", "c")]
    assert store.list_namespaces(limit=1, offset=1) == [("a", "b", "d")]
    both = (MatchCondition("prefix", ("a",)), MatchCondition("suffix", ("d",)))
    assert store.batch([ListNamespacesOp(match_conditions=both)]) == [[("a", "b", "d")]]


def test_time_to_live(both) -> None:
    store = HoldfastStore(both.sync, ttl={"default_ttl": None, "refresh_on_read": True})
    store.put(("t",), "long", {"n": 1}, ttl=60)
    store.put(("t",), "over", {"n": 2}, ttl=-1)
    store.put(("t",), "ever", {"n": 3})
    before = store._memory.stores.get(store._opened().store_id, path_of(("t",), "long"))
    assert store.get(("t",), "over") is None
    assert {item.key for item in store.search(("t",), refresh_ttl=False)} == {"long", "ever"}
    assert store.get(("t",), "long").value == {"n": 1}
    after = store._memory.stores.get(store._opened().store_id, path_of(("t",), "long"))
    assert after.metadata["expires_at"] > before.metadata["expires_at"]  # the read started it anew
    store.put(("t",), "over", {"n": 4})  # an expired item is replaced
    assert store.get(("t",), "over").value == {"n": 4}
    store.put(("t",), "over", {"n": 2}, ttl=-1)
    assert store.sweep_ttl() == 1
    assert store.list_namespaces() == [("t",)]


def test_expired_items_are_returned_until_they_are_swept_where_the_settings_say_so(both) -> None:
    keeping = HoldfastStore(both.sync, ttl={"omit_expired": False, "refresh_on_read": False})
    keeping.put(("t",), "over", {"n": 1}, ttl=-1)
    assert keeping.get(("t",), "over").value == {"n": 1}
    assert [item.key for item in keeping.search(("t",))] == ["over"]
    assert keeping.list_namespaces() == [("t",)]
    assert keeping.sweep_ttl() == 1
    assert keeping.get(("t",), "over") is None


async def test_writers_at_once_lose_nothing(both) -> None:
    stores = [HoldfastStore(both.awaited) for _ in range(3)]
    await asyncio.gather(
        *(
            store.aput(("c",), f"k{number}", {"n": number})
            for number, store in enumerate(stores * 4)
        ),
        *(store.aput(("c",), "same", {"n": number}) for number, store in enumerate(stores)),
    )
    assert len(await stores[0].asearch(("c",), limit=100)) == 13


@pytest.mark.parametrize("namespace", [("a",), ("a", "b.c".replace(".", "")), ("%2E", "ü/ö", " ")])
@pytest.mark.parametrize("key", ["k", "a.json", "..", ".", "a/b", "%", "ключ"])
def test_paths_round_trip(namespace, key) -> None:
    assert names_of(path_of(namespace, key)) == (namespace, key)
