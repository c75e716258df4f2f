"""A statement in other words that says something changed ends the earlier one, through the service's own embedder."""

from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.learning.judge import Judge
from holdfast.learning.known import Knowledge
from tests.learning.service.conftest import Talk
from tests.learning.service.in_process import settle_here


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


async def held(talk) -> set[str]:
    return {each["value"] for each in await talk.memories()}


async def asked(talk, text: str, at: str) -> None:
    message = {"role": "assistant", "content": text, "created_at": at}
    await talk.call("POST", f"/sessions/{talk.id}/messages", json={"messages": [message]})


async def test_one_statement_ends_several_facts_and_a_revert_brings_them_back(talk):
    await said(talk, "Remember that I take the driving test on the 24th.", "2026-01-05T10:00:00Z")
    await said(
        talk, "Remember that I have driving lessons with Bo on Mondays.", "2026-01-06T10:00:00Z"
    )
    before = await held(talk)
    assert len(before) == 2
    await said(
        talk,
        "Remember that I got my driving licence yesterday, no more lessons.",
        "2026-02-20T10:00:00Z",
    )
    ended = await talk.proposals(action="supersede")
    assert {each["before"] for each in ended} == before
    assert len({each["result"]["id"] for each in ended}) == 1
    [now] = await held(talk)
    assert "licence" in now

    await talk.call("POST", f"/jobs/{ended[0]['job_id']}/revert")
    assert await held(talk) == before


async def test_what_is_not_worth_keeping_by_itself_is_kept_only_where_it_ends_something(talk, api):
    question, answer = "So how did the driving test go?", "failed it"
    await said(talk, "Remember that my driving test is on the 24th.", "2026-01-05T10:00:00Z")
    await asked(talk, question, "2026-02-20T10:00:00Z")
    await said(talk, answer, "2026-02-20T10:01:00Z")
    [ended] = await talk.proposals(action="supersede")
    assert "24th" in ended["before"]
    assert await held(talk) == {f'Asked "{question}", The user said: "{answer}"'}

    other = Talk(api, "talk-2", {"Holdfast-User": "ben"})  # who never spoke of a test
    await asked(other, question, "2026-02-20T10:00:00Z")
    await said(other, answer, "2026-02-20T10:01:00Z")
    assert await held(other) == set()
    assert await other.proposals() == []


async def test_what_the_judge_says_is_ended_is_compared_though_recall_does_not_find_it(
    talk, org, service, monkeypatch
):
    await said(talk, "Remember that I take the driving test on the 24th.", "2026-01-05T10:00:00Z")

    async def nothing(*_):
        return []

    monkeypatch.setattr(Knowledge, "_recalled", nothing)  # as in a memory with nearer rows
    text = "Remember that I passed, I may drive alone now!"
    message = {"id": "m9", "role": "user", "content": text, "created_at": "2026-01-25T10:00:00Z"}
    await talk.call("POST", f"/sessions/{talk.id}/messages", json={"messages": [message]})
    models = [Embedders("local"), Judge()]
    async with Database(service.app_url, min_size=1, max_size=3, services=models).opened() as db:
        await settle_here(db, org.id, "ana", talk.id)
    [ended] = await talk.proposals(action="supersede")
    assert "24th" in ended["before"]
