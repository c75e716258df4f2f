"""Conversations from outside, in every backend."""

import asyncio

import pytest

from tests.conversations.conftest import Talk, resource


def said(n: int, start: int = 0) -> list[dict]:
    return [
        {"role": "user", "content": f"message {i}", "id": f"m{i}"} for i in range(start, start + n)
    ]


async def test_what_is_appended_is_read_oldest_first(talk):
    it = await talk()
    done = await it.append(said(3))
    assert (done["appended"], done["not_persisted"], done["total_count"]) == (3, 0, 3)
    assert done["flush"] is None
    read = await it.get("read")
    assert [m["content"] for m in read["messages"]] == ["message 0", "message 1", "message 2"]
    assert (read["total_count"], read["has_more"]) == (3, False)
    first = read["messages"][0]
    assert first["type"] == "message"
    assert first["created_at"].endswith("Z")
    assert done["token_count"] == sum(m["tokens"] for m in read["messages"])


async def test_a_text_is_one_user_message_and_one_object_is_one_message(talk):
    it = await talk()
    await it.append("hello")
    await it.append({"role": "assistant", "content": "hi"})
    messages = (await it.get("read"))["messages"]
    assert [(m["role"], m["content"]) for m in messages] == [("user", "hello"), ("assistant", "hi")]
    assert all(m["id"].startswith("msg_") for m in messages)


async def test_an_instance_that_does_not_exist_reads_as_empty(talk):
    it = await talk()
    assert await it.get("read") == {"messages": [], "total_count": 0, "has_more": False}
    stats = await it.get("stats")
    assert (stats["message_count"], stats["token_count"], stats["role_distribution"]) == (0, 0, {})
    assert await it.call("delete") == {"deleted": False}
    assert await it.call("pop") == {"message": None, "total_count": 0}
    assert (await it.call("flush"))["flushed"] is False
    assert await it.call("clear", confirm=True) == {"messages_cleared": 0, "backup_id": None}


async def test_pages_by_offset_and_tail(talk):
    it = await talk()
    await it.append(said(10))
    page = await it.get("read", limit=4, offset=8)
    assert [m["id"] for m in page["messages"]] == ["m8", "m9"]
    assert (page["total_count"], page["has_more"]) == (10, False)
    assert (await it.get("read", limit=4, offset=0))["has_more"] is True
    tail = await it.get("read", tail=3)
    assert [m["id"] for m in tail["messages"]] == ["m7", "m8", "m9"]
    assert tail["has_more"] is True
    assert (await it.get("read", tail=10))["has_more"] is False
    await it.get("read", status=400, limit=1001)
    await it.get("read", status=400, limit=0)


@pytest.mark.one_process  # the other one learns of the reads a quarter of a second later
async def test_pages_are_right_where_messages_are_missing(talk):
    it = await talk(type="message_count_based", max_messages=10, flushing={"type": "lru"})
    await it.append(said(7))
    await it.get("read", limit=2, offset=1)  # m1 and m2 are read, so they stay
    await it.append(said(1, 7))
    ids = [m["id"] for m in (await it.get("read"))["messages"]]
    assert ids == ["m1", "m2", "m5", "m6", "m7"]
    paged = [(await it.get("read", limit=1, offset=n))["messages"][0]["id"] for n in range(5)]
    assert paged == ids


async def test_the_same_id_again_is_ignored(talk):
    it = await talk()
    await it.append(said(2))
    again = await it.append([*said(2), *said(1, 2), *said(1, 2)])
    assert (again["appended"], again["duplicates"], again["total_count"]) == (1, 3, 3)
    assert await it.contents() == ["message 0", "message 1", "message 2"]


async def test_the_same_id_is_ignored_after_it_was_flushed_too(talk):
    it = await talk(type="message_count_based", max_messages=4, flushing={"type": "simple_fifo"})
    flushed = (await it.append(said(4)))["flush"]
    assert flushed["removed"] == 2
    assert (await it.append(said(1)))["appended"] == 0


async def test_extra_fields_of_a_provider_are_kept_in_metadata_raw(talk):
    it = await talk()
    await it.append(
        {"role": "user", "content": "x", "annotations": [1, {"a": None}], "metadata": {"own": 1}}
    )
    [message] = (await it.get("read"))["messages"]
    assert message["metadata"] == {"own": 1, "raw": {"annotations": [1, {"a": None}]}}


