"""One line of a block added, replaced or removed."""

import asyncio

import pytest

from holdfast.blocks.lines import edit_line


async def edit(api, block_type="core", headers=None, **body):
    query = {name: body.pop(name) for name in ("agent_id", "scope") if name in body}
    path = f"/memory/blocks/{block_type}"
    return await api.patch(path, params=query, json=body, headers=headers)


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("", None, "a", "a"),
        ("a", None, "b", "a\nb"),
        ("a\n", None, "b", "a\nb"),
        ("a\nb\nc", "b", "x", "a\nx\nc"),
        ("a\r\nb\r\n", "a", "x", "x\r\nb\r\n"),
        ("a\nb\nc", "b", None, "a\nc"),
        ("a", "a", None, ""),
        ("a\nb", "ab", "x", None),
        ("a\nb\na", "a", "x", None),
        ("", "a", None, None),
    ],
)
def test_an_edit_changes_one_line_and_no_other(text, old, new, after):
    assert edit_line(text, old, new) == after


async def test_lines_are_added_replaced_and_removed(api):
    made = await edit(api, new_line="likes tea")
    assert (made.status_code, made.json()["version"], made.headers["etag"]) == (200, 1, '"1"')
    assert (await edit(api, newLine="lives in Porto")).json()["content"] == (
        "likes tea\nlives in Porto"
    )
    moved = await edit(api, old_line="lives in Porto", new_line="lives in Lisbon")
    assert moved.json()["content"] == "likes tea\nlives in Lisbon"
    gone = await edit(api, old_line="likes tea")
    assert (gone.json()["content"], gone.json()["version"]) == ("lives in Lisbon", 4)
    history = (await api.get("/memory/blocks/core/history")).json()["data"]
    assert [each["action"] for each in history] == ["updated", "updated", "updated", "created"]
    assert (await api.get("/memory/blocks/core")).json() == gone.json()


async def test_a_line_that_is_not_there_exactly_once_is_a_conflict(api):
    missing = await edit(api, old_line="likes tea")
    assert (missing.status_code, missing.json()["code"]) == (409, "conflict")
    assert missing.json()["current"] is None
    body = {"content": "a\nb\na", "expected_updated_at": None}
    block = (await api.put("/memory/blocks/core", json=body)).json()
    for old_line in ("a", "c", "A"):
        refused = await edit(api, old_line=old_line, new_line="x")
        assert (refused.status_code, refused.json()["current"]) == (409, block)
    stale = await edit(api, new_line="x", headers={"If-Match": '"7"'})
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    assert (await api.get("/memory/blocks/core")).json() == block


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"old_line": None, "new_line": None},
        {"new_line": ""},
        {"new_line": "  "},
        {"new_line": "a\nb"},
        {"new_line": "a\rb"},
        {"old_line": "a\n", "new_line": "b"},
        {"new_line": "a", "line": "b"},
        {"new_line": 3},
    ],
)
async def test_what_is_no_line_is_refused(api, wrong):
    refused = await api.patch("/memory/blocks/core", json=wrong)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert (await api.get("/memory/blocks/core")).status_code == 404


async def test_limits_hold_and_nothing_changes(api):
    body = {"content": "\n".join("x" * 20), "expected_updated_at": None}
    block = (await api.put("/memory/blocks/core", json=body)).json()
    over = await edit(api, new_line="one more")
    assert (over.status_code, over.json()["code"]) == (422, "limit_exceeded")
    assert (over.json()["limit"], over.json()["actual"]) == (20, 21)
    long = await edit(api, "archival", new_line="x" * 8_001)
    assert (long.status_code, long.json()["limit"]) == (422, 8_000)
    assert (await api.get("/memory/blocks/core")).json() == block


async def test_of_many_who_add_a_line_at_once_all_are_kept(org, api):
    names = [f"line {number}" for number in range(20)]
    clients = [org.client() for _ in names]
    replies = await asyncio.gather(
        *(edit(client, new_line=name) for client, name in zip(clients, names, strict=True))
    )
    assert {each.status_code for each in replies} == {200}
    assert sorted(each.json()["version"] for each in replies) == [*range(1, 21)]
    content = (await api.get("/memory/blocks/core")).json()["content"]
    assert sorted(content.split("\n")) == sorted(names)


async def test_an_edited_archive_is_recalled_by_its_new_lines_alone(api):
    await edit(api, "archival", new_line="Has a dog called Rex")
    await edit(api, "archival", new_line="Drinks sencha in the morning")

    async def found(query):
        reply = await api.post("/memory/recall", json={"query": query})
        return [each["content"] for each in reply.json()["data"]]

    assert (await found("dog Rex"))[0] == "Has a dog called Rex"
    await edit(api, "archival", old_line="Has a dog called Rex", new_line="Has a cat called Max")
    assert "Has a dog called Rex" not in await found("dog Rex")
    assert (await found("cat Max"))[0] == "Has a cat called Max"


async def test_a_user_edits_its_own_blocks_only(org):
    ana = org.client(await org.mint("user", user_id="ana"))
    bo = org.client(await org.mint("user", user_id="bo"))
    await edit(ana, new_line="likes tea")
    assert (await edit(bo, old_line="likes tea")).json()["current"] is None
    bot = org.client(await org.mint("agent", agent_id="bot", user_id="ana"))
    own = await edit(bot, scope="agent", new_line="asks a lot")
    assert (own.json()["agent_id"], own.json()["content"]) == ("bot", "asks a lot")
    other = await edit(bot, agent_id="other", new_line="x")
    assert (other.status_code, other.json()["code"]) == (403, "MEM-001")
