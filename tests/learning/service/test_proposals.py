"""Proposals: every result of learning is one, a person may decide over those that wait."""

import pytest

from holdfast.kernel.errors import LimitExceeded, NotFound
from holdfast.kernel.ids import new_id
from holdfast.learning.proposal import MAX_ACCEPTED
from holdfast.learning.proposals import accept_proposals

SAID = ("My name is Teodora.", "Remember that I park on level 3.", "I can't stand coriander.")


async def test_what_was_applied_is_listed_with_what_it_became(talk):
    await talk.say(*SAID)
    job = await talk.settle()

    name, parking, coriander = await talk.proposals(job_id=job["id"])

    assert [each["status"] for each in (name, parking, coriander)] == ["applied"] * 3
    assert (name["target"], name["block_type"], name["scope"]) == ("block", "core", "user")
    assert (parking["target"], parking["scope"], parking["action"]) == ("memory", "global", "add")
    assert parking["extractor"] == "rules"
    assert parking["trust"] == "user"
    assert parking["sources"][0]["ref"] == "m2"
    [row] = await talk.memories()
    assert parking["result"] == {"id": row["id"], "version": row["version"]}
    block = await talk.call("GET", "/memory/blocks/core")
    assert coriander["result"] == {"id": block["id"], "version": block["version"]}
    assert await talk.call("GET", f"/proposals/{parking['id']}") == parking
    assert await talk.proposals(status="pending") == []
    refused = await talk.call("POST", f"/proposals/{parking['id']}/accept", 409)
    assert refused["current"]["status"] == "applied"


async def test_an_org_that_reviews_decides_itself(talk):
    await talk.call("PATCH", "/org", json={"review_extractions": True})
    await talk.say(*SAID)
    job = await talk.settle()
    assert job["result"]["applied"] == 0
    assert await talk.core() == []
    assert await talk.memories() == []

    name, parking, coriander = await talk.proposals(status="pending")
    edited = await talk.call(
        "PATCH",
        f"/proposals/{parking['id']}",
        json={"content": "Parks on level 4", "target": "block"},
    )
    assert (edited["target"], edited["status"]) == ("block", "pending")
    for wrong in ({"content": " "}, {"content": None}, {"target": None}):
        await talk.call("PATCH", f"/proposals/{parking['id']}", 422, json=wrong)
    unchanged = await talk.call("PATCH", f"/proposals/{parking['id']}", json={"target": "block"})
    assert unchanged["version"] == edited["version"]
    rejected = await talk.call("POST", f"/proposals/{coriander['id']}/reject")
    assert rejected["status"] == "rejected"
    assert await talk.core() == []

    both = {"ids": [name["id"], parking["id"]]}
    accepted = (await talk.call("POST", "/proposals/accept", json=both))["data"]

    assert [each["status"] for each in accepted] == ["applied", "applied"]
    assert await talk.core() == ["The user's name is Teodora.", "Parks on level 4"]
    again = await talk.call("POST", f"/proposals/{coriander['id']}/accept", 409)
    assert again["current"]["status"] == "rejected"
    third = {"ids": [name["id"], "prop_" + "0" * 32]}
    await talk.call("POST", "/proposals/accept", 404, json=third)


async def test_what_waits_is_not_proposed_a_second_time(talk):
    await talk.call("PATCH", "/org", json={"review_extractions": True})
    await talk.say("Remember that I park on level 3.")
    await talk.settle()
    await talk.say("Remember that I park on level 3.")
    await talk.settle()

    assert len(await talk.proposals(status="pending")) == 1


async def test_accepting_many_is_all_or_none(talk):
    await talk.call("PATCH", "/org", json={"review_extractions": True})
    await talk.say(*SAID)
    await talk.settle()
    name, parking, coriander = await talk.proposals()
    await talk.call("POST", f"/proposals/{coriander['id']}/reject")

    ids = [name["id"], parking["id"], coriander["id"]]
    refused = await talk.call("POST", "/proposals/accept", 409, json={"ids": ids})

    assert refused["current"]["id"] == coriander["id"]
    assert await talk.core() == []
    assert await talk.memories() == []


async def test_another_user_sees_none_of_it(talk, org):
    await talk.say(*SAID)
    await talk.settle()
    [first, *_] = await talk.proposals()
    ben = org.client(Holdfast_User="ben")

    assert (await ben.get("/proposals")).json()["data"] == []
    for method, path in (("GET", ""), ("POST", "/accept"), ("POST", "/reject")):
        reply = await ben.request(method, f"/proposals/{first['id']}{path}")
        assert reply.status_code == 404


async def test_extracting_on_demand(talk, org, rows_of):
    messages = [{"role": "user", "content": "Remember that I park on level 3."}]
    ask = {"messages": messages, "agent_id": "bot"}

    before = rows_of(org.id)
    dry = await talk.call("POST", "/memories/extract", json={**ask, "dry_run": True})
    assert rows_of(org.id) == before  # not even the agent was registered
    assert [each["content"] for each in dry["proposals"]] == ["The user parks on level 3."]
    assert (dry["applied"], dry["proposals"][0]["status"]) == (0, "pending")
    assert await talk.memories() == []
    assert await talk.proposals() == []

    first = await talk.call("POST", "/memories/extract", json=ask)
    second = await talk.call("POST", "/memories/extract", json=ask)

    assert (first["applied"], second["applied"]) == (1, 0)
    assert [each["action"] for each in second["proposals"]] == ["none"]
    [row] = await talk.memories()
    assert second["proposals"][0]["result"]["id"] == row["id"]
    await talk.call("POST", "/memories/extract", 422, json={"messages": [{"role": "nobody"}]})


async def test_as_many_proposals_are_accepted_at_once_as_the_limit_says(org, db):
    ids = [new_id("prop") for _ in range(MAX_ACCEPTED + 1)]
    with pytest.raises(LimitExceeded):
        await accept_proposals(db, org.caller(), ids)
    for asked in (ids[:-1], [*ids[:-1], ids[0]]):  # the same id twice is one
        with pytest.raises(NotFound):
            await accept_proposals(db, org.caller(), asked)