async def test_tool_calls_and_their_results_come_back_as_they_went_in(talk):
    it = await talk()
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    await it.append(
        [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "content": "42", "tool_call_id": "c1", "name": "f"},
        ]
    )
    first, second = (await it.get("read"))["messages"]
    assert first["tool_calls"] == [call]
    assert (second["tool_call_id"], second["name"]) == ("c1", "f")


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": ""},
        {"role": "user"},
        {"role": "robot", "content": "x"},
        {"content": "x"},
        {"role": "user", "content": "x", "id": ""},
        {"role": "user", "content": "x", "id": "i" * 129},
        {"role": "user", "content": ["parts"]},
        {"role": "user", "content": "x", "tool_calls": "no"},
        {"role": "user", "content": "x", "metadata": "no"},
        {"role": "user", "content": "x", "created_at": "yesterday"},
        {"role": "user", "content": "x", "created_at": 1700000000},
        {"role": "user", "content": "x", "created_at": True},
        {"role": "user", "content": "x", "vendor": 1, "metadata": {"raw": 1, "raw_fields": 2}},
        {"role": "user", "content": "x", "tool_calls": [{"id": "c", "arguments": "x" * 300_000}]},
        [],
    ],
)
async def test_a_wrong_message_is_refused_and_nothing_changes(api, message):
    it = Talk(api, "sessions", "s1")
    messages = [{"role": "user", "content": "right"}, message] if message else []
    refused = await it.append(messages, status=422)
    assert refused["code"] == "invalid"
    assert await it.contents() == []


async def test_content_is_at_most_64_kib_and_100_messages_go_in_one_call(talk):
    it = await talk()
    await it.append("é" * (32 * 1024))
    over = await it.append("é" * (32 * 1024) + "x", status=422)
    assert (over["code"], over["limit"], over["actual"]) == ("limit_exceeded", 65536, 65537)
    await it.append(["x"] * 100)
    over = await it.append(["x"] * 101, status=422)
    assert (over["code"], over["limit"]) == ("limit_exceeded", 100)


async def test_a_message_that_no_budget_could_hold_is_refused(talk):
    it = await talk(type="token_based", max_tokens=10)
    over = await it.append("one two three four five six seven eight nine ten", status=422)
    assert (over["code"], over["limit"]) == ("limit_exceeded", 10)
    assert over["actual"] > 10


async def test_write_replaces_all(talk):
    it = await talk()
    await it.append(said(5))
    done = await it.call("write", messages=[{"role": "system", "content": "new", "id": "m0"}])
    assert (done["appended"], done["total_count"]) == (1, 1)
    assert await it.contents() == ["new"]
    assert (await it.get("stats"))["role_distribution"] == {"system": 1}
    assert (await it.append(said(2)))["appended"] == 1  # m0 is there, m1 is not any more


async def test_pop_takes_the_newest_off(talk):
    it = await talk()
    await it.append(said(2))
    popped = await it.call("pop")
    assert (popped["message"]["id"], popped["total_count"]) == ("m1", 1)
    assert (await it.append(said(2)))["appended"] == 1
    assert await it.contents() == ["message 0", "message 1"]


async def test_clear_asks_for_confirmation_and_restore_brings_it_back(talk):
    it = await talk()
    await it.append(said(3))
    await it.call("clear", status=422)
    await it.call("clear", status=422, confirm=False)
    cleared = await it.call("clear", confirm=True, backup=True)
    assert cleared["messages_cleared"] == 3
    assert await it.contents() == []
    assert (await it.get("stats"))["token_count"] == 0
    other = Talk(it.api, it.resource_id, "other")
    await other.call("restore", status=404, backup_id=cleared["backup_id"])
    restored = await it.call("restore", backup_id=cleared["backup_id"])
    assert restored["restored"] == 3
    assert await it.contents() == ["message 0", "message 1", "message 2"]
    await it.call("restore", status=404, backup_id="bak_" + "0" * 32)


async def test_delete_removes_the_instance(talk):
    it = await talk()
    await it.append(said(3))
    assert await it.call("delete") == {"deleted": True}
    assert await it.contents() == []
    assert (await it.append(said(1)))["total_count"] == 1


