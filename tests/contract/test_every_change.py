"""What every face promises of a change: a revision, a version, an entity tag, an instant that moves."""

import asyncio

import pytest

# How to make and change one object of each face: (path, first body, second body, revision kind)
OBJECTS = [
    pytest.param("/workspaces/w", {"name": "one"}, {"name": "two"}, "workspace", id="workspace"),
    pytest.param("/projects/p", {"name": "one"}, {"name": "two"}, "project", id="project"),
    pytest.param("/agents/a", {"name": "one"}, {"name": "two"}, "agent", id="agent"),
]


def revisions_of(owner_connection, org, kind):
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    return owner_connection.execute(
        "SELECT version, action, actor_type, request_id FROM revisions WHERE kind = %s AND object_id <> 'default'"
        " ORDER BY version",
        [kind],
    ).fetchall()


@pytest.mark.parametrize(("path", "first", "second", "kind"), OBJECTS)
async def test_every_write_leaves_a_revision(api, org, owner_connection, path, first, second, kind):
    await api.put(path, json=first, headers={"x-request-id": "r1"})
    await api.put(path, json=second, headers={"x-request-id": "r2"})
    assert revisions_of(owner_connection, org, kind) == [
        (1, "created", "api_key", "r1"),
        (2, "updated", "api_key", "r2"),
    ]


@pytest.mark.parametrize(("path", "first", "second", "kind"), OBJECTS)
async def test_a_refused_write_leaves_none(api, org, owner_connection, path, first, second, kind):
    await api.put(path, json=first)
    refused = await api.put(path, json=second, headers={"If-Match": '"9"'})
    assert refused.status_code == 412
    assert len(revisions_of(owner_connection, org, kind)) == 1
    assert (await api.get(path)).json()["version"] == 1


@pytest.mark.parametrize(("path", "first", "second", "kind"), OBJECTS)
async def test_of_many_writers_with_one_tag_one_wins(api, org, path, first, second, kind):
    made = await api.put(path, json=first)
    tag = made.headers["etag"]
    clients = [org.client() for _ in range(16)]
    replies = await asyncio.gather(
        *(client.put(path, json=second, headers={"If-Match": tag}) for client in clients)
    )
    assert sorted(reply.status_code for reply in replies) == [200] + [412] * 15


@pytest.mark.parametrize(("path", "first", "second", "kind"), OBJECTS)
async def test_updated_at_moves_with_every_change(api, path, first, second, kind):
    seen = [(await api.put(path, json=first)).json()["updated_at"] for _ in range(20)]
    assert seen == sorted(set(seen))
    assert all(at.endswith("Z") and len(at) == 27 for at in seen)
