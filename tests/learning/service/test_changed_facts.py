"""A statement in other words that says something changed ends the earlier one, through the service's own embedder."""


async def said(talk, text: str, at: str) -> None:
    talk.said += 1
    message = {"id": f"m{talk.said}", "role": "user", "content": text, "created_at": at}
    await talk.call("POST", f"/sessions/{talk.id}/messages", json={"messages": [message]})
    await talk.settle()


async def test_a_change_in_other_words_supersedes_by_meaning(talk):
    await said(
        talk, "Remember that we spend 180 euros a week on groceries.", "2026-01-05T10:00:00Z"
    )
    await said(
        talk, "Remember that the weekly food money is 200 from now on.", "2026-03-05T10:00:00Z"
    )
    [change] = await talk.proposals(action="supersede")
    assert "180 euros" in change["before"]
    found = await talk.call("POST", "/memories/recall", json={"q": "weekly food money groceries"})
    texts = [each["value"] for each in found["data"]]
    assert any("200" in each for each in texts)
    assert not any("180" in each for each in texts)


async def test_what_was_said_earlier_does_not_replace_what_was_said_later(talk):
    """A message that comes late keeps its own time: an old address does not push out the new one."""
    await talk.say("I live in Lisbon.")
    await talk.settle()
    late = {"id": "late", "role": "user", "content": "I live in Porto.", "created_at": "2020-01-01T00:00:00Z"}  # fmt: skip
    await talk.call("POST", f"/sessions/{talk.id}/messages", json={"messages": [late]})
    job = await talk.settle()
    assert await talk.core() == ["The user lives in Lisbon."]
    [decided] = await talk.proposals(job_id=job["id"])
    assert (decided["action"], decided["reason"]) == ("none", "something newer is held already")


async def test_a_memory_with_as_many_sources_as_it_may_have_is_supported_without_another(talk):
    await talk.say("Remember that I park on level 3.")
    await talk.settle()
    [row] = await talk.memories()
    links = [{"kind": "entry", "ref": f"e{n}"} for n in range(100 - len(row["sources"]))]
    full = {"key": row["key"], "value": row["value"], "sources": links}
    await talk.call("POST", "/memories", json=full)
    await talk.say("Remember that I park on level 3.")
    await talk.settle()
    [row] = await talk.memories()
    assert len(row["sources"]) == 100
    assert row["value"] == "The user parks on level 3."


async def test_an_outcome_in_other_words_ends_a_plan_and_what_is_like_it_ends_nothing(talk):
    """No word is shared, and the vectors are far apart: the judge tells."""
    await said(talk, "Remember that my driving test is on the 24th.", "2026-01-05T10:00:00Z")
    await said(talk, "Remember that my sister's driving test is in May.", "2026-01-20T10:00:00Z")
    await said(talk, "Remember that I passed, I may drive alone now!", "2026-01-25T10:00:00Z")
    [change] = await talk.proposals(action="supersede")
    assert "24th" in change["before"]
    found = await talk.call("POST", "/memories/recall", json={"q": "driving test"})
    texts = " ".join(each["value"] for each in found["data"])
    assert "24th" not in texts
    assert "sister" in texts
