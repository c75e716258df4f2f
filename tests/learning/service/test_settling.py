"""Settling a session, from outside."""


async def test_what_was_said_is_learned_in_the_right_place_with_sources(talk):
    await talk.say(
        "My name is Teodora.",
        "I can't stand coriander.",
        "Remember that I park on level 3.",
        "My niece is called Raya.",
        agent_id="bot",
    )

    job = await talk.settle()

    assert job["kind"] == "settle"
    assert job["extractor"] == "rules"
    assert job["result"]["messages"] == 4
    assert await talk.core() == ["The user's name is Teodora.", "The user dislikes coriander."]
    [parking] = [row for row in await talk.memories() if "level 3" in row["value"]]
    assert parking["source"] == "auto"
    assert parking["trust"] == "user"
    assert parking["valid_from"] is not None
    assert parking["sources"][0]["kind"] == "message"
    assert parking["sources"][0]["ref"] == "m3"
    assert {"kind": "session", "ref": "talk-1", "quote": None} in parking["sources"]
    [raya] = (await talk.call("GET", "/memory-nodes", params={"q": "Raya"}))["data"]
    assert [item["content"] for item in raya["items"]] == ["The user's niece is Raya."]
    session = await talk.call("GET", "/sessions/talk-1")
    assert session["settled_at"] is not None
    assert session["settled_through"] == [
        {"resource_id": "sessions", "key": "talk-1", "message_id": "m4"}
    ]
    assert [each["resource_id"] for each in session["conversations"]] == ["sessions"]


async def test_settling_again_finds_nothing_new(talk):
    await talk.say("I live in Porto.")
    await talk.settle()
    rows = await talk.memories()

    again = await talk.call("POST", "/sessions/talk-1/settle", 200)

    assert again == {"job_id": None, "status": "nothing_new"}
    assert await talk.memories() == rows
    await talk.call("POST", "/sessions/nowhere/settle", 404)
