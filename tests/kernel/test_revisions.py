"""One history for every face."""

import asyncio

import psycopg
import pytest

from holdfast.kernel import revisions
from holdfast.kernel.errors import Conflict, NotFound


async def write(db, caller, version, content, **more):
    async with db.begin(caller) as tx:
        return await tx.revise(
            "thing",
            "thing_1",
            version=version,
            action="updated",
            content=content,
            state={"v": version},
            **more,
        )


async def test_history_is_newest_first_with_who_and_when(db, org):
    caller = org.caller("ana", request_id="req_1", agent_id="bot")
    for version in (1, 2, 3):
        await write(db, caller, version, f"text {version}")
    async with db.read(caller) as tx:
        found = (await revisions.history(tx, "thing", "thing_1")).data
    assert [revision.version for revision in found] == [3, 2, 1]
    newest = found[0]
    assert (newest.content, newest.state) == ("text 3", {"v": 3})
    assert (newest.actor.type, newest.user_id, newest.agent_id, newest.request_id) == (
        "api_key",
        "ana",
        "bot",
        "req_1",
    )


async def test_an_object_is_read_as_it_was_at_a_time(db, org):
    caller = org.caller()
    await write(db, caller, 1, "early")
    async with db.read(caller) as tx:
        first = ((await revisions.history(tx, "thing", "thing_1")).data)[0]
    await asyncio.sleep(0.002)
    await write(db, caller, 2, "late")
    async with db.read(caller) as tx:
        then = await revisions.as_of(tx, "thing", "thing_1", first.created_at)
        assert then is not None
        assert then.content == "early"
        assert await revisions.latest_version(tx, "thing", "thing_1") == 2
        assert await revisions.latest_version(tx, "thing", "never") == 0
        with pytest.raises(NotFound):
            await revisions.at_version(tx, "thing", "thing_1", 9)


async def test_a_version_is_written_once(db, org):
    await write(db, org.caller(), 1, "one")
    with pytest.raises(psycopg.errors.UniqueViolation):
        await write(db, org.caller(), 1, "another")


async def test_redaction_takes_the_content_and_leaves_that_it_happened(db, org):
    caller = org.caller()
    revision_id = await write(db, caller, 1, "a secret")
    async with db.begin(caller) as tx:
        redacted = await revisions.redact(tx, caller, revision_id)
    assert redacted.content is None
    assert redacted.redacted_at is not None
    assert redacted.version == 1
    with pytest.raises(Conflict):
        async with db.begin(caller) as tx:
            await revisions.redact(tx, caller, revision_id)


async def test_erasing_empties_every_revision_of_an_object(db, org):
    caller = org.caller()
    for version in (1, 2):
        await write(db, caller, version, "a secret", label="secret/path")
    async with db.begin(caller) as tx:
        await tx.revise(
            "part", "part_1", version=1, action="created", content="c", parent_id="thing_1"
        )
        await tx.revise("thing", "thing_2", version=1, action="created", content="other")
        await revisions.erase(tx, "thing", ["thing_1", "thing_3"])
    async with db.begin(caller) as tx:
        found = (await revisions.history(tx, "thing", "thing_1")).data
        assert [(r.content, r.state, r.label) for r in found] == [(None, None, None)] * 2
        assert [r.content for r in (await revisions.history(tx, "thing", "thing_2")).data] == [
            "other"
        ]
        assert [r.content for r in (await revisions.history(tx, "part", "part_1")).data] == ["c"]
        await revisions.erase(tx, "thing", ["thing_1"], with_parts=True)
        assert [r.content for r in (await revisions.history(tx, "part", "part_1")).data] == [None]
