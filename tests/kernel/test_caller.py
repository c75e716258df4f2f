"""The rule of sight, in Python and in SQL."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.kernel.caller import Address, Caller
from holdfast.kernel.errors import ScopeDenied, StepUpRequired
from holdfast.kernel.sql import Query

names = st.sampled_from([None, "a", "b"])
addresses = st.builds(
    Address, workspace_id=names, project_id=names, user_id=names, agent_id=names, run_id=names
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
    "SELECT sees(%(cw)s, %(cp)s, %(cu)s, %(ca)s, %(cr)s, %(w)s, %(p)s, %(u)s, %(a)s, %(r)s)",
)


@given(caller=callers, where=addresses)
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_python_and_sql_see_the_same(db, caller, where):
    in_sql = await db.one(
        caller,
        bool,
        SEES,
        cw=caller.workspace_id,
        cp=caller.project_id,
        cu=caller.user_id,
        ca=caller.agent_id,
        cr=caller.run_id,
        w=where.workspace_id,
        p=where.project_id,
        u=where.user_id,
        a=where.agent_id,
        r=where.run_id,
    )
    assert in_sql is caller.sees(where)


@given(caller=callers, where=addresses)
def test_a_name_the_caller_lacks_never_widens(caller, where):
    if caller.sees(where):
        for name in ("project_id", "user_id", "agent_id", "run_id"):
            assert getattr(where, name) in (None, getattr(caller, name))


def _caller(**fields):
    return Caller(
        **{
            "org_id": "org_x",
            "credential": "service",
            "credential_id": "key_1",
            "workspace_id": "default",
            **fields,
        }
    )


def test_an_agents_key_speaks_for_its_own_agent_only():
    caller = _caller(credential="agent", agent_id="mine")
    assert caller.speaking_as("mine").agent_id == "mine"
    with pytest.raises(ScopeDenied):
        caller.speaking_as("other")


@pytest.mark.parametrize("credential", ["service", "user", "agent", "operator", "job"])
def test_only_a_browser_steps_up(credential):
    with pytest.raises(StepUpRequired):
        _caller(credential=credential, owner=True, stepped_up=True).must_have_stepped_up()


def test_history_names_the_key_the_person_the_agent_or_the_job():
    assert _caller().actor.type == "api_key"
    assert _caller(credential="session", user_id="ana").actor.id == "ana"
    assert _caller(credential="agent", agent_id="bot").actor.type == "agent"
    assert _caller(credential="job").actor.type == "job"
