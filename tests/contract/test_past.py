"""The past of an object, the same on every face: pages of its versions, as_of, diff; and HEAD and 304 where there is an ETag."""

import re

import pytest

from holdfast.app import make_app
from holdfast.deployment import Config
from tests.contract.faces import SPECIMENS

WITH_PAST = pytest.mark.parametrize(
    "face", [each for each in SPECIMENS if each.past], ids=lambda face: face.kind
)
OF_ALL = pytest.mark.parametrize("face", SPECIMENS, ids=lambda face: face.kind)


def test_every_history_and_diff_of_the_service_has_a_specimen():
    """A new route that lists the versions of something, or compares two, is held to these promises."""
    routes = {
        template
        for template in make_app(Config("postgresql://none/none")).openapi()["paths"]
        if template.startswith("/api/v1")
        and re.search(r"/(history|versions|diff)(/{key}|$)", template)
    }
    made = {name: f"{{{name}}}" for name in ("id", "key", "store_id")}
    held = {
        path(made)
        for face in SPECIMENS
        if face.past
        for path in (face.past.history, face.past.diff)
    }
    blank = re.compile(r"{\w+}|(?<=/agents/)bot|(?<=/blocks/)core")
    assert {blank.sub("{}", each.removeprefix("/api/v1")) for each in routes} == {
        blank.sub("{}", each) for each in held
    }


@pytest.fixture
async def changed(api):
    """Makes an object and gives it further texts; the replies, oldest first."""

    async def change(face, *texts):
        reply = await face.make(api, "green\n")
        replies = [reply.json()]
        for text in texts:
            reply = await face.change(api, replies[-1], text)
            assert reply.status_code == 200, reply.text
            replies.append(reply.json())
        return replies

    return change


async def history(api, face, made, **asked):
    reply = await api.get(face.past.history(made), params={**face.past.query(made), **asked})
    assert reply.status_code == 200, reply.text
    return reply.json()


def cursor_of(row):
    return row.get("version_id", row["id"])


@WITH_PAST
async def test_versions_come_in_pages_both_ways(api, changed, face):
    replies = await changed(face, *(f"text {number}\n" for number in range(2, 8)))
    made, down, after = replies[0], [], {}
    while True:
        page = await history(api, face, made, limit=3, **after)
        rows = page["data"]
        assert (page["first_id"], page["last_id"]) == (cursor_of(rows[0]), cursor_of(rows[-1]))
        down += rows
        if not page["has_more"]:
            break
        after = {"after_id": page["last_id"]}
    assert [row["version"] for row in down] == [7, 6, 5, 4, 3, 2, 1]
    up = await history(api, face, made, limit=3, before_id=cursor_of(down[-1]))
    assert ([row["version"] for row in up["data"]], up["has_more"]) == ([4, 3, 2], True)
    newest = await history(api, face, made, before_id=cursor_of(down[0]))
    assert newest == {"data": [], "first_id": None, "last_id": None, "has_more": False}
    assert len((await history(api, face, made))["data"]) == 7


@WITH_PAST
async def test_a_page_of_versions_refuses_what_no_page_can_be(api, changed, face):
    made = (await changed(face))[0]
    cursor = (await history(api, face, made))["first_id"]
    for asked in (
        {"limit": 0},
        {"limit": 1001},
        {"after_id": cursor, "before_id": cursor},
        {"after_id": "no id"},
    ):
        reply = await api.get(face.past.history(made), params={**face.past.query(made), **asked})
        assert (reply.status_code, reply.json()["code"]) == (400, "invalid"), asked


