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

from holdfast_client import LimitExceeded
from holdfast_client.langgraph import AsyncHoldfastStore, HoldfastStore
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
    store = HoldfastStore(
        both.sync, ttl={"default_ttl": None, "refresh_on_read": True, "omit_expired": True}
    )
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


def test_expired_items_take_no_place_on_a_page(both) -> None:
    store = HoldfastStore(both.sync, ttl={"omit_expired": True})
    for key in ("c", "b", "over", "a"):
        store.put(("p",), key, {"k": key}, ttl=-1 if key == "over" else 60)
    assert [item.key for item in store.search(("p",), limit=2)] == ["a", "b"]
    assert [item.key for item in store.search(("p",), limit=2, offset=2)] == ["c"]


@pytest.mark.parametrize("ttl", [{}, {"omit_expired": False}])
def test_expired_items_are_returned_until_they_are_swept_unless_the_settings_say_so(
    both, ttl
) -> None:
    keeping = HoldfastStore(both.sync, ttl={**ttl, "refresh_on_read": False})
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


class Letters:
    """An embedder that counts letters, so that a score can be computed by hand; it notes what it was given."""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.embedded += texts
        return [[float(text.count(letter)) for letter in "abc"] for text in texts]


@pytest.mark.parametrize(
    ("distance", "scores"),
    [
        ("cosine", {"both": 1.0, "one": 0.5**0.5, "none": 0.0}),
        ("inner_product", {"both": 2.0, "one": 1.0, "none": 0.0}),
        ("l2", {"both": 0.0, "one": -1.0, "none": -(3.0**0.5)}),
    ],
)
def test_an_embedder_of_the_program_ranks(both, distance, scores) -> None:
    embed = Letters()
    index = {"dims": 3, "embed": embed, "fields": ["text"], "distance_type": distance}
    store = HoldfastStore(both.sync, index=index)
    store.put(("e",), "none", {"text": "c", "title": "ab"})
    store.put(("e",), "one", {"text": "b"})
    store.put(("e",), "both", {"title": "ab", "text": "c"}, index=["title", "text"])
    store.put(("e",), "hidden", {"text": "ab"}, index=False)
    hits = store.search(("e",), query="ab")
    assert [hit.key for hit in hits] == ["both", "one", "none", "hidden"]
    assert {hit.key: hit.score for hit in hits[:-1]} == pytest.approx(scores)
    assert hits[-1].score is None
    assert [hit.score for hit in store.search(("e",))] == [None] * 4
    found = store.search(("e",), query="ab", filter={"text": "b"})
    assert [hit.key for hit in found] == ["one"]
    # Each text was embedded once, and again only when it changed.
    assert sorted(embed.embedded) == ["ab", "ab", "ab", "b", "c", "c"]
    store.put(("e",), "one", {"text": "ab"})
    embed.embedded.clear()
    assert {hit.key for hit in store.search(("e",), query="ab", limit=2)} == {"one", "both"}
    assert embed.embedded == ["ab", "ab"]


async def test_many_items_are_read_for_an_embedder_in_one_call(both, monkeypatch) -> None:
    embed = Letters()
    store = AsyncHoldfastStore(both.awaited, index={"dims": 3, "embed": embed, "fields": ["text"]})
    texts = [f"{'a' * number}{'b' * (30 - number)}" for number in range(30)]
    await asyncio.gather(*(store.aput(("many",), text, {"text": text}) for text in texts))
    asked: list[str] = []
    send = both.awaited.send

    async def noted(call):
        asked.append(call.path)
        return await send(call)

    monkeypatch.setattr(both.awaited, "send", noted)
    hits = await store.asearch(("many",), query="a" * 29 + "b", limit=2)
    assert [hit.key for hit in hits] == [texts[29], texts[28]]
    assert len(embed.embedded) == 31
    assert [path.rpartition("/")[2] for path in asked][:2] == ["memories", "export"]
    assert len(asked) == 4  # the list, all texts, and the two items that are returned


def test_wrong_index_settings(both) -> None:
    with pytest.raises(ValueError, match="distance_type must be one of"):
        HoldfastStore(both.sync, index={"embed": Letters(), "distance_type": "far"})
    store = HoldfastStore(both.sync, index={"dims": 4, "embed": Letters()})
    store.put(("w",), "k", {"text": "a"})
    with pytest.raises(ValueError, match="gives 3 numbers, dims says 4"):
        store.search(("w",), query="a")
    with pytest.raises(ValueError, match="more than 512 characters"):
        store.put(("w",), "k", {"text": "a"}, index=["x" * 600])
    fields = HoldfastStore(both.sync, store="fields", index={"fields": ["text"]})
    fields.put(("w",), "k", {"text": "a zebra", "other": "a pizza"})
    assert fields.search(("w",), query="zebra")[0].score > 0


async def test_calls_at_the_same_time_are_one_batch(both) -> None:
    store = AsyncHoldfastStore(both.awaited)
    batches: list[int] = []
    inner = store._items.abatch

    async def counted(ops):
        batches.append(len(ops))
        return await inner(ops)

    store._items.abatch = counted
    await asyncio.gather(*(store.aput(("b",), "same", {"n": n}) for n in range(50)))
    assert batches == [1]  # of several puts of one item the last counts
    got = await asyncio.gather(*(store.aget(("b",), "same") for _ in range(50)))
    assert {item.value["n"] for item in got} == {49}
    assert batches == [1, 1]
    with pytest.raises(asyncio.InvalidStateError):
        store.get(("b",), "same")
    assert (await asyncio.to_thread(store.get, ("b",), "same")).value == {"n": 49}
    with pytest.raises(InvalidNamespaceError):
        await store.abatch([GetOp(("b",), "same"), PutOp((), "k", {"n": 1})])


async def test_an_error_in_a_batch_is_raised_after_the_rest_has_ended(both) -> None:
    store = AsyncHoldfastStore(both.awaited)
    puts = [PutOp(("r",), f"k{number}", {"n": number}) for number in range(12)]
    puts.insert(3, PutOp(("r",), "large", {"text": "x" * 200_000}))
    with pytest.raises(LimitExceeded):
        await store.abatch(puts)
    assert len(await store.asearch(("r",), limit=20)) == 12


async def test_sweepers_delete_expired_items(both) -> None:
    ttl = {"omit_expired": False, "refresh_on_read": False, "sweep_interval_minutes": 0.001}
    store, awaited = HoldfastStore(both.sync, ttl=ttl), AsyncHoldfastStore(both.awaited, ttl=ttl)

    async def until_swept() -> None:
        while store.get(("s",), "over") is not None:
            await asyncio.sleep(0.02)

    store.put(("s",), "over", {"n": 1}, ttl=-1)
    store.put(("s",), "ever", {"n": 2})
    store.start_ttl_sweeper()
    store.start_ttl_sweeper()  # still one
    await asyncio.wait_for(until_swept(), 30)
    assert store.stop_ttl_sweeper(30)
    store.put(("s",), "over", {"n": 1}, ttl=-1)
    await awaited.start_ttl_sweeper()
    await asyncio.wait_for(until_swept(), 30)
    assert await awaited.stop_ttl_sweeper()
    store.put(("s",), "over", {"n": 1}, ttl=-1)
    assert await awaited.sweep_ttl() == 1
    assert store.get(("s",), "ever").value == {"n": 2}
