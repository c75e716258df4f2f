"""Every argument of the methods for learning, jobs and the directory is in the request, under its own name."""

from importlib import import_module
from pathlib import Path

from holdfast_client.directory.model import MemoryReference
from tests.sdk.requested import (
    COVERED,
    NOON,
    OPERATIONS,
    PAGE,
    SENT_NOON,
    Row,
    must_send,
    rows_of,
)

SAID = [{"role": "user", "content": "tea"}]
IF_3 = {"If-Match": '"3"'}


@rows_of(
    Row(
        "sessions.append",
        lambda c: c.sessions.append(SAID, session_id="walk", agent_id="other", project_id="moon"),
        "POST /sessions/walk/messages",
        body={"messages": SAID, "agent_id": "other", "project_id": "moon"},
    ),
    Row(
        "sessions.settle",
        lambda c: c.sessions.settle(dry_run=True),
        "POST /sessions/talk/settle",
        body={"dry_run": True},
    ),
    Row(
        "proposals.list",
        lambda c: c.proposals.list(
            status="pending", action="merge", job_id="job_1", session_id="walk", **PAGE
        ),
        "GET /proposals",
        query={
            "status": "pending",
            "action": "merge",
            "job_id": "job_1",
            "session_id": "walk",
            **PAGE,
        },
    ),
    Row("proposals.get", lambda c: c.proposals.get("p1"), "GET /proposals/p1"),
    Row(
        "proposals.edit",
        lambda c: c.proposals.edit("p1", content="tea", target="memory", if_match=3),
        "PATCH /proposals/p1",
        body={"content": "tea", "target": "memory"},
        headers=IF_3,
    ),
    Row(
        "proposals.accept",
        lambda c: c.proposals.accept("p1", if_match=3),
        "POST /proposals/p1/accept",
        headers=IF_3,
    ),
    Row(
        "proposals.reject",
        lambda c: c.proposals.reject("p1", if_match=3),
        "POST /proposals/p1/reject",
        headers=IF_3,
    ),
    Row(
        "proposals.accept_many",
        lambda c: c.proposals.accept_many(("p1", "p2")),
        "POST /proposals/accept",
        body={"ids": ["p1", "p2"]},
    ),
    Row(
        "learning.consolidate",
        lambda c: c.learning.consolidate(dry_run=False, kinds=["duplicates"]),
        "POST /consolidate",
        body={"dry_run": False, "kinds": ["duplicates"]},
    ),
    Row("learning.hygiene", lambda c: c.learning.hygiene(), "GET /hygiene"),
    Row(
        "jobs.list",
        lambda c: c.jobs.list(status="failed", **PAGE),
        "GET /jobs",
        query={"status": "failed", **PAGE},
    ),
    Row("jobs.read", lambda c: c.jobs.read("j1"), "GET /jobs/j1"),
    Row(
        "jobs.cancel",
        lambda c: c.jobs.cancel("j1", if_match=3),
        "POST /jobs/j1/cancel",
        headers=IF_3,
    ),
    Row(
        "jobs.retry",
        lambda c: c.jobs.retry("j1", if_match=3),
        "POST /jobs/j1/retry",
        headers=IF_3,
    ),
    Row("jobs.revert", lambda c: c.jobs.revert("j1"), "POST /jobs/j1/revert"),
    Row(
        "jobs.llm_calls",
        lambda c: c.jobs.llm_calls(status="failed", job_id="j1", **PAGE),
        "GET /llm-calls",
        query={"status": "failed", "job_id": "j1", **PAGE},
    ),
    Row(
        "activity.revisions",
        lambda c: c.activity.revisions(
            kind="memory",
            object_id="m1",
            actor="agent:bot",
            user_id="ana",
            job_id="j1",
            since=NOON,
            **PAGE,
        ),
        "GET /revisions",
        query={
            "kind": "memory",
            "object_id": "m1",
            "actor": "agent:bot",
            "user_id": "ana",
            "job_id": "j1",
            "since": SENT_NOON,
            **PAGE,
        },
    ),
    Row(
        "activity.stats",
        lambda c: c.activity.stats(from_=NOON, to=NOON, bucket="day"),
        "GET /stats",
        query={"from": SENT_NOON, "to": SENT_NOON, "bucket": "day"},
    ),
    Row(
        "erasures.erase",
        lambda c: c.erasures.erase("ana", everything=True),
        "POST /users/ana/erase",
        body={"everything": True},
    ),
    Row("erasures.list", lambda c: c.erasures.list(**PAGE), "GET /erasures", query=PAGE),
    Row("erasures.read", lambda c: c.erasures.read("r1"), "GET /erasures/r1"),
    Row("erasures.verify", lambda c: c.erasures.verify("r1"), "GET /erasures/r1/verify"),
    Row("service.health", lambda c: c.service.health(), "GET /healthz"),
    Row("service.ready", lambda c: c.service.ready(), "GET /readyz"),
    Row("service.metrics", lambda c: c.service.metrics(), "GET /metrics"),
)
async def test_learning_jobs_and_the_service(row):
    await must_send(row)