async def test_stats_add_up(talk):
    it = await talk(
        type="token_based",
        max_tokens=1000,
        persistence={"ttl": "1h30m"},
        token_provider={"model": "gpt-4o"},
        token_allocation={
            "short_term": 0.6,
            "system": 0.2,
            "long_term": 0.1,
            "user_defined": {"notes": 0.1},
        },
    )
    done = await it.append(
        [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "hello"},
            {"role": "user", "content": "keep this", "metadata": {"allocation": "notes"}},
        ]
    )
    stats = await it.get("stats")
    assert stats["token_count"] == done["token_count"]
    assert stats["token_limit"] == 1000
    assert stats["token_utilization"] == pytest.approx(done["token_count"] / 1000)
    assert stats["tokens_until_flush"] == 800 - done["token_count"]
    assert stats["role_distribution"] == {"system": 1, "user": 2}
    assert stats["allocation"]["short_term"] == {"share": 0.6, "limit": 600, "used": 1 + 1 + 2}
    assert stats["allocation"]["notes"]["used"] == 2 + 1 + 2
    assert stats["allocation"]["long_term"] == {"share": 0.1, "limit": 100, "used": 0}
    assert stats["tokenizer"] == {"encoding": "o200k_base", "fallback": False}
    assert 5390 <= stats["ttl_remaining"] <= 5400
    assert (stats["last_flush"], stats["last_error"]) == (None, None)


async def test_an_unknown_model_is_counted_with_the_default_and_says_so(talk):
    it = await talk(type="token_based", max_tokens=1000, token_provider={"model": "who-knows-1"})
    assert (await it.get("stats"))["tokenizer"] == {"encoding": "o200k_base", "fallback": True}


async def test_health(talk, backend):
    it = await talk(
        type="message_count_based", max_messages=100, flushing={"summarize_threshold": 1.0}
    )
    await it.append(said(85))
    health = await it.get("health")
    assert health == {
        "healthy": True,
        "durable": backend != "in_memory",
        "near_limit": False,
        "last_flush": None,
        "pending_flush": False,
    }
    await it.append(said(1, 85))
    assert (await it.get("health"))["near_limit"] is True


async def test_instances_are_listed_newest_first_with_their_counts(talk):
    it = await talk()
    for n in range(5):
        await Talk(it.api, it.resource_id, f"key:{n}").append(said(n + 1))
    url = f"/conversations/{it.resource_id}/instances"
    page = (await it.api.get(url, params={"limit": 2})).json()
    assert [(row["key"], row["message_count"]) for row in page["data"]] == [
        ("key:4", 5),
        ("key:3", 4),
    ]
    assert page["has_more"] is True
    rest = (await it.api.get(url, params={"after_id": page["last_id"]})).json()
    assert [row["key"] for row in rest["data"]] == ["key:2", "key:1", "key:0"]
    assert rest["has_more"] is False
    newer = (await it.api.get(url, params={"before_id": rest["first_id"]})).json()
    assert [row["key"] for row in newer["data"]] == ["key:4", "key:3"]


async def test_orgs_and_resources_do_not_see_each_other(talk, make_org, backend):
    it = await talk()
    await it.append("mine")
    other = (await make_org()).client()
    await other.put(f"/memory-resources/{it.resource_id}", json=resource(it.resource_id, backend))
    assert await Talk(other, it.resource_id, "k").contents() == []
    assert await Talk(other, "nothing", "k").get("read", status=404)


async def test_many_writers_at_once_lose_double_and_reorder_nothing(talk):
    it = await talk(type="message_count_based", max_messages=10_000)

    async def write(writer: int) -> None:
        for call in range(5):
            ids = [f"w{writer}c{call}n{n}" for n in range(4)]
            await it.append([{"role": "user", "content": "x", "id": each} for each in ids])

    await asyncio.gather(*(write(writer) for writer in range(16)))
    read = await it.get("read", limit=1000)
    ids = [m["id"] for m in read["messages"]]
    assert len(ids) == len(set(ids)) == read["total_count"] == 16 * 5 * 4
    for writer in range(16):
        mine = [each for each in ids if each.startswith(f"w{writer}c")]
        assert mine == [f"w{writer}c{call}n{n}" for call in range(5) for n in range(4)]
        for call in range(5):
            at = ids.index(f"w{writer}c{call}n0")
            assert ids[at : at + 4] == [f"w{writer}c{call}n{n}" for n in range(4)]
    stats = await it.get("stats")
    assert stats["token_count"] == sum(m["tokens"] for m in read["messages"])


