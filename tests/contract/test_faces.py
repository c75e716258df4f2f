"""What every face promises of its objects: a revision for every change, tags, pages, limits, history, sight."""

import asyncio

import pytest

from tests.contract.faces import SPECIMENS
from tests.test_architecture import FACES

OF_ALL = pytest.mark.parametrize("face", SPECIMENS, ids=lambda face: face.kind)
WITH_LIMIT = pytest.mark.parametrize(
    "face", [each for each in SPECIMENS if each.full], ids=lambda face: face.kind
)
WITH_PAGES = pytest.mark.parametrize(
    "face", [each for each in SPECIMENS if each.many], ids=lambda face: face.kind
)

# Rooms that hold no memory of anyone: the directory, signing in, and HTTP over the kernel's own tables.
NO_FACES = {"directory", "access", "operations", "learning"}


def test_every_face_has_a_specimen():
    assert {each.room for each in SPECIMENS} == FACES - NO_FACES


def revisions_of(connection, org, face):
    connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    return connection.execute(
        "SELECT version, action, actor_type, user_id, request_id FROM revisions WHERE kind = %s"
        " ORDER BY version",
        [face.kind],
    ).fetchall()


async def made_by(face, api, **headers):
    reply = await face.make(api, **headers)
    assert reply.status_code in (200, 201), reply.text
    return reply


@OF_ALL
async def test_every_change_leaves_a_revision_with_its_key_user_and_request(
    org, owner_connection, face
):
    api = org.client(Holdfast_User="ana")
    made = await made_by(face, api, **{"x-request-id": "r1"})
    changed = await face.change(api, made.json(), **{"x-request-id": "r2"})
    assert changed.status_code == 200, changed.text
    assert revisions_of(owner_connection, org, face) == [
        (1, "created", "api_key", "ana", "r1"),
        (2, "updated", "api_key", "ana", "r2"),
    ]


@OF_ALL
async def test_the_tag_is_the_version_and_moves_with_it(api, face):
    made = await made_by(face, api)
    assert made.headers["etag"] == '"1"'
    changed = await face.change(api, made.json())
    assert (changed.headers["etag"], changed.json()[face.version]) == ('"2"', 2)
    read = await api.get(face.path(made.json()))
    assert (read.headers["etag"], read.json()[face.version]) == ('"2"', 2)
    assert made.json()["updated_at"] < changed.json()["updated_at"] == read.json()["updated_at"]


@OF_ALL
async def test_a_stale_tag_changes_nothing_and_leaves_no_revision(api, org, owner_connection, face):
    made = (await made_by(face, api)).json()
    before = (await api.get(face.path(made))).json()
    refused = await face.change(api, made, **{"If-Match": '"9"'})
    assert (refused.status_code, refused.json()["code"]) == (412, "precondition_failed")
    assert (await api.get(face.path(made))).json() == before
    assert len(revisions_of(owner_connection, org, face)) == 1


@OF_ALL
async def test_of_many_writers_with_one_tag_one_wins(org, api, face):
    made = await made_by(face, api)
    tag = {"If-Match": made.headers["etag"]}
    clients = [org.client() for _ in range(12)]
    replies = await asyncio.gather(*(face.change(each, made.json(), **tag) for each in clients))
    won = [reply for reply in replies if reply.status_code == 200]
    lost = [reply for reply in replies if reply.status_code in (409, 412)]
    assert (len(won), len(lost)) == (1, 11), [reply.text for reply in replies]


@WITH_LIMIT
async def test_a_limit_holds_at_its_edge_and_one_past_changes_nothing(api, org, rows_of, face):
    full = await face.full(api)
    assert full.status_code in (200, 201), full.text
    before = rows_of(org.id)
    over = await face.oversized(api)
    assert (over.status_code, over.json()["code"]) == (422, "limit_exceeded"), over.text
    assert over.json()["actual"] == over.json()["limit"] + 1
    assert rows_of(org.id) == before


@WITH_PAGES
async def test_pages_meet_everything_once_both_ways(api, face):
    for number in range(7):
        reply = await face.many(api, number)
        assert reply.status_code == 201, reply.text
    down, cursor = [], {}
    while True:
        page = (await api.get(face.list_path, params={"limit": 3, **cursor})).json()
        down += [each["id"] for each in page["data"]]
        if not page["has_more"]:
            break
        cursor = {"after_id": page["last_id"]}
    assert len(down) == len(set(down)) >= 7
    up, before = [], down[-1]
    while True:
        page = (await api.get(face.list_path, params={"limit": 3, "before_id": before})).json()
        up = [each["id"] for each in page["data"]] + up
        if not page["has_more"]:
            break
        before = page["first_id"]
    assert up == down[:-1]
    both = await api.get(face.list_path, params={"after_id": down[0], "before_id": down[0]})
    assert (both.status_code, both.json()["code"]) == (400, "invalid")


@OF_ALL
async def test_what_is_deleted_is_not_read_listed_or_recalled(api, sign_in, face):
    made = (await face.make(api, "the heron of ticket 4711")).json()
    path = face.path(made)
    assert (await api.get(path)).status_code == 200
    deleted = await (await sign_in("owner")).delete(path)
    assert deleted.status_code in (200, 204), deleted.text
    assert (await api.get(path)).status_code == 404
    if face.list_path is not None:
        listed = (await api.get(face.list_path)).json()["data"]
        assert made["id"] not in [each["id"] for each in listed]
    asked = (
        {"query": "heron 4711", "agent_id": "bot"}
        if face.room == "entries"
        else {"query": "heron 4711"}
    )
    assert (await api.post("/recall", json=asked)).json()["data"] == []
