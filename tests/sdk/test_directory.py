"""The directory through both clients: the same question, the same answer, and the API's own."""

import dataclasses
import io
import zipfile
from datetime import UTC, datetime

import pytest

import holdfast.access.model
import holdfast.directory.model
import holdfast.kernel.jobs
import holdfast.kernel.ledger
import holdfast_client.directory.model
import holdfast_client.jobs.model
from holdfast.kernel.jobs import enqueue
from holdfast.kernel.ledger import MeteredLlm
from holdfast_client import (
    AgentNotFound,
    AsyncClient,
    Client,
    Conflict,
    Invalid,
    LimitExceeded,
    NotFound,
    PreconditionFailed,
    ScopeDenied,
    Unauthenticated,
    iterate,
    iterate_async,
    pages,
)
from holdfast_client.directory.model import MemoryReference
from holdfast_client.values import to_json
from tests.kernel.test_ledger import Echo


async def same(both, face, method, *args, **kwargs):
    """The answer, which both clients must give."""
    sync = getattr(getattr(both.sync, face), method)(*args, **kwargs)
    awaited = await getattr(getattr(both.awaited, face), method)(*args, **kwargs)
    assert sync == awaited
    return sync


async def test_every_directory_method_answers_alike_in_both_clients_and_as_the_api_does(both, api):
    directory = both.sync.directory
    workspace = directory.put_workspace("support", name="Support")
    assert (workspace.name, workspace.version) == ("Support", 1)
    assert (await both.awaited.directory.put_workspace("support", name="Desk")).version == 2
    project = directory.put_project("apollo", name="Apollo", visibility="private")
    assert (project.visibility, project.members) == ("private", ["owner"])
    assert directory.add_member("apollo", "ana").members == ["owner", "ana"]
    assert (await both.awaited.directory.add_member("apollo", "bo")).members[-1] == "bo"
    agent = directory.put_agent("bot", project_id="apollo", memory=[MemoryReference("sessions")])
    assert agent.memory == [MemoryReference("sessions", None, "read-write")]
    assert (await both.awaited.directory.put_agent("bot", name="Bot")).name == "Bot"

    for method, args, path in [
        ("read_org", (), "/org"),
        ("list_workspaces", (), "/workspaces"),
        ("read_workspace", ("support",), "/workspaces/support"),
        ("list_projects", (), "/projects"),
        ("read_project", ("apollo",), "/projects/apollo"),
        ("list_agents", (), "/agents"),
        ("read_agent", ("bot",), "/agents/bot"),
        ("list_users", (), "/users"),
        ("read_me", (), "/users/me"),
        ("list_keys", (), "/keys"),
    ]:
        value = await same(both, "directory", method, *args)
        assert to_json(value) == (await api.get(path)).json(), method

    directory.remove_member("apollo", "ana")
    await both.awaited.directory.remove_member("apollo", "bo")
    assert directory.read_project("apollo").members == ["owner"]


async def test_settings_are_changed_by_name_and_none_takes_a_cap_away(both):
    capped = both.sync.directory.change_org(llm_tokens_per_day=1000, name="Acme")
    assert (capped.llm_tokens_per_day, capped.name) == (1000, "Acme")
    assert (await both.awaited.directory.change_org(name="Acme Ltd")).llm_tokens_per_day == 1000
    assert both.sync.directory.change_org(llm_tokens_per_day=None).llm_tokens_per_day is None
    me = await both.awaited.directory.change_me(insight_capture=False)
    assert both.sync.directory.read_me() == me
    assert me.insight_capture is False
    assert both.sync.directory.change_me(insight_capture=True).insight_capture is True


async def test_a_session_is_read_by_the_scope_that_names_it(both, org, owner_connection):
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    owner_connection.execute(
        "INSERT INTO sessions (org_id, id, user_id, workspace_id, last_activity_at, created_at, updated_at)"
        " VALUES (%s, 'chat-1', 'owner', 'default', now(), now(), now())",
        [org.id],
    )
    session = await same(both.scope(session="chat-1"), "directory", "read_session")
    assert (session.id, session.user_id, session.settled_at) == ("chat-1", "owner", None)
    assert session.created_at.tzinfo is not None
    with pytest.raises(ValueError, match="name a session"):
        both.sync.directory.read_session()


async def test_a_scope_says_whom_and_where_and_leaves_the_client_as_it_was(both):
    both.sync.directory.put_workspace("support")
    ana = both.scope(user="ana", workspace="support")
    ana.sync.directory.put_agent("bot")
    assert (await same(ana, "directory", "read_agent", "bot")).workspace_id == "support"
    ana.sync.directory.put_project("hers")
    assert (await same(ana, "directory", "read_me")).id == "ana"
    assert both.sync.directory.read_me().id == "owner"
    with pytest.raises(AgentNotFound):
        both.sync.directory.read_agent("bot")
    assert (await same(ana.scope(agent="bot"), "directory", "read_agent")).id == "bot"


async def test_iterating_goes_through_every_page_in_either_direction(both):
    for number in range(7):
        both.sync.directory.put_workspace(f"w{number}")
    newest_first = ["w6", "w5", "w4", "w3", "w2", "w1", "w0", "default"]
    listed = both.sync.directory.list_workspaces
    assert [w.id for w in iterate(listed, limit=3)] == newest_first
    awaited = both.awaited.directory.list_workspaces
    assert [w.id async for w in iterate_async(awaited, limit=3)] == newest_first
    assert [len(page.data) for page in pages(listed, limit=4)] == [4, 4]
    assert [len(page.data) for page in pages(listed, limit=8)] == [8]
    newer = [[w.id for w in page.data] for page in pages(listed, limit=2, before_id="w1")]
    assert newer == [["w3", "w2"], ["w5", "w4"], ["w6"]]
    assert [*iterate(listed, after_id="default")] == []


