"""If-Match on every PUT: `*` matches what is there and nothing that is not."""

import pytest

from tests.conversations.conftest import resource

PUTS = [
    ("/workspaces/w", {}),
    ("/projects/p", {}),
    ("/agents/a", {}),
    ("/agents/a/entries/k", {"content": "c"}),
    ("/memory/blocks/core", {"content": "c", "expected_updated_at": None}),
    ("/memory-resources/notes", resource("notes", "postgres")),
]


@pytest.mark.parametrize(("path", "body"), PUTS, ids=[path for path, _ in PUTS])
async def test_any_version_matches_only_what_is_there(api, path, body):
    for tag in ("*", '"0"', '"1"', 'W/"1"', '"x", "y"'):
        refused = await api.put(path, json=body, headers={"If-Match": tag})
        assert (refused.status_code, refused.json()["code"]) == (412, "precondition_failed"), tag
    assert (await api.get(path)).status_code == 404
    made = await api.put(path, json=body)
    assert made.status_code in (200, 201), made.text
    if "expected_updated_at" in body:
        body = {**body, "expected_updated_at": made.json()["updated_at"]}
    stale = await api.put(path, json=body, headers={"If-Match": '"0", "7"'})
    assert stale.status_code == 412
    again = await api.put(path, json=body, headers={"If-Match": "*"})
    assert again.status_code == 200, again.text


@pytest.mark.parametrize("tag", ["3", '"3', "* , x", "", '"1" "2"'])
async def test_a_header_that_is_no_tag_is_malformed(api, tag):
    reply = await api.put("/workspaces/w", json={}, headers={"If-Match": tag})
    assert (reply.status_code, reply.json()["code"]) == (400, "invalid")
