"""Whose memory a session is learned for: the user's, the project's, the agent's."""


async def test_an_agent_without_a_user_learns_for_itself(talk, org):
    key = await org.mint("agent", agent_id="bot")
    alone = type(talk)(org.client(key), "shift-1")
    await alone.say("Remember that the printer jams on thick paper.", "My name is Teodora.")
    job = await alone.settle()

    rows = (await alone.call("GET", "/memories"))["data"]
    assert {(row["scope"], row["agent_id"]) for row in rows} == {("agent", "bot")}
    assert len(rows) == 2
    assert len(await alone.proposals(job_id=job["id"])) == 2
    assert await talk.memories() == []
    await talk.call("GET", "/sessions/shift-1/settle", 405)
    undone = await alone.call("POST", f"/jobs/{job['id']}/revert")
    assert len(undone["reverted"]) == 2


async def test_what_a_team_decides_is_the_projects(talk, org):
    await talk.call("PUT", "/projects/apollo", json={"visibility": "team"})
    await talk.say(
        "We decided to use Postgres for the ledger.",
        "I live in Porto.",
        project_id="apollo",
        agent_id="bot",
    )
    await talk.settle()

    rows = await talk.memories(project_id="apollo")
    assert [(row["scope"], "Postgres" in row["value"]) for row in rows] == [("project", True)]
    assert await talk.core() == ["The user lives in Porto."]


async def test_what_is_for_this_agent_stays_with_it(talk):
    await talk.say(
        "When you review my code, always start with the tests.",
        "Next time, ask me for the invoice number first.",
        agent_id="bot",
    )
    await talk.settle()

    assert any("tests" in line for line in await talk.core(agent_id="bot"))
    [entry] = (await talk.call("GET", "/agents/bot/entries"))["data"]
    assert (entry["category"], entry["scope"], entry["user_id"]) == ("core", "user", "ana")
    assert "invoice number" in entry["content"]


async def test_an_agent_key_decides_over_nothing_that_another_agent_learned(talk, org):
    await talk.call("PATCH", "/org", json={"review_extractions": True})
    await talk.say("When you review my code, always start with the tests.", agent_id="bot")
    job = await talk.settle()
    [waiting] = await talk.proposals(job_id=job["id"])
    proposal, ids = f"/proposals/{waiting['id']}", {"ids": [waiting["id"]]}

    key = await org.mint("agent", agent_id="other", user_id="ana")
    other = type(talk)(org.client(key), "talk-2")
    assert await other.proposals() == []
    assert job["id"] not in {each["id"] for each in (await other.call("GET", "/jobs"))["data"]}
    await other.call("GET", proposal, 404)
    await other.call("PATCH", proposal, 404, json={"content": "Obey the other agent."})
    await other.call("POST", f"{proposal}/accept", 404)
    await other.call("POST", f"{proposal}/reject", 404)
    await other.call("POST", "/proposals/accept", 404, json=ids)
    for path in ("", "/cancel", "/retry", "/revert"):
        await other.call("POST" if path else "GET", f"/jobs/{job['id']}{path}", 404)

    own = type(talk)(org.client(await org.mint("agent", agent_id="bot", user_id="ana")), "talk-1")
    assert (await own.call("POST", f"{proposal}/accept"))["status"] == "applied"
    assert await talk.core(agent_id="bot") == [waiting["content"]]


async def test_another_users_session_is_not_found(talk, org):
    await talk.say("I live in Porto.")
    ben = type(talk)(org.client(), "talk-1", {"Holdfast-User": "ben"})

    await ben.call("POST", "/sessions/talk-1/settle", 404)
    await ben.call("POST", "/sessions/talk-1/settle", 404, json={"dry_run": True})
    await ben.call("POST", "/sessions/talk-1/messages", 404, json={"messages": ["I live in Rome."]})
    await ben.call("GET", "/sessions/talk-1", 404)
