"""The directory, from outside."""


async def test_a_put_makes_and_a_second_put_changes(api):
    made = await api.put("/workspaces/support", json={"name": "Support"})
    assert made.status_code == 201, made.text
    assert made.headers["etag"] == '"1"'
    changed = await api.put("/workspaces/support", json={"name": "Helpdesk"})
    assert (changed.status_code, changed.json()["version"]) == (200, 2)
    assert changed.json()["updated_at"] > made.json()["updated_at"]
    assert changed.json()["created_at"] == made.json()["created_at"]