@pytest.mark.parametrize(
    "face",
    [each for each in SPECIMENS if each.past and each.kind != "store_entry"],
    ids=lambda face: face.kind,
)
async def test_a_version_of_another_object_is_no_cursor(api, changed, org, face):
    """Of a store it is one: its versions are those of all its entries."""
    made = (await changed(face))[0]
    other = org.client(Holdfast_User="ben")
    theirs = (await other.post("/memories", json={"key": "k", "value": "v"})).json()
    version = (await other.get(f"/memories/{theirs['id']}/history")).json()["first_id"]
    reply = await api.get(face.past.history(made), params={"after_id": version})
    assert reply.status_code == 400, reply.text
    assert "not a version" in reply.json()["detail"]


@WITH_PAST
async def test_a_diff_goes_from_any_version_or_time_to_any_other(api, changed, face):
    made, _ = await changed(face, "green\nblack\n")
    second, first = (await history(api, face, made))["data"]
    # A version of a store's entry is named by its id: the store has many entries.
    points = {
        1: first["id"] if face.room == "stores" else 1,
        2: second["id"] if face.room == "stores" else 2,
        "then": made["updated_at"],
        "never": "2020-01-01T00:00:00Z",
    }

    async def diff(since, until):
        asked = {"from": points[since], "to": points[until]}
        reply = await api.get(face.past.diff(made), params=asked)
        assert reply.status_code == 200, reply.text
        found = reply.json()
        return found if face.room != "stores" else (found["files"] or [{"diff": ""}])[0]

    forth = await diff(1, 2)
    assert "+black" in forth["diff"]
    assert "-black" in (await diff(2, "then"))["diff"]
    assert "+green" in (await diff("never", 1))["diff"]
    assert (await diff(2, 2))["diff"] == ""
    if face.room != "stores":
        assert (forth["from_version"], forth["to_version"]) == (1, 2)
        missing = await api.get(face.past.diff(made), params={"from": 1, "to": 9})
        assert missing.status_code == 404
    refused = await api.get(face.past.diff(made), params={"from": "yesterday", "to": points[2]})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "from")


@WITH_PAST
async def test_an_object_is_read_as_it_stood(api, changed, face):
    made, _ = await changed(face, "green\nblack\n")
    path, text = face.path(made), face.past.text
    then = await api.get(path, params={"as_of": made["updated_at"]})
    assert (then.json()[text], then.json()["version"]) == ("green\n", 1)
    assert (await api.get(path)).json()[text] == "green\nblack\n"
    before = await api.get(path, params={"as_of": "2020-01-01T00:00:00Z"})
    assert before.status_code == 404
    refused = await api.get(path, params={"as_of": "yesterday"})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")


@OF_ALL
async def test_a_reader_with_the_etag_gets_304_and_head_gets_no_body(api, face):
    path = face.path((await face.make(api)).json())
    tag = (await api.get(path)).headers["etag"]
    same = await api.get(path, headers={"If-None-Match": f'"none", {tag}'})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    assert (await api.get(path, headers={"If-None-Match": '"none"'})).status_code == 200
    head = await api.head(path)
    assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", tag)
    unchanged = await api.head(path, headers={"If-None-Match": tag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    missing = await api.head(f"{path}-not")
    assert (missing.status_code, missing.content) == (404, b"")


@WITH_PAST
async def test_another_user_sees_nothing_of_the_past(org, face):
    ana, ben = org.client(Holdfast_User="ana"), org.client(Holdfast_User="ben")
    if face.room == "stores":
        body = {"name": "notes", "visibility": "private"}
        assert (await ana.post("/memory_stores", json=body)).status_code == 201
    made = (await face.make(ana, "the secret of ana")).json()
    asked = {"from": "2020-01-01T00:00:00Z", "to": "2100-01-01T00:00:00Z"}
    diff = await ben.get(face.past.diff(made), params=asked)
    listed = await ben.get(face.past.history(made), params=face.past.query(made))
    if face.kind == "entry":  # an agent's own entry is for everybody who reaches the agent
        assert (diff.status_code, listed.status_code) == (200, 200)
    else:
        assert (diff.status_code, listed.status_code) == (404, 404), (diff.text, listed.text)
        assert "secret" not in diff.text + listed.text
