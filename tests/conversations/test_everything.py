"""The messages after a given one, with those before it as context: on all three logs."""

from holdfast.conversations.backends import Backends
from holdfast.conversations.everything import read_after
from holdfast.conversations.instances import InstanceRequest, open_instance
from holdfast.conversations.logs.reads import ReadNotes
from holdfast.kernel.redis import Redis
from tests.conversations.conftest import resource
from tests.conversations.test_routes import said


async def test_messages_after_one_come_with_ten_before_it_also_when_they_were_flushed(
    backend, api, org, db, service
):
    """In process the service's lists are not this process's, so everything is written through the services here."""
    from holdfast.conversations import service as conversations

    config = resource(
        "r",
        backend,
        type="message_count_based",
        max_messages=8,
        flushing={"type": "hybrid_summary", "fallback": "extractive"},
    )
    assert (await api.put("/memory-resources/r", json=config)).status_code == 201
    backends, me = Backends(db, Redis(service.redis_url)), org.caller()
    request = InstanceRequest("r", "k")

    async def after(message_id: str | None):
        opened = await open_instance(backends, me, request, to_write=False)
        found = await read_after(backends, opened, message_id)
        ids = [stored.draft.id for stored in found.messages]
        return ids, [stored.draft.id for stored in found.context], found.found

    try:
        assert await after(None) == ([], [], True)
        for n in range(30):
            await conversations.append(backends, me, request, said(1, n))
        everything = [f"m{n}" for n in range(30)]
        assert await after(None) == (everything, [], True)
        assert await after("m14") == (everything[15:], everything[5:15], True)
        assert await after("m2") == (everything[3:], everything[:3], True)
        assert await after("m29") == ([], everything[20:], True)
        assert await after("unknown") == (everything, [], False)
        other = org.caller("bob")
        opened = await open_instance(backends, other, request, to_write=False)
        assert (await read_after(backends, opened, None)).messages == []
    finally:
        await backends.close()


async def test_reads_that_are_noted_are_written_when_the_process_ends(db, org, owner_connection):
    from holdfast.conversations import service as conversations

    backends, me, request = Backends(db), org.caller(), InstanceRequest("sessions", "s1")
    await conversations.append(backends, me, request, said(3))
    await conversations.read(
        backends, me, request, limit=2, offset=1, tail=None, include_flushed=False
    )
    assert isinstance(backends._reads, ReadNotes)
    await backends.close()
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    rows = owner_connection.execute(
        "SELECT first_seq, last_seq FROM conversation_reads WHERE org_id = %s", [org.id]
    ).fetchall()
    assert rows == [(2, 3)]
