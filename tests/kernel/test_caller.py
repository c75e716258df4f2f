"""Who is asking: what each kind of credential may act as."""

import pytest

from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import ScopeDenied, StepUpRequired


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
