"""sessions settle, proposals, extract and jobs revert from the command line."""

import json
import time

import pytest

SAID = "Remember that I park on level 3."


@pytest.fixture
def env(org):
    return {"HOLDFAST_URL": org.url, "HOLDFAST_API_KEY": org.key}


async def test_a_session_is_settled_reviewed_and_undone(
    holdfast_json, holdfast, api, env, tmp_path
):
    as_ana = ("--user", "ana")
    headers = {"Holdfast-User": "ana"}
    await api.post("/sessions/talk/messages", json={"messages": [SAID]}, headers=headers)

    [shown] = holdfast_json("sessions", "settle", "talk", "--dry-run", *as_ana, **env)
    assert shown["content"] == "The user parks on level 3."
    job = holdfast_json("sessions", "settle", "talk", *as_ana, **env)["job_id"]
    until = time.monotonic() + 60
    while holdfast_json("jobs", "show", job, *as_ana, **env)["status"] != "succeeded":
        assert time.monotonic() < until
    [applied] = holdfast_json("proposals", "list", "--job", job, *as_ana, **env)
    assert applied["status"] == "applied"
    [undone] = holdfast_json("jobs", "revert", job, *as_ana, **env)
    assert undone["outcome"] == "reverted"

    await api.patch("/org", json={"review_extractions": True})
    file = tmp_path / "talk.json"
    file.write_text(
        json.dumps([{"role": "user", "content": "My name is Teodora."}, "I hate celery."])
    )
    rehearsed = holdfast_json("extract", "--dry-run", str(file), *as_ana, **env)
    assert [each["target"] for each in rehearsed] == ["block", "block"]
    assert holdfast_json("proposals", "list", "--status", "pending", *as_ana, **env) == []
    name, celery = holdfast_json("extract", str(file), *as_ana, **env)
    changed = holdfast_json(
        "proposals", "edit", name["id"], "--content", "Is called Teodora", *as_ana, **env
    )
    assert changed["content"] == "Is called Teodora"
    [accepted] = holdfast_json("proposals", "accept", name["id"], *as_ana, **env)
    assert accepted["status"] == "applied"
    assert (
        holdfast_json("proposals", "reject", celery["id"], *as_ana, **env)["status"] == "rejected"
    )
    assert holdfast_json("proposals", "show", celery["id"], *as_ana, **env)["status"] == "rejected"
    code, _, complaint = holdfast("proposals", "reject", name["id"], *as_ana, **env)
    assert code != 0
    assert "applied" in complaint
    code, _, complaint = holdfast("extract", str(tmp_path / "nothing"), *as_ana, **env)
    assert code != 0
    assert "cannot be read" in complaint


async def test_memory_is_measured_and_consolidated(holdfast_json, holdfast, api, env):
    as_ana = ("--user", "ana")
    for key, value in (("a", "I park on level 3."), ("b", "On level 3 I park.")):
        body = {"key": key, "value": value, "category": "fact"}
        await api.post("/memories", json=body, headers={"Holdfast-User": "ana"})
    assert holdfast_json("hygiene", *as_ana, **env)["memory"]["duplicates"]["count"] == 1
    [merge] = holdfast_json("consolidate", "--kind", "duplicates", *as_ana, **env)
    assert merge["action"] == "merge"
    assert holdfast_json("consolidate", "--kind", "expired", "--kind", "core", *as_ana, **env) == []
    assert holdfast_json("consolidate", "--apply", *as_ana, **env)["job_id"].startswith("job_")
    code, _, complaint = holdfast("consolidate", "--kind", "gossip", *as_ana, **env)
    assert code != 0
    assert "duplicates" in complaint
