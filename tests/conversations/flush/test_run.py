"""Flushes from outside, in every backend."""

import asyncio

import pytest

from tests.conversations.test_routes import said


async def ids(it, **query) -> list[str]:
    return [m["id"] for m in (await it.get("read", limit=1000, **query))["messages"]]


async def test_fifo_goes_down_to_half_of_the_messages(talk):
    it = await talk(type="message_count_based", max_messages=10)
    assert (await it.append(said(7)))["flush"] is None
    done = await it.append(said(1, 7))
    assert done["flush"] == {
        "flushed": True,
        "summary_generated": False,
        "message_count": 5,
        "token_count": done["token_count"],
        "removed": 3,
        "actual_strategy": "simple_fifo",
        "would_flush": None,
        "status": "done",
        "job_id": None,
    }
    assert done["total_count"] == 5
    assert await ids(it) == ["m3", "m4", "m5", "m6", "m7"]
    last = (await it.get("stats"))["last_flush"]
    assert (last["strategy"], last["removed"], last["message_count"]) == ("simple_fifo", 3, 5)


async def test_fifo_goes_down_to_half_of_the_tokens(talk):
    it = await talk(type="token_based", max_tokens=100)
    for n in range(19):
        done = await it.append({"role": "user", "content": "one", "id": f"t{n}"})  # 4 tokens each
        assert done["flush"] is None
    done = await it.append({"role": "user", "content": "one", "id": "t19"})
    assert done["flush"]["flushed"] is True
    assert done["token_count"] == 48  # the most that is within floor(100 / 2)


async def test_the_threshold_is_the_resource_s(talk):
    it = await talk(
        type="message_count_based", max_messages=10, flushing={"summarize_threshold": 0.3}
    )
    assert (await it.append(said(2)))["flush"] is None
    assert (await it.append(said(1, 2)))["flush"] is None
    assert (await it.get("stats"))[
        "message_count"
    ] == 3  # 3 is within half of 10: nothing to remove


@pytest.mark.one_process  # the other one learns of the reads a quarter of a second later
async def test_the_least_recently_read_leave_first(talk):
    it = await talk(type="message_count_based", max_messages=10, flushing={"type": "lru"})
    await it.append(said(4))
    await it.append(said(3, 4))
    await it.get("read", limit=2, offset=0)
    done = await it.append(said(1, 7))
    assert done["flush"]["actual_strategy"] == "lru"
    assert await ids(it) == ["m0", "m1", "m5", "m6", "m7"]


@pytest.mark.one_process  # the other one learns of the reads a quarter of a second later
async def test_a_look_at_flushed_messages_counts_for_the_live_ones_beside_them(talk):
    it = await talk(type="message_count_based", max_messages=10, flushing={"type": "lru"})
    await it.append(said(8))  # m0, m1 and m2 leave
    await it.append(said(2, 8))
    await it.get("read", include_flushed=True, offset=2, limit=3)  # m2, which is gone, m3 and m4
    done = await it.append(said(1, 10))
    assert done["flush"]["removed"] == 3
    assert await ids(it) == ["m3", "m4", "m8", "m9", "m10"]


async def test_the_costliest_of_equals_leaves_first(talk):
    it = await talk(type="token_based", max_tokens=100, flushing={"type": "token_aware_lru"})
    await it.append(
        [
            {"role": "user", "content": "one", "id": "a"},
            {"role": "user", "content": "one " * 42, "id": "dear"},
            {"role": "user", "content": "one", "id": "b"},
            {"role": "user", "content": "one " * 20, "id": "middling"},
            {"role": "user", "content": "one", "id": "last"},
        ]
    )
    assert await ids(it) == ["a", "b", "middling", "last"]


async def test_system_messages_leave_last_and_the_newest_stays(talk):
    it = await talk(type="message_count_based", max_messages=4)
    system = [{"role": "system", "content": f"s{n}", "id": f"s{n}"} for n in range(3)]
    done = await it.append([*system, *said(1)])
    assert done["flush"]["removed"] == 2
    assert await ids(it) == ["s2", "m0"]


async def test_a_tool_call_and_its_result_leave_together(talk):
    it = await talk(type="message_count_based", max_messages=10)
    call = {"role": "assistant", "content": "", "tool_calls": [{"id": "c"}], "id": "call"}
    result = {"role": "tool", "content": "r", "tool_call_id": "c", "id": "result"}
    done = await it.append([*said(2), call, *said(1, 2), result, *said(3, 3)])
    assert done["flush"]["removed"] >= 3
    left = await ids(it)
    assert ("call" in left) == ("result" in left)


