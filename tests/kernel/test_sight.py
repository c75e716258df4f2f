"""The rule of sight: the same in Python and in SQL, and who may change what."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import ScopeDenied
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import Query

names = st.sampled_from([None, "a", "b"])
# The audiences that objects have: each name alone, an agent with a user, none.
audiences = st.one_of(
    st.builds(Audience, user_id=names),
    st.builds(Audience, agent_id=names, user_id=names),
    st.builds(Audience, project_id=names),
    st.builds(Audience, workspace_id=names),
    st.builds(Audience, run_id=names),
)
callers = st.builds(
    Caller,
    org_id=st.just("org_sight"),
    credential=st.just("service"),
    credential_id=st.just("key_1"),
    workspace_id=st.sampled_from(["a", "b"]),
    project_id=names,
    user_id=names,
    agent_id=names,
    run_id=names,
)

SEES = Query(
    "sees",
    "SELECT sees(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s, %(audience)s),"
    "       audience(%(project)s, %(user)s, %(agent)s, %(workspace)s, %(run)s) AS text",
)


@given(caller=callers, audience=audiences)
@settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_python_and_sql_see_the_same(db, caller, audience):
    row = await db.one(
        caller,
        dict,
        SEES,
        **sight.params(caller),
        audience=audience.text,
        project=audience.project_id,
        user=audience.user_id,
        agent=audience.agent_id,
        workspace=audience.workspace_id,
        run=audience.run_id,
    )
    assert row["sees"] is sight.sees(caller, audience)
    assert row["text"] == audience.text


@given(caller=callers, audience=audiences)
def test_a_name_the_caller_lacks_never_widens(caller, audience):
    if sight.sees(caller, audience):
        for name in ("project_id", "user_id", "agent_id", "run_id"):
            assert getattr(audience, name) in (None, getattr(caller, name))


async def test_membership_counts_from_the_projects_workspace_only(db, org, api):
    await api.put("/workspaces/lab", json={})
    for path, workspace in (("private", "default"), ("team", "default"), ("private", "lab")):
        name = f"{path}-{workspace}"
        reply = await org.client(Holdfast_User="mia", Holdfast_Workspace=workspace).put(
            f"/projects/{name}", json={"visibility": path}
        )
        assert reply.status_code == 201, reply.text

    async def seen(user, workspace):
        caller = org.caller(user, workspace_id=workspace)
        found = set()
        for name in ("private-default", "team-default", "private-lab"):
            row = await db.one(
                caller,
                dict,
                Query("seen", SEES.text.replace("%(audience)s", f"'project:{name}'")),
                **sight.params(caller),
                **dict.fromkeys(("project", "user", "agent", "workspace", "run")),
            )
            if row["sees"]:
                found.add(name)
        return found

    assert await seen("mia", "default") == {"private-default", "team-default"}
    assert await seen("mia", "lab") == {"private-lab"}
    assert await seen("tom", "default") == {"team-default"}


def test_no_two_audiences_share_a_text():
    texts = {
        Audience(agent_id="a", user_id="b").text,
        Audience(agent_id="a").text,
        Audience(user_id="a").text,
        Audience(user_id="a:b").text,
        Audience(workspace_id="a").text,
        Audience().text,
    }
    assert len(texts) == 6
    assert Audience(agent_id="bot", user_id="ana").text == "agent:bot+user:ana"


def _caller(credential, **fields):
    return Caller("org_x", credential, "key_1", "default", **fields)


@pytest.mark.parametrize(
    ("caller", "manages"),
    [
        (_caller("service", user_id="ben"), True),
        (_caller("user", user_id="ana"), True),
        (_caller("user", user_id="ben"), False),
        (_caller("user", user_id="ben", owner=True), True),
        (_caller("session", user_id="ben", owner=True), True),
        (_caller("agent", user_id="ana", agent_id="bot"), False),
        (_caller("user"), False),
    ],
)
def test_managing_is_for_service_keys_owners_and_the_maker(caller, manages):
    if manages:
        sight.must_manage(caller, made_by="ana", what="deleting it")
        return
    with pytest.raises(ScopeDenied):
        sight.must_manage(caller, made_by="ana", what="deleting it")


def test_what_nobody_made_is_not_everybodys():
    with pytest.raises(ScopeDenied):
        sight.must_manage(_caller("user"), made_by=None, what="deleting it")


@pytest.mark.parametrize(
    ("credential", "acts"),
    [("service", True), ("agent", True), ("user", False), ("session", False)],
)
def test_an_agents_things_are_changed_by_agent_and_service_keys(credential, acts):
    caller = _caller(credential, user_id="ana", agent_id="bot")
    if acts:
        sight.must_act_as_agent(caller, "storing")
        return
    with pytest.raises(ScopeDenied):
        sight.must_act_as_agent(caller, "storing")
