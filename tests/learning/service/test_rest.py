"""A session that rests settles by itself."""

import time
from datetime import timedelta

import httpx

from holdfast.kernel import clock
from holdfast.learning.sessions import queries
from tests.conftest import serving
from tests.learning.service.in_process import settle_here


async def rested(db, org_id):
    """The sessions of an org that have rested until now and have no job."""
    found = await db.prove(dict, queries.rested, "", before=clock.now() + timedelta(seconds=1))
    return [each["session_id"] for each in found if each["org_id"] == org_id]


async def test_a_rested_session_is_found_until_it_is_settled(talk, org, db):
    assert await rested(db, org.id) == []
    await talk.say("I live in Porto.")
    assert await rested(db, org.id) == ["talk-1"]
    await settle_here(db, org.id, "ana", "talk-1")
    assert await rested(db, org.id) == []
    await talk.say("Hm.")
    assert await rested(db, org.id) == ["talk-1"]
    job = (await talk.call("POST", "/sessions/talk-1/settle", 202))["job_id"]
    assert await rested(db, org.id) == []
    await talk.done(job)
    assert await rested(db, org.id) == []


def test_nobody_has_to_ask(data_dir):
    with serving(data_dir, HOLDFAST_SETTLE_AFTER="1s", HOLDFAST_EMBEDDER="none") as (ready, _):
        headers = {"Authorization": f"Bearer {ready['api_key']}"}
        with httpx.Client(base_url=f"{ready['url']}/api/v1", headers=headers, timeout=30) as api:
            said = {"messages": ["Remember that I park on level 3."]}
            assert api.post("/sessions/talk/messages", json=said).status_code == 200
            until = time.monotonic() + 90
            # Marked at the end of the job, after what was learned is there.
            while api.get("/sessions/talk").json()["settled_at"] is None:
                assert time.monotonic() < until, "it was not settled"
                time.sleep(0.2)
            assert len(api.get("/memories").json()["data"]) == 1
            [job] = api.get("/jobs").json()["data"]
            assert job["kind"] == "settle"
