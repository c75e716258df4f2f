"""What fits a byte budget when a run starts. Random histories are in test_retention.py."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.entries import service
from holdfast.entries.model import NewEntry
from tests.entries.conftest import START, fresh_caller
from tests.entries.reference import Reference, hydrate

AGENT = "/agents/bot"


async def put(api, key, size, category="core"):
    """An entry of exactly this cost."""
    content = "x" * (size - len(key) - len(category))
    made = await api.put(f"{AGENT}/entries/{key}", json={"content": content, "category": category})
    assert made.json()["size"] == size


async def seen(api, budget):
    answer = (await api.get(f"{AGENT}/hydration", params={"budget_bytes": budget})).json()
    return [entry["key"] for entry in answer["data"]], answer


async def test_core_first_then_the_newest_of_the_rest_in_recency_order(api):
    await put(api, "a", 50)
    await put(api, "b", 40, "daily")
    await put(api, "c", 30, "workspace")
    await put(api, "d", 20)
    keys, answer = await seen(api, 140)
    assert keys == ["d", "c", "b", "a"]
    assert (answer["used_bytes"], answer["dropped_entries"], answer["dropped_bytes"]) == (140, 0, 0)
    keys, answer = await seen(api, 139)
    assert keys == ["d", "c", "a"]
    assert (answer["used_bytes"], answer["dropped_entries"], answer["dropped_bytes"]) == (
        100,
        1,
        40,
    )
    assert (await seen(api, 99))[0] == ["d", "a"]
    assert (await seen(api, 69))[0] == ["d", "c"]


async def test_an_older_smaller_one_never_jumps_the_queue(api):
    await put(api, "small", 20)
    await put(api, "large", 90)
    await put(api, "new", 20)
    assert (await seen(api, 60))[0] == ["new"]


async def test_the_newest_core_is_admitted_whatever_its_size(api):
    await put(api, "note", 20, "note")
    await put(api, "old", 20)
    await put(api, "huge", 500)
    keys, answer = await seen(api, 100)
    assert (keys, answer["used_bytes"]) == (["huge"], 500)
    assert (await seen(api, 0))[0] == ["huge"]


async def test_the_newest_windowed_exceeds_the_budget_only_where_there_is_no_core(api):
    await put(api, "older", 20, "note")
    await put(api, "huge", 500, "CORE")
    assert (await seen(api, 100))[0] == ["huge"]
    await put(api, "core", 20)
    assert (await seen(api, 100))[0] == ["core"]


async def test_a_core_fact_is_still_there_at_entry_1001(api):
    await put(api, "fact", 30)
    for start in range(0, 1000, 500):
        entries = [
            {"key": f"d{n}", "content": "x" * 400, "category": "daily"}
            for n in range(start, start + 500)
        ]
        answer = await api.post(f"{AGENT}/entries-batch", json={"entries": entries})
        assert answer.json()["stored"] == 500
    keys, answer = await seen(api, 262_144)
    assert "fact" in keys
    assert answer["dropped_entries"] + len(keys) == 1000
    assert answer["used_bytes"] <= 262_144
    assert (await api.get(f"{AGENT}/hydration")).json() == answer


async def test_the_etag_stays_while_the_content_does(api):
    await put(api, "a", 50)
    first = await api.get(f"{AGENT}/hydration")
    etag = first.json()["etag"]
    assert first.headers["etag"] == f'"{etag}"'
    assert (await seen(api, 262_144))[1]["etag"] == etag
    unchanged = await api.get(f"{AGENT}/hydration", headers={"If-None-Match": f'"{etag}"'})
    assert unchanged.status_code == 304
    await put(api, "a", 50)
    assert (await seen(api, 262_144))[1]["etag"] == etag
    await put(api, "a", 51)
    changed = (await seen(api, 262_144))[1]["etag"]
    assert changed != etag
    await put(api, "b", 51)
    assert (await seen(api, 262_144))[1]["etag"] != changed


async def test_a_budget_that_is_no_number_is_refused(api):
    await put(api, "a", 50)
    for budget in ("-1", "many", str(2**31)):
        answer = await api.get(f"{AGENT}/hydration", params={"budget_bytes": budget})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["core", "note", "workspace", "daily"]),
            st.text("aé🦀", min_size=1, max_size=30),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=12,
    ),
    st.lists(st.integers(0, 600), min_size=1, max_size=6),
)
async def test_any_entries_and_budget_agree_with_the_reference(org, time, entries, budgets):
    time.now = START
    caller, reference = await fresh_caller(org), Reference(1000)
    agent = f"bot-{caller.workspace_id}"
    for n, (category, content, ticks) in enumerate(entries):
        time.now = time.now.replace(microsecond=time.now.microsecond + ticks)
        stored = await service.store(org.db, caller, agent, NewEntry(f"k{n}", content, category))
        fact, _ = reference.store(time.now, f"k{n}", content, category, [], None)
        reference.name(fact, stored.id)
    newest_first = reference.seen(time.now, None)
    sizes = [fact.size for fact in newest_first]
    edges = [sum(sizes[:n]) + d for n in range(len(sizes) + 1) for d in (-1, 0, 1)]
    for budget in {*budgets, *(max(0, edge) for edge in edges)}:
        answer = await service.hydrate(org.db, caller, agent, budget_bytes=budget)
        chosen = hydrate(newest_first, budget)
        assert [e.id for e in answer.data] == [f.id for f in chosen]
        assert answer.used_bytes == sum(f.size for f in chosen)
        assert answer.dropped_entries == len(newest_first) - len(chosen)
        assert answer.dropped_bytes == sum(sizes) - answer.used_bytes
