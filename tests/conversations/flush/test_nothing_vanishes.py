"""Every message that was appended and not cleared is in `read?include_flushed=true`, in order, once: on all three logs."""

import random
import uuid

import pytest

from tests.conversations.conftest import Talk

STRATEGIES = ("simple_fifo", "lru", "token_aware_lru", "hybrid_summary")


async def test_a_to_h_with_room_for_four(talk):
    it = await talk(
        type="message_count_based",
        max_messages=4,
        flushing={"type": "hybrid_summary", "fallback": "extractive"},
    )
    for name in "abcdefgh":
        await it.append([{"role": "user", "content": f"This is {name}.", "id": name}])
    found = (await it.get("read", include_flushed=True))["messages"]
    assert [m["id"] for m in found if m["role"] == "user"] == list("abcdefgh")
    summary, *rest = found
    assert summary["metadata"]["summary"]["by"] == "extractive"
    assert all(
        "summary" not in m["metadata"] for m in rest
    )  # earlier ones are folded in, not shown


@pytest.mark.parametrize("seed", range(3))
async def test_random_appends_and_flushes_lose_nothing(talk, seed):
    chance = random.Random(f"{seed} of this run")
    limits = chance.choice(
        [
            {"type": "message_count_based", "max_messages": chance.randint(3, 9)},
            {"type": "token_based", "max_tokens": chance.randint(60, 160)},
        ]
    )
    flushing = {"type": "hybrid_summary", "fallback": "extractive", "summary_tokens": 30}
    it = await talk(**limits, flushing=flushing)
    expected: list[str] = []
    for step in range(30):
        match chance.choice(["append"] * 6 + ["flush", "flush", "read", "pop", "buffered"]):
            case "append" | "buffered":
                messages = [_message(chance, step, n) for n in range(chance.randint(1, 4))]
                await it.append(messages)
                expected += [message["id"] for message in messages]
                if chance.random() < 0.3:  # sent again, the same messages are not doubled
                    assert (await it.append(messages))["appended"] == 0
            case "flush":
                await it.call("flush", strategy=chance.choice(STRATEGIES), force=True)
            case "read":
                await it.get("read", limit=chance.randint(1, 3), offset=chance.randint(0, 3))
            case "pop":
                popped = (await it.call("pop"))["message"]
                if popped is not None and popped["id"] in expected:
                    expected.remove(popped["id"])
    assert await _spoken(it) == expected
    await _pages_agree(it)
    await it.call("clear", confirm=True)
    assert (await it.get("read", include_flushed=True))["total_count"] == 0


async def test_what_a_buffer_drops_and_what_a_write_leaves_behind_is_there_too(talk):
    it = await talk(type="buffer", max_messages=3)
    for n in range(7):
        await it.append([{"role": "user", "content": "x", "id": f"m{n}"}])
    assert await _spoken(it) == [f"m{n}" for n in range(7)]
    await it.call("write", messages=[{"role": "user", "content": "x", "id": "m1"}, "new"])
    spoken = await _spoken(it)
    assert spoken[:4] == ["m0", "m2", "m3", "m1"]  # what was flushed stays flushed, once
    assert len(spoken) == 5


def _message(chance: random.Random, step: int, n: int) -> dict:
    role = chance.choice(["user", "user", "assistant", "system"])
    words = " ".join(f"word{chance.randint(0, 99)}" for _ in range(chance.randint(1, 8)))
    return {"role": role, "content": words, "id": f"{step}.{n}.{uuid.uuid4().hex[:4]}"}


async def _spoken(it: Talk) -> list[str]:
    found = (await it.get("read", include_flushed=True, limit=1000))["messages"]
    return [m["id"] for m in found if "summary" not in m["metadata"]]


async def _pages_agree(it: Talk) -> None:
    """Pages of the whole neither skip nor repeat."""
    whole = await it.get("read", include_flushed=True, limit=1000)
    ids, offset = [], 0
    while True:
        page = await it.get("read", include_flushed=True, limit=4, offset=offset)
        ids += [m["id"] for m in page["messages"]]
        offset += 4
        if not page["has_more"]:
            break
    assert ids == [m["id"] for m in whole["messages"]]
