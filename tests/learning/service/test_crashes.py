"""Once per message: killed workers, two workers, and people who edit while a job runs."""

import asyncio

import httpx
import pytest

from holdfast.kernel.errors import BackendUnavailable
from holdfast.learning import decision
from holdfast.learning.extractor import ExtractionFailed, RulesExtractor
from tests import forked
from tests.learning.service.in_process import (
    killed_at_each_statement,
    learning_on,
    new_job,
    run_job,
    settle_here,
)

FIRST = ("I live in Porto.", "Remember that my dentist is on Elm Street.")
SAID = (
    "My name is Teodora.",
    "Actually, I live in Lisbon now.",
    "Remember that I park on level 3.",
    "My niece is called Raya.",
    "Remember that my dentist is on Elm Street.",
)
CANDIDATES = 5


async def everything(talk):
    """What memory holds, in an order that does not depend on when it was written."""
    nodes = (await talk.call("GET", "/memory-nodes", params={"limit": 100}))["data"]
    return {
        "core": await talk.core(),
        "memories": sorted((row["value"], len(row["sources"])) for row in await talk.memories()),
        "items": sorted(item["content"] for node in nodes for item in node["items"]),
        "proposals": sorted((p["action"], p["status"], p["content"]) for p in await talk.proposals()),
        "settled_through": (await talk.call("GET", f"/sessions/{talk.id}"))["settled_through"],
    }  # fmt: skip


async def test_a_worker_that_is_killed_at_any_step_leaves_what_one_run_would(
    talk, make_org, org, db, service
):
    other = await make_org()
    clean = type(talk)(other.client(), "talk-1", talk.headers)
    for each, tenant in ((talk, org), (clean, other)):
        await each.say(*FIRST)
        await settle_here(db, tenant.id, "ana", "talk-1")
        await each.say(*SAID[1:])
    await settle_here(db, other.id, "ana", "talk-1")
    job_id = await new_job(db, org.id, "ana", "talk-1")

    forks = (service.app_url, org.id, "ana", "talk-1", job_id, "1", "30", "60")
    script = ["-m", "tests.learning.service.in_process", *forks]
    done = await asyncio.to_thread(forked.run, script, timeout=120)
    killed = await killed_at_each_statement(db, org.id, "ana", "talk-1", job_id)

    assert done.returncode == 0, done.stderr
    assert killed > 60  # once at every statement of the job
    assert await everything(talk) == await everything(clean)
    job = await talk.call("GET", f"/jobs/{job_id}")
    assert (job["status"], job["result"]["messages"]) == ("succeeded", len(SAID) - 1)


async def test_two_workers_and_repeated_jobs_are_as_one(talk, org, db):
    await talk.say(*SAID)
    learning = learning_on(db)
    ids = [await new_job(db, org.id, "ana", "talk-1") for _ in range(2)]

    await asyncio.gather(*(run_job(learning, org.id, "ana", "talk-1", job_id) for job_id in ids))
    once = await everything(talk)
    for _ in range(3):
        await settle_here(db, org.id, "ana", "talk-1")

    assert await everything(talk) == once
    assert len(once["proposals"]) == CANDIDATES
    values = [value for value, _ in once["memories"]]
    assert len(values) == len(set(values))


async def test_an_edit_during_a_job_is_kept_and_the_job_decides_again(talk, org, db, monkeypatch):
    await talk.say("I live in Porto.")
    await settle_here(db, org.id, "ana", "talk-1")
    await talk.say("I can't stand coriander.")
    block = await talk.call("GET", "/memory/blocks/core")
    compare, edits = decision.compare, []

    def edit_first(*args):
        if not edits:
            edits.append(
                httpx.put(
                    f"{org.url}/api/v1/memory/blocks/core",
                    headers={"Authorization": f"Bearer {org.key}", **talk.headers},
                    json={
                        "content": f"{block['content']}\nWrites left-handed",
                        "expected_updated_at": block["updated_at"],
                    },
                ).status_code
            )
        return compare(*args)

    monkeypatch.setattr(decision, "compare", edit_first)
    await settle_here(db, org.id, "ana", "talk-1")

    assert edits == [200]
    assert await talk.core() == [
        block["content"],
        "Writes left-handed",
        "The user dislikes coriander.",
    ]


async def test_a_job_that_fails_keeps_its_place_and_says_why(talk, org, db):
    class Failing(RulesExtractor):
        async def extract(self, *args, **more):
            raise ExtractionFailed("the model cannot be reached")

    await talk.say(*SAID)
    with pytest.raises(BackendUnavailable, match="the model cannot be reached"):
        await settle_here(db, org.id, "ana", "talk-1", Failing())

    assert (await talk.call("GET", "/sessions/talk-1"))["settled_through"] == []
    assert await talk.memories() == []
    await settle_here(db, org.id, "ana", "talk-1")
    assert len(await talk.proposals()) == CANDIDATES
