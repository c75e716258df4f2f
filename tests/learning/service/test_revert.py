"""Undoing a job."""

import pytest

from holdfast.kernel.errors import BackendUnavailable
from holdfast.learning import revert
from holdfast.learning.revert import _Change
from tests.learning.service.in_process import new_job


async def test_a_job_is_undone_and_says_what_it_kept(talk):
    await talk.say("My name is Teodora.", agent_id="bot")
    await talk.settle()
    core = await talk.call("GET", "/memory/blocks/core")
    await talk.say(
        "Remember that I park on level 3.",
        "I can't stand coriander.",
        "My niece is called Raya.",
        "Remember that the spare key hangs in the shed.",
    )
    job = await talk.settle()
    key = next(row for row in await talk.memories() if "shed" in row["value"])
    await talk.call("PATCH", f"/memories/{key['id']}", json={"value": "It hangs in the garage."})

    done = await talk.call("POST", f"/jobs/{job['id']}/revert")

    assert await talk.core() == [core["content"]]
    assert [row["value"] for row in await talk.memories()] == ["It hangs in the garage."]
    assert [each["id"] for each in done["kept"]] == [key["id"]]
    assert "changed since" in done["kept"][0]["reason"]
    assert (await talk.call("GET", "/memory-nodes", params={"q": "Raya"}))["data"] == []
    by_status = {each["content"]: each["status"] for each in await talk.proposals(job_id=job["id"])}
    assert by_status["The user parks on level 3."] == "reverted"
    assert by_status["The user dislikes coriander."] == "reverted"
    assert sorted(set(by_status.values())) == ["applied", "reverted"]

    again = await talk.call("POST", f"/jobs/{job['id']}/revert")
    assert again["reverted"] == []
    await talk.call("POST", "/jobs/job_" + "0" * 32 + "/revert", 404)


async def test_a_superseded_fact_comes_back(talk):
    await talk.say("I live in Porto.", "Remember that my dentist is on Elm Street.")
    await talk.settle()
    before, rows = await talk.core(), await talk.memories()
    await talk.say("I live in Lisbon now.")
    job = await talk.settle()
    assert any("Lisbon" in line for line in await talk.core())
    assert not any("Porto" in line for line in await talk.core())

    await talk.call("POST", f"/jobs/{job['id']}/revert")

    assert await talk.core() == before
    assert [row["id"] for row in await talk.memories()] == [row["id"] for row in rows]
    await talk.say("I live in Lisbon now.")  # what came back can be replaced again
    await talk.settle()
    assert not any("Porto" in line for line in await talk.core())


async def test_an_undoing_that_loses_the_database_changes_nothing(talk, org, db, monkeypatch):
    await talk.say("My niece is called Raya.", "Remember that I park on level 3.")
    job = await talk.settle()
    rows = await talk.memories()

    async def lost(*_):
        raise BackendUnavailable("the database went away")

    with monkeypatch.context() as patch:
        patch.setitem(revert.UNDO, "memory", lost)
        with pytest.raises(BackendUnavailable):
            await revert.revert_job(db, org.caller("ana"), job["id"])

    assert await talk.memories() == rows
    assert len((await talk.call("GET", "/memory-nodes", params={"q": "Raya"}))["data"]) == 1
    done = await talk.call("POST", f"/jobs/{job['id']}/revert")
    assert done["kept"] == []
    assert await talk.memories() == []


async def test_a_job_that_is_not_over_is_not_undone(talk, org, db):
    await talk.say("Remember that I park on level 3.")
    job_id = await new_job(db, org.id, "ana", "talk-1")

    refused = await talk.call("POST", f"/jobs/{job_id}/revert", 409)

    assert "cancel it" in refused["detail"]
    assert refused["current"]["id"] == job_id
    assert refused["current"]["status"] in ("queued", "running")


@pytest.mark.parametrize(
    ("first", "last", "number", "newest", "untouched"),
    [
        (1, 1, 1, 1, True),
        (2, 4, 3, 4, True),
        (1, 1, 1, 2, False),  # changed after the job
        (1, 3, 2, 3, False),  # changed between two changes of the job
        (2, 4, 2, 5, False),
    ],
)
def test_an_object_is_untouched_where_every_version_since_is_the_jobs(
    first, last, number, newest, untouched
):
    change = _Change("memory", "m", first, last, number, newest, "updated", None, None, None)
    assert change.is_untouched is untouched
