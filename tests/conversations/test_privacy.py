"""Privacy first: what a policy covers is nowhere afterwards."""

import json
import time
from pathlib import Path

import pytest
import redis as redis_client
from hypothesis import given
from hypothesis import strategies as st

from holdfast.conversations.privacy import (
    RedactionFailed,
    Redactor,
    compile_pattern,
    redact_message,
)
from tests.conversations.conftest import Talk

CANARY = "4929-1234-5678-9012"
POLICY = {
    "redact_patterns": [r"\d{4}-\d{4}-\d{4}-\d{4}", r"(?i)secret\w*"],
    "non_persistable_message_types": ["tool", "scratch"],
}


def everything_with(canary: str) -> list[dict]:
    escaped = json.dumps({"card": canary}).replace("-", "\\u002d")
    return [
        {"role": "user", "content": f"my card is {canary}, ok?", "name": canary},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "c1",
                    "function": {"name": "pay", "arguments": json.dumps({"card": canary})},
                },
                {"id": "c2", "function": {"name": "pay", "arguments": escaped}},
            ],
        },
        {"role": "user", "content": "x", "metadata": {"deep": [{"a": canary}], canary: 1}},
        {"role": "user", "content": "x", "provider_field": {"raw": canary}},
        {"role": "user", "content": "y", "id": f"id {canary}"},
        {"role": "tool", "content": canary},
        {"role": "user", "type": "scratch", "content": canary},
    ]


async def test_what_a_pattern_covers_is_redacted_everywhere(talk):
    it = await talk(type="token_based", max_tokens=1000, privacy_policy=POLICY)
    done = await it.append(everything_with(CANARY))
    assert (done["appended"], done["not_persisted"]) == (4, 3)
    reasons = {each["index"]: each["reason"] for each in done["not_persisted_reasons"]}
    assert "ids" in reasons[4]
    assert "never kept" in reasons[5]
    assert "never kept" in reasons[6]
    read = await it.get("read")
    assert CANARY not in json.dumps(read)
    first, second, third, fourth = read["messages"]
    assert first["content"] == "my card is [REDACTED], ok?"
    assert first["name"] == "[REDACTED]"
    assert second["tool_calls"]
    for call in second["tool_calls"]:
        assert json.loads(call["function"]["arguments"]) == {"card": "[REDACTED]"}
    assert third["metadata"] == {"deep": [{"a": "[REDACTED]"}], "[REDACTED]": 1}
    assert fourth["metadata"]["raw"] == {"provider_field": {"raw": "[REDACTED]"}}


async def test_the_count_is_of_the_redacted_text(talk):
    it = await talk(
        type="token_based",
        max_tokens=1000,
        privacy_policy={"redact_patterns": ["a+"], "default_redaction_string": "x"},
    )
    done = await it.append("a" * 5000)
    assert done["token_count"] == 1 + 1 + 2
    assert await it.contents() == ["x"]


async def test_nothing_is_kept_when_nothing_may_be(talk):
    it = await talk(
        type="token_based",
        max_tokens=1000,
        privacy_policy={"non_persistable_message_types": ["user"]},
    )
    done = await it.append("hello")
    assert (done["appended"], done["not_persisted"], done["total_count"]) == (0, 1, 0)


async def test_the_canary_is_nowhere_afterwards(talk, service, org, text_of_all_rows):
    canary = f"{time.time_ns() % 10**16:016d}"
    canary = "-".join(canary[n : n + 4] for n in range(0, 16, 4))
    it = await talk(type="message_count_based", max_messages=4, privacy_policy=POLICY)
    api = org.client(idempotency_key=f"once-{canary[:4]}")
    for n in range(3):
        await it.append(everything_with(canary))
        await Talk(api, it.resource_id, f"key{n}").append(
            everything_with(canary), session_id=f"s{n}"
        )
        api.headers["idempotency-key"] = f"again-{n}"
    await it.call("pop")
    await it.call("clear", confirm=True, backup=True)
    dump = text_of_all_rows(org.id)
    assert it.resource_id in dump
    assert canary not in dump
    with redis_client.Redis.from_url(service.redis_url) as redis:
        reads = {b"hash": redis.hgetall, b"zset": lambda key: redis.zrange(key, 0, -1)}
        for key in redis.scan_iter("*"):
            said = reads.get(redis.type(key), redis.get)(key)  # a dump would be compressed
            assert canary not in f"{key}{said}"
    folder = Path(service.data_dir).parent
    written = [*(folder / "redis").rglob("*.aof")]
    assert written
    for file in [folder / "data.log", *written]:
        assert canary.encode() not in file.read_bytes(), file


async def test_a_type_that_a_pattern_matches_keeps_the_message_out(talk):
    it = await talk(
        type="token_based", max_tokens=1000, privacy_policy={"redact_patterns": ["xy+"]}
    )
    done = await it.append([{"role": "user", "content": "hello", "type": "xyyy"}, "hello"])
    assert (done["appended"], done["not_persisted"]) == (1, 1)
    assert "type" in done["not_persisted_reasons"][0]["reason"]


@given(st.text(max_size=200), st.sampled_from([r"\d+", "a+b", "[a-f]{2}", r"(?i)x|yy"]))
def test_a_redacted_text_holds_nothing_that_the_pattern_matches(text, pattern):
    redactor = Redactor((compile_pattern(pattern),), "¤")
    assert not redactor.covers(redactor.text(text))


def test_hostile_text_takes_linear_time():
    hostile = Redactor(
        (compile_pattern("(a+)+$"), compile_pattern("(a|aa)+b"), compile_pattern("(.*a){20}b")), "#"
    )

    def took(size: int) -> float:
        started = time.thread_time()  # of this thread alone: the machine may be busy with others
        hostile.text("a" * size + "!")
        return time.thread_time() - started

    took(1_000)
    # A backtracking engine would need longer than the universe is old for the larger; linear is about 16 times.
    assert took(64_000) < 200 * max(took(4_000), 0.0005)


def test_numbers_and_names_are_redacted_as_they_would_be_written_down():
    redactor = Redactor((compile_pattern(r"\d{6}"), compile_pattern("1e.?[0-9]+")), "#")
    assert redactor.value({"pin": 123456, "123456": [1234567, 12345, 1e300], "on": True}) == {
        "pin": "#",
        "#": ["#7", 12345, "#"],
        "on": True,
    }
    assert redactor.value(None) is None


def test_a_compaction_item_is_kept_as_it_is_or_not_at_all():
    redactor = Redactor((compile_pattern("secret"),), "#")
    plain = {"type": "compaction", "content": "", "metadata": {"raw": {"data": "opaque"}}}
    assert redact_message(redactor, plain) == plain
    for held in ({"content": "a secret"}, {"metadata": {"raw": {"data": ["secret"]}}}):
        with pytest.raises(RedactionFailed, match="must stay as it is"):
            redact_message(redactor, {**plain, **held})


async def test_what_redaction_makes_too_long_is_not_kept(talk):
    policy = {"redact_patterns": ["ab"]}
    it = await talk(type="token_based", max_tokens=100_000, privacy_policy=policy)
    done = await it.append(["ab" * 8_000, "short"])
    assert (done["appended"], done["not_persisted"]) == (1, 1)
    [refused] = done["not_persisted_reasons"]
    assert (refused["index"], "65,536 bytes" in refused["reason"]) == (0, True)
    assert await it.contents() == ["short"]
