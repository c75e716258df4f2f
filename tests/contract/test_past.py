"""as_of and diff: the same on blocks, entries, memories and stores; and HEAD and 304 where there is an ETag."""

import pytest

FACES = {
    "block": ("/memory/blocks/core", "/memory/blocks/core/diff"),
    "entry": ("/agents/bot/entries/tea", "/agents/bot/diff/tea"),
    "memory": ("/memories/{id}", "/memories/{id}/diff"),
}


@pytest.fixture
async def written(api):
    """Writes the same two texts, one after the other, to each face; the path of the object and of its diff."""

    async def write(face):
        path, diff = FACES[face]
        if face == "block":
            body = {"content": "green\n", "expected_updated_at": None}
            first = (await api.put(path, json=body)).json()
            body = {"content": "green\nblack\n", "expected_updated_at": first["updated_at"]}
            assert (await api.put(path, json=body)).status_code == 200
        elif face == "entry":
            first = (await api.put(path, json={"content": "green\n"})).json()
            assert (await api.put(path, json={"content": "green\nblack\n"})).status_code == 200
        else:
            made = await api.post("/memories", json={"key": "tea", "value": "green\n"})
            first = made.json()
            path, diff = path.format(**first), diff.format(**first)
            changed = await api.patch(path, json={"value": "green\nblack\n"})
            assert changed.status_code == 200
        return first, path, diff

    return write


@pytest.mark.parametrize("face", FACES)
async def test_a_diff_goes_from_any_version_or_time_to_any_other(api, written, face):
    first, _, diff = await written(face)
    forth = (await api.get(diff, params={"from": 1, "to": 2})).json()
    assert (forth["from_version"], forth["to_version"]) == (1, 2)
    assert "+black" in forth["diff"]
    back = (await api.get(diff, params={"from": 2, "to": first["updated_at"]})).json()
    assert (back["from_version"], back["to_version"]) == (2, 1)
    assert "-black" in back["diff"]
    never = {"from": "2020-01-01T00:00:00Z", "to": 1}
    assert "+green" in (await api.get(diff, params=never)).json()["diff"]
    assert (await api.get(diff, params={"from": 2, "to": 2})).json()["diff"] == ""
    assert (await api.get(diff, params={"from": 1, "to": 9})).status_code == 404
    refused = await api.get(diff, params={"from": "yesterday", "to": 2})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "from")


@pytest.mark.parametrize("face", FACES)
async def test_an_object_is_read_as_it_stood(api, written, face):
    first, path, _ = await written(face)
    text = "value" if face == "memory" else "content"
    then = await api.get(path, params={"as_of": first["updated_at"]})
    assert (then.json()[text], then.json()["version"]) == ("green\n", 1)
    assert (await api.get(path)).json()[text] == "green\nblack\n"
    before = await api.get(path, params={"as_of": "2020-01-01T00:00:00Z"})
    assert before.status_code == 404


@pytest.mark.parametrize("face", FACES)
async def test_a_reader_with_the_etag_gets_304_and_head_gets_no_body(api, written, face):
    _, path, _ = await written(face)
    tag = (await api.get(path)).headers["etag"]
    same = await api.get(path, headers={"If-None-Match": f'"none", {tag}'})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    assert (await api.get(path, headers={"If-None-Match": '"none"'})).status_code == 200
    head = await api.head(path)
    assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", tag)
    assert (await api.head(f"{path}-not")).status_code == 404


async def test_another_user_has_no_diff(org, written):
    _, _, diff = await written("memory")
    reply = await org.client(Holdfast_User="ben").get(diff, params={"from": 1, "to": 2})
    assert reply.status_code == 404
