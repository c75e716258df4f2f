"""Pages neither skip nor repeat, whichever way they are walked and whoever writes meanwhile."""

import asyncio

import pytest

LISTS = [
    pytest.param("/workspaces", id="workspaces"),
    pytest.param("/projects", id="projects"),
    pytest.param("/agents", id="agents"),
]


async def walk(api, path, **query):
    """Every page from the newest to the oldest."""
    found, after = [], {}
    while True:
        page = (await api.get(path, params={"limit": 3, **query, **after})).json()
        found += [each["id"] for each in page["data"]]
        if page["data"]:
            assert (page["first_id"], page["last_id"]) == (
                page["data"][0]["id"],
                page["data"][-1]["id"],
            )
        if not page["has_more"]:
            return found
        after = {"after_id": page["last_id"]}


@pytest.mark.parametrize("path", LISTS)
async def test_walking_down_and_up_meets_everything_once(api, path):
    made = [f"n{number}" for number in range(10)]
    for name in made:
        assert (await api.put(f"{path}/{name}", json={})).status_code == 201
    down = await walk(api, path)
    assert [name for name in down if name != "default"] == made[::-1]

    up, before = [], down[-1]
    while True:
        page = (await api.get(path, params={"limit": 3, "before_id": before})).json()
        up = [each["id"] for each in page["data"]] + up
        if not page["has_more"]:
            break
        before = page["first_id"]
    assert up == down[:-1]

    # A page that holds all there is says that there is no more; one that lacks a single row does not.
    for limit, more in ((len(down), False), (len(down) - 1, True)):
        page = (await api.get(path, params={"limit": limit})).json()
        assert (len(page["data"]), page["has_more"]) == (limit, more)
    for limit, more in ((len(up), False), (len(up) - 1, True)):
        page = (await api.get(path, params={"limit": limit, "before_id": down[-1]})).json()
        assert (len(page["data"]), page["has_more"]) == (limit, more)


@pytest.mark.parametrize("path", LISTS)
async def test_writers_meanwhile_make_nobody_miss_what_was_there(api, org, path):
    made = [f"old{number}" for number in range(9)]
    for name in made:
        await api.put(f"{path}/{name}", json={})
    writer = org.client()

    async def keep_writing():
        for number in range(15):
            await writer.put(f"{path}/new{number}", json={})

    found, _ = await asyncio.gather(walk(api, path), keep_writing())
    assert [name for name in found if name.startswith("old")] == made[::-1]
    assert len(found) == len(set(found))


@pytest.mark.parametrize("path", LISTS)
async def test_an_empty_page_has_no_ids(api, path):
    last = {"after_id": "default"} if path == "/workspaces" else {}
    page = (await api.get(path, params=last)).json()
    assert page == {"data": [], "first_id": None, "last_id": None, "has_more": False}