async def test_what_is_flushed_can_still_be_read(talk):
    it = await talk(type="message_count_based", max_messages=4)
    for n in range(12):
        await it.append(said(1, n))
    assert len(await ids(it)) < 4
    everything = await it.get("read", include_flushed=True, limit=1000)
    assert [m["id"] for m in everything["messages"]] == [f"m{n}" for n in range(12)]
    assert everything["total_count"] == 12
    assert everything["messages"][0]["flushed_at"] is not None
    assert everything["messages"][-1]["flushed_at"] is None
    page = await it.get("read", include_flushed=True, limit=5, offset=5)
    assert [m["id"] for m in page["messages"]] == [f"m{n}" for n in range(5, 10)]
    assert page["has_more"] is True


async def test_a_flush_below_the_threshold_does_nothing_unless_forced(talk):
    it = await talk(type="message_count_based", max_messages=10)
    await it.append(said(7))
    nothing = await it.call("flush")
    assert (nothing["flushed"], nothing["removed"], nothing["message_count"]) == (False, 0, 7)
    dry = await it.call("flush", dry_run=True, force=True)
    assert (dry["would_flush"], dry["removed"], dry["message_count"]) == (True, 2, 5)
    assert len(await ids(it)) == 7
    assert (await it.call("flush", dry_run=True))["would_flush"] is False
    forced = await it.call("flush", force=True, strategy="lru")
    assert (forced["flushed"], forced["removed"], forced["actual_strategy"]) == (True, 2, "lru")
    assert dry["token_count"] == forced["token_count"]


async def test_shares_are_within_their_caps_after_a_flush(talk):
    it = await talk(
        type="token_based",
        max_tokens=100,
        token_allocation={"short_term": 0.8, "system": 0.1, "user_defined": {"notes": 0.1}},
    )
    note = {"role": "user", "content": "one", "metadata": {"allocation": "notes"}}
    await it.append([{"role": "system", "content": "one"}] * 4 + [note] * 4)  # 16 tokens each
    done = await it.append([{"role": "user", "content": "one"}] * 12)
    assert done["flush"]["flushed"] is True
    allocation = (await it.get("stats"))["allocation"]
    assert allocation["notes"]["used"] <= 10
    assert allocation["system"] == {"share": 0.1, "limit": 10, "used": 8}
    assert allocation["short_term"]["used"] <= 80


async def test_the_extractive_summary_takes_the_place_of_the_oldest(talk):
    it = await talk(
        type="message_count_based",
        max_messages=10,
        flushing={"type": "hybrid_summary", "fallback": "extractive", "summary_tokens": 60},
    )
    await it.append({"role": "system", "content": "Be kind.", "id": "sys"})
    facts = ["My dog Rex likes tea.", "Rex the dog barks.", "I live in Bergen with Rex."]
    await it.append(
        [{"role": "user", "content": f"{fact}", "id": f"f{n}"} for n, fact in enumerate(facts)]
    )
    done = await it.append(said(4))
    assert (done["flush"]["summary_generated"], done["flush"]["removed"]) == (True, 3)
    assert done["total_count"] == 8 - 3 + 1
    messages = (await it.get("read"))["messages"]
    summary = messages[0]
    assert summary["role"] == "system"
    assert "Rex" in summary["content"]
    assert summary["tokens"] <= 60
    assert [m["id"] for m in messages[1:]] == ["sys", *(f"m{n}" for n in range(4))]
    again = await it.append(said(4, 4))
    assert again["flush"]["summary_generated"] is True
    messages = (await it.get("read"))["messages"]
    summaries = [m for m in messages if m["metadata"].get("summary")]
    assert len(summaries) == 1  # folded in, not stacked
    assert messages[0] == summaries[0]
    assert "Rex" in summaries[0]["content"]


async def test_hybrid_summary_is_refused_where_nothing_could_summarise(talk):
    it = await talk()
    await it.append(said(2))
    refused = await it.call("flush", status=422, strategy="hybrid_summary", force=True)
    assert refused["errors"][0]["field"] == "strategy"


async def test_many_writers_see_the_threshold_and_one_flush_runs(talk):
    it = await talk(type="message_count_based", max_messages=40)
    await it.append(said(31))
    results = await asyncio.gather(*(it.append(said(1, 100 + n)) for n in range(8)))
    flushes = [r["flush"] for r in results if r["flush"] is not None]
    assert len(flushes) == 1, flushes
    everything = await it.get("read", include_flushed=True, limit=1000)
    assert everything["total_count"] == 39
    live = await it.get("read", limit=1000)
    assert live["total_count"] + flushes[0]["removed"] == 39


@pytest.mark.parametrize("strategy", ["simple_fifo", "lru", "token_aware_lru"])
async def test_a_long_conversation_never_passes_its_limits_and_loses_nothing(talk, strategy):
    it = await talk(type="token_based", max_tokens=120, flushing={"type": strategy})
    for n in range(60):
        done = await it.append(
            {"role": "user", "content": f"word {'and ' * (n % 7)}", "id": f"x{n}"}
        )
        assert done["token_count"] <= 120
    everything = await it.get("read", include_flushed=True, limit=1000)
    assert [m["id"] for m in everything["messages"]] == [f"x{n}" for n in range(60)]
