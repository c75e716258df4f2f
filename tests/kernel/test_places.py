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
    assert (await enter(db, org.caller("bob"), to_write=False)).session_id == "s1"  # a service key


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