async def test_refusals_come_as_the_errors_that_stand_for_them(both, org):
    directory = both.sync.directory
    with pytest.raises(NotFound) as missing:
        directory.read_workspace("nowhere")
    assert (missing.value.code, missing.value.status) == ("not_found", 404)
    assert missing.value.request_id
    assert missing.value.request_id in str(missing.value)
    with pytest.raises(NotFound):
        await both.awaited.directory.read_workspace("nowhere")

    with pytest.raises(AgentNotFound) as nobody:
        directory.read_agent("nobody")
    assert nobody.value.code == "MEM-002"
    with pytest.raises(LimitExceeded) as long:
        directory.put_workspace("w", name="x" * 256)
    assert (long.value.limit, long.value.actual) == (255, 256)
    with pytest.raises(Invalid) as wrong:
        directory.put_project("p", visibility="secret")
    assert [each.field for each in wrong.value.errors] == ["visibility"]
    assert wrong.value.status == 422
    with pytest.raises(Invalid) as beyond:
        directory.list_agents(limit=101)
    assert beyond.value.status == 400

    directory.put_workspace("w")
    assert directory.put_workspace("w", name="W", if_match=1).version == 2
    with pytest.raises(PreconditionFailed):
        directory.put_workspace("w", name="V", if_match=1)
    with pytest.raises(PreconditionFailed):
        await both.awaited.directory.change_org(name="x", if_match=9)

    with (
        pytest.raises(Unauthenticated),
        Client(org.url, "hf_live_unknown") as stranger,
    ):
        stranger.directory.read_org()
    with Client(org.url, await org.mint("user", user_id="ana")) as ana, pytest.raises(ScopeDenied):
        ana.directory.change_org(name="hers now")


async def test_jobs_are_listed_read_cancelled_and_asked_for_again(both, db, org):
    async with db.begin(org.caller()) as tx:
        far = datetime(2999, 1, 1, tzinfo=UTC)
        first = await enqueue(tx, "unknown", "a", not_before=far)
        second = await enqueue(tx, "unknown", "b", not_before=far)
    page = await same(both, "jobs", "list", status="queued")
    assert [job.id for job in page.data] == [second, first]
    assert (await same(both, "jobs", "read", first)).subject == "a"

    assert both.sync.jobs.cancel(first).status == "cancelled"
    assert (await both.awaited.jobs.cancel(second)).status == "cancelled"
    with pytest.raises(Conflict) as over:
        both.sync.jobs.cancel(first)
    assert over.value.current == both.sync.jobs.read(first)
    assert (await same(both, "jobs", "wait", first)).is_over
    both.sync.jobs.retry(first)
    await both.awaited.jobs.retry(second)


async def test_waiting_for_a_job_that_does_not_end_gives_up(both, db, org):
    async with db.begin(org.caller()) as tx:
        job_id = await enqueue(tx, "unknown", "a", not_before=datetime(2999, 1, 1, tzinfo=UTC))
    with pytest.raises(TimeoutError):
        both.sync.jobs.wait(job_id, timeout_s=0)
    with pytest.raises(TimeoutError):
        await both.awaited.jobs.wait(job_id, timeout_s=0)


async def test_calls_of_language_models_are_listed(both, db, org):
    llm = MeteredLlm(db, Echo())
    for _ in range(2):
        await llm.complete(org.caller(), "test", "system", "prompt", max_tokens=5)
    page = await same(both, "jobs", "llm_calls", status="succeeded", limit=1)
    assert page.has_more is True
    assert (page.data[0].kind, page.data[0].output_tokens) == ("test", 2)
    assert (await same(both, "jobs", "llm_calls", job_id="job_of_nobody")).data == []


PAIRS = [
    (holdfast.directory.model, holdfast_client.directory.model,
     ["Org", "Workspace", "Project", "Agent", "User", "Session"]),
    (holdfast.access.model, holdfast_client.directory.model, ["ApiKey"]),
    (holdfast.kernel.jobs, holdfast_client.jobs.model, ["Job"]),
    (holdfast.kernel.ledger, holdfast_client.jobs.model, ["LlmCall"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("server", "client", "name"),
    [(server, client, name) for server, client, names in PAIRS for name in names],
)
def test_the_clients_values_have_every_field_of_the_servers(server, client, name):
    theirs, ours = getattr(server, name), getattr(client, name)
    assert [f.name for f in dataclasses.fields(ours)] == [
        f.name for f in dataclasses.fields(theirs)
    ]


async def test_a_person_is_exported_and_erased_by_the_client(org):
    async with AsyncClient(org.url, org.key) as client:
        await client.scope(user="ana").remember("Ana takes her tea green")
        with zipfile.ZipFile(io.BytesIO(await client.directory.export_user("ana"))) as archive:
            assert "tea green" in archive.read("markdown/memories.md").decode()
        with pytest.raises(NotFound):
            await client.erasures.erase("nobody")
        assert (await client.erasures.list()).data == []
        with pytest.raises(NotFound):
            await client.erasures.verify("rcpt_" + "0" * 32)
