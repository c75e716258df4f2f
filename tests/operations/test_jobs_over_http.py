"""Jobs over HTTP: who sees them, what can be taken back and asked for again, and what is refused."""

from datetime import timedelta

import pytest

from holdfast.kernel import clock, jobs

# A queue that no worker looks at: what is asked for here stays as it is.
QUEUE = "nobody works on this"


@pytest.fixture
def ask(db):
    async def make(caller, kind="greet", **options):
        async with db.begin(caller) as tx:
            return await jobs.enqueue(tx, kind, "somebody", queue=QUEUE, **options)

    return make


async def test_a_queued_job_is_cancelled_and_asked_for_again(org, ask):
    job_id = await ask(org.caller("ana"), not_before=clock.now() + timedelta(hours=1))
    ana = org.client(Holdfast_User="ana")
    read = await ana.get(f"/jobs/{job_id}")
    assert (read.status_code, read.json()["status"]) == (200, "queued")
    assert read.json()["not_before"] is not None
    early = await ana.post(f"/jobs/{job_id}/retry")
    assert (early.status_code, early.json()["code"]) == (409, "conflict")

    cancelled = await ana.post(f"/jobs/{job_id}/cancel")
    assert cancelled.json()["status"] == "cancelled"
    again = await ana.post(f"/jobs/{job_id}/cancel")
    assert (again.status_code, again.json()["current"]["status"]) == (409, "cancelled")
    assert "only a queued job" in again.json()["detail"]

    retried = await ana.post(f"/jobs/{job_id}/retry")
    assert retried.json()["status"] == "queued"
    assert retried.json()["version"] > read.json()["version"]
    fresh = await ana.get(f"/jobs/{job_id}")
    assert fresh.headers["ETag"] != read.headers["ETag"]
    same = await ana.get(f"/jobs/{job_id}", headers={"If-None-Match": fresh.headers["ETag"]})
    assert same.status_code == 304


async def test_lists_are_by_status_and_of_the_user_acted_for(org, ask):
    mine = [await ask(org.caller("ana")) for _ in range(3)]
    await ask(org.caller("ben"))
    ana = org.client(await org.mint("user", user_id="ana"))
    await ana.post(f"/jobs/{mine[0]}/cancel")

    async def ids(**query):
        reply = await ana.get("/jobs", params=query)
        assert reply.status_code == 200, reply.text
        return [each["id"] for each in reply.json()["data"]]

    assert await ids() == mine[::-1]
    assert await ids(status="cancelled") == [mine[0]]
    assert await ids(status="running") == []
    assert await ids(limit=1, after_id=mine[2]) == [mine[1]]


async def test_what_is_not_there_or_not_theirs_is_not_found(org, make_org, ask):
    job_id = await ask(org.caller("ana"))
    stranger = (await make_org()).client()
    for client in (org.client(Holdfast_User="ben"), stranger):
        for method, path in [
            ("GET", f"/jobs/{job_id}"),
            ("POST", f"/jobs/{job_id}/cancel"),
            ("POST", f"/jobs/{job_id}/retry"),
        ]:
            reply = await client.request(method, path)
            assert (reply.status_code, reply.json()["code"]) == (404, "not_found"), path
    missing = await org.client().get("/jobs/job_" + "0" * 32)
    assert missing.status_code == 404
    assert (await org.client(Holdfast_User="ana").get(f"/jobs/{job_id}")).json()[
        "status"
    ] == "queued"


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/jobs?status=done", "status"),
        ("/jobs?limit=0", "limit"),
        ("/jobs?limit=101", "limit"),
        ("/jobs?state=queued", "state"),
        ("/llm-calls?status=maybe", "status"),
        ("/revisions?since=yesterday", "since"),
        ("/revisions?user_id=a/b", "user_id"),
        ("/revisions?kinds=block", "kinds"),
    ],
)
async def test_wrong_filters_are_named(api, path, field):
    reply = await api.get(path)
    assert (reply.status_code, reply.json()["code"]) == (400, "invalid")
    assert field in reply.text


async def test_both_directions_at_once_are_refused(api):
    for path in ("/jobs", "/llm-calls", "/revisions", "/erasures"):
        both = await api.get(path, params={"after_id": "a", "before_id": "b"})
        assert both.status_code == 400, path