async def test_a_buffer_keeps_the_newest_within_its_limits(talk):
    it = await talk(type="buffer", max_messages=3)
    await it.append({"role": "system", "content": "rules", "id": "s"})
    for n in range(5):
        done = await it.append(said(1, n))
        assert done["total_count"] <= 3
        assert done["flush"] is None
    assert await it.contents() == ["rules", "message 3", "message 4"]
    assert (await it.append(said(1, 0)))["appended"] == 0  # dropped, and still the same message
    everything = await it.contents(include_flushed=True)
    assert everything == ["rules", *(f"message {n}" for n in range(5))]
    await it.call("write", messages=said(5))
    assert await it.contents() == ["message 2", "message 3", "message 4"]


async def test_a_buffer_by_tokens(talk):
    it = await talk(type="buffer", max_tokens=12)
    for n in range(4):
        await it.append({"role": "user", "content": "one", "id": f"b{n}"})  # 1 + 1 + 2 tokens
    stats = await it.get("stats")
    assert (stats["token_count"], stats["message_count"]) == (12, 3)


async def test_metadata_raw_of_the_client_stays_and_extra_fields_go_beside_it(talk):
    it = await talk()
    message = {"role": "user", "content": "x", "metadata": {"raw": [1, "mine"], "own": 1}}
    await it.append([message, {**message, "vendor": {"a": 1}}])
    first, second = (await it.get("read"))["messages"]
    assert first["metadata"] == {"raw": [1, "mine"], "own": 1}
    assert second["metadata"] == {
        "raw": [1, "mine"],
        "own": 1,
        "raw_fields": {"vendor": {"a": 1}},
    }


async def test_a_compaction_item_is_kept_verbatim_and_stays_when_others_are_flushed(talk):
    it = await talk(
        type="message_count_based",
        max_messages=4,
        flushing={"type": "hybrid_summary", "fallback": "extractive"},
        privacy_policy={"redact_patterns": ["secret"]},
    )
    item = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAA=="}
    done = await it.append([item, {**item, "id": "cmp_2", "encrypted_content": "a secret"}])
    assert (done["appended"], done["not_persisted"]) == (1, 1)
    for n in range(6):
        await it.append(said(1, n))
    messages = (await it.get("read"))["messages"]
    [kept] = [m for m in messages if m["type"] == "compaction"]
    assert (kept["id"], kept["content"]) == ("cmp_1", "")
    assert kept["metadata"] == {"raw": {"encrypted_content": "gAAAA=="}}
    assert "gAAAA" not in messages[0]["content"]


async def test_lru_named_for_one_flush_counts_the_reads_before_it(talk):
    it = await talk(type="message_count_based", max_messages=20)  # simple_fifo by itself
    for n in range(10):
        await it.append(said(1, n))
    assert await it.contents(limit=2, offset=1) == ["message 1", "message 2"]
    await it.append(said(5, 10))
    flushed = await it.call("flush", strategy="lru", force=True)
    assert (flushed["actual_strategy"], flushed["message_count"]) == ("lru", 10)
    assert {"m1", "m2"} <= {m["id"] for m in (await it.get("read"))["messages"]}
    assert "m0" not in {m["id"] for m in (await it.get("read"))["messages"]}


async def test_a_conversation_never_begins_with_an_answer_whose_question_is_gone(talk):
    it = await talk(type="message_count_based", max_messages=10)
    for n in range(20):
        role = "user" if n % 2 == 0 else "assistant"
        await it.append([{"role": role, "content": f"{role} {n}"}])
        assert (await it.get("read", limit=1))["messages"][0]["role"] == "user"


@pytest.mark.parametrize("name", ["dry_run", "force"])
async def test_a_number_is_no_boolean(api, name):
    refused = await Talk(api, "sessions", "s").call("flush", status=422, **{name: 1})
    assert refused["errors"][0]["field"] == name
