"""A buffer drops its oldest messages on append: they are learned from all the same, once each."""

import pytest

from tests.conversations.conftest import resource

SAID = ("My name is Teodora.", "I can't stand coriander.", "Remember that I park on level 3.",
        "Remember that my dentist is on Elm Street.", "Remember that the boiler is serviced in May.",
        "Remember that the spare key is with Raya.")  # fmt: skip


async def settling(talk) -> set[str]:
    found = await talk.call("GET", "/jobs", params={"limit": 100})
    return {each["id"] for each in found["data"] if each["kind"] == "settle"}


@pytest.mark.parametrize("backend", ["postgres", "redis"])
async def test_what_a_buffer_drops_is_learned_from_once(talk, backend):
    body = resource("short", backend, type="buffer", max_messages=2)
    made = await talk.api.put("/memory-resources/short", json=body)
    assert made.status_code == 201, made.text
    for number, text in enumerate(SAID):
        message = {"id": f"m{number}", "role": "user", "content": text}
        await talk.call(
            "POST",
            "/conversations/short/append",
            json={"key": "k", "session_id": talk.id, "messages": [message]},
        )
    asked_for = await settling(talk)
    assert asked_for  # by the drop, long before the session rests
    for each in asked_for:
        await talk.done(each)
    await talk.call("POST", f"/sessions/{talk.id}/settle")
    for each in await settling(talk):
        await talk.done(each)

    applied = [each for each in await talk.proposals() if each["action"] == "add"]
    assert sorted(each["sources"][0]["ref"] for each in applied) == [f"m{n}" for n in range(6)]
