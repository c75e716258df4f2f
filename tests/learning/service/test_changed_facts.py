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
