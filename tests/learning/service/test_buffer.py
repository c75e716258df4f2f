"""A buffer drops its oldest messages on append: they are learned from all the same, once each."""

from tests.conversations.conftest import resource

SAID = ("My name is Teodora.", "I can't stand coriander.", "Remember that I park on level 3.",
        "Remember that my dentist is on Elm Street.", "Remember that the boiler is serviced in May.",
        "Remember that the spare key is with Raya.")  # fmt: skip


async def test_what_a_buffer_drops_is_learned_from_once(talk):
    made = await talk.api.put("/memory-resources/short", json=resource("short", type="buffer", max_messages=2))  # fmt: skip
    assert made.status_code == 201, made.text
    jobs = set()
    for number, text in enumerate(SAID):
        message = {"id": f"m{number}", "role": "user", "content": text}
        await talk.call(
            "POST", "/conversations/short/append",
            json={"key": "k", "session_id": talk.id, "messages": [message]},
        )  # fmt: skip
        found = await talk.call("GET", "/jobs", params={"kind": "settle"})
        jobs |= {each["id"] for each in found["data"]}
    assert jobs  # the drop asked for a job, long before the session rests
    for each in jobs:
        await talk.done(each)
    await talk.call("POST", f"/sessions/{talk.id}/settle")
    for each in (await talk.call("GET", "/jobs", params={"kind": "settle"}))["data"]:
        await talk.done(each["id"])

    applied = [each for each in await talk.proposals() if each["action"] == "add"]
    assert sorted(each["sources"][0]["ref"] for each in applied) == [f"m{n}" for n in range(6)]