ORG = {
    "name": "acme",
    "workspaces_enabled": True,
    "review_extractions": True,
    "llm_tokens_per_day": None,
    "language": "german",
    "recall_weights": {"bm25": 0.5},
    "redact_patterns": ["secret"],
}
PROJECT = {"name": "Moon", "visibility": "private", "workspace_id": "lab"}


@rows_of(
    Row("directory.read_org", lambda c: c.directory.read_org(), "GET /org"),
    Row(
        "directory.change_org",
        lambda c: c.directory.change_org(if_match=3, **ORG),
        "PATCH /org",
        body=ORG,
        headers=IF_3,
    ),
    Row(
        "directory.put_workspace",
        lambda c: c.directory.put_workspace("lab", name="Lab", if_match=3),
        "PUT /workspaces/lab",
        body={"name": "Lab"},
        headers=IF_3,
    ),
    Row(
        "directory.read_workspace",
        lambda c: c.directory.read_workspace("lab"),
        "GET /workspaces/lab",
    ),
    Row(
        "directory.put_project",
        lambda c: c.directory.put_project("moon", if_match=3, **PROJECT),
        "PUT /projects/moon",
        body=PROJECT,
        headers=IF_3,
    ),
    Row("directory.read_project", lambda c: c.directory.read_project("moon"), "GET /projects/moon"),
    Row(
        "directory.add_member",
        lambda c: c.directory.add_member("moon", "ben"),
        "PUT /projects/moon/members/ben",
    ),
    Row(
        "directory.remove_member",
        lambda c: c.directory.remove_member("moon", "ben"),
        "DELETE /projects/moon/members/ben",
    ),
    Row("directory.read_agent", lambda c: c.directory.read_agent(), "GET /agents/bot"),
    Row(
        "directory.put_agent",
        lambda c: c.directory.put_agent(
            "other",
            name="Other",
            project_id="moon",
            memory=[MemoryReference("support", "k", "read-only")],
            if_match=3,
        ),
        "PUT /agents/other",
        body={
            "name": "Other",
            "project_id": "moon",
            "memory": [{"id": "support", "key": "k", "mode": "read-only"}],
        },
        headers=IF_3,
    ),
    Row("directory.export_user", lambda c: c.directory.export_user("ana"), "GET /users/ana/export"),
    Row(
        "directory.create_user",
        lambda c: c.directory.create_user("ben", email="ben@example.com", role="owner"),
        "POST /users",
        body={"user_id": "ben", "email": "ben@example.com", "role": "owner"},
    ),
    Row(
        "directory.change_user",
        lambda c: c.directory.change_user("ben", email=None, role="member", if_match=3),
        "PATCH /users/ben",
        body={"email": None, "role": "member"},
        headers=IF_3,
    ),
    Row(
        "directory.delete_user",
        lambda c: c.directory.delete_user("ben", if_match=3),
        "DELETE /users/ben",
        headers=IF_3,
    ),
    Row("directory.read_me", lambda c: c.directory.read_me(), "GET /users/me"),
    Row(
        "directory.change_me",
        lambda c: c.directory.change_me(insight_capture=False, if_match=3),
        "PATCH /users/me",
        body={"insight_capture": False},
        headers=IF_3,
    ),
    Row("directory.read_session", lambda c: c.directory.read_session(), "GET /sessions/talk"),
    *(
        Row(
            f"directory.list_{each}",
            lambda c, each=each: getattr(c.directory, f"list_{each}")(**PAGE),
            f"GET /{each}",
            query=PAGE,
        )
        for each in ("agents", "keys", "projects", "users", "workspaces")
    ),
)
async def test_the_directory(row):
    await must_send(row)


def test_every_operation_of_the_service_has_a_row():
    """A new route is compared with its method here or in a test_requests_of_….py of its face."""
    for path in Path(__file__).parent.glob("test_requests_of_*.py"):
        import_module(f"tests.sdk.{path.stem}")  # the rows are there once their modules are
    twins = {"memories.recall", "recall", "context"}  # sent as POST; its id ends in _post or not
    wanted = {name for name in OPERATIONS if not name.startswith("auth.") and name not in BY_CONFIG}
    covered = {name.removesuffix("_post") for name in COVERED}
    assert {name.removesuffix("_post") for name in wanted} - covered - twins == set()


# These take a memory resource as their whole body (test_requests_of_conversations.py).
BY_CONFIG = {"conversations.put_resource", "conversations.validate_resource"}
