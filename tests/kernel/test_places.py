"""Where a caller speaks from: sessions."""

from dataclasses import replace

import pytest

from holdfast.directory import sessions
from holdfast.kernel.errors import Invalid, NotFound
from holdfast.kernel.places import enter_session


async def enter(db, caller, session_id="s1", *, to_write=True):
    async with db.begin(caller) as tx:
        return await enter_session(tx, caller, session_id, to_write=to_write)


def user(org, name, **names):
    return replace(org.caller(name, **names), credential="user")


async def test_the_first_write_registers_a_session_and_a_read_does_not(db, org):
    ana = user(org, "ana", agent_id="bot")
    with pytest.raises(NotFound):
        await enter(db, ana, to_write=False)
    assert (await enter(db, ana)).session_id == "s1"
    session = await sessions.read_session(db, ana, "s1")
    assert (session.user_id, session.agent_id, session.workspace_id) == ("ana", "bot", "default")
    later = await enter(db, user(org, "ana"), to_write=False)
    assert later.agent_id == "bot"


async def test_another_users_session_is_not_there(db, org):
    await enter(db, user(org, "ana"))
    for to_write in (True, False):
        with pytest.raises(NotFound):
            await enter(db, user(org, "bob"), to_write=to_write)
        with pytest.raises(NotFound):  # a service key that acts for another user
            await enter(db, org.caller("bob"), to_write=to_write)
    assert (await enter(db, org.caller("ana"), to_write=False)).session_id == "s1"


async def test_a_session_without_a_user_is_its_agents_and_service_keys(db, org):
    bot = replace(org.caller(None, agent_id="bot"), credential="agent")
    await enter(db, bot)
    assert (await enter(db, org.caller("owner"), to_write=False)).agent_id == "bot"
    for other in (user(org, "ana"), replace(bot, agent_id="other")):
        with pytest.raises(NotFound):
            await enter(db, other, to_write=False)


async def test_an_agents_key_sees_no_session_of_another_agent_or_user(db, org):
    await enter(db, user(org, "ana", agent_id="bot"))
    key = replace(org.caller("ana", agent_id="bot"), credential="agent")
    assert (await enter(db, key, to_write=False)).session_id == "s1"
    for other in (replace(key, agent_id="other"), replace(key, user_id=None)):
        with pytest.raises(NotFound):
            await enter(db, other, to_write=False)


async def test_a_project_is_there_only_from_its_workspace(api, org):
    await api.put("/workspaces/lab", json={})
    lab = org.client(Holdfast_Workspace="lab")
    assert (await lab.put("/projects/plan", json={})).status_code == 201
    assert (await lab.get("/projects/plan")).status_code == 200
    assert (await api.get("/projects/plan")).status_code == 404
    assert (await api.put("/projects/plan", json={"name": "mine"})).status_code == 404
    assert (await api.put("/projects/plan/members/tom")).status_code == 404
    save = {"key": "k", "value": "v", "scope": "project", "project_id": "plan"}
    assert (await api.post("/memories", json=save)).status_code == 404
    assert (await lab.post("/memories", json=save)).status_code == 201
    assert (await api.get("/projects")).json()["data"] == []


async def test_a_service_key_reaches_no_private_project_through_anothers_session(api, org):
    ana, ben = org.client(Holdfast_User="ana"), org.client(Holdfast_User="ben")
    await ana.put("/projects/plan", json={"visibility": "private"})
    said = {"key": "s:1", "messages": ["hello"], "session_id": "talk", "project_id": "plan"}
    assert (await ana.post("/conversations/sessions/append", json=said)).status_code == 200
    saved = {"key": "k", "value": "secret", "scope": "project", "session_id": "talk"}
    memory = (await ana.post("/memories", json=saved)).json()
    assert memory["project_id"] == "plan"
    for place in ({"session_id": "talk"}, {"project_id": "plan"}):
        reply = await ben.get(f"/memories/{memory['id']}", params=place)
        assert reply.status_code == 404, reply.text
        change = await ben.patch(f"/memories/{memory['id']}", params=place, json={"value": "mine"})
        assert change.status_code == 404, change.text
    assert (await ben.get("/projects/plan")).status_code == 404
    assert (await ben.get("/sessions/talk")).status_code == 404
    assert (await ana.get("/sessions/talk")).status_code == 200


async def test_a_session_of_another_workspace_is_not_there(db, org):
    await enter(db, user(org, "ana"))
    with pytest.raises(NotFound):
        await enter(db, user(org, "ana", workspace_id="elsewhere"))


async def test_a_session_has_one_agent(db, org):
    await enter(db, user(org, "ana", agent_id="bot"))
    with pytest.raises(Invalid):
        await enter(db, user(org, "ana", agent_id="other"))


async def test_a_name_that_may_name_nothing_is_refused(db, org):
    with pytest.raises(Invalid):
        await enter(db, user(org, "ana"), "no spaces")
