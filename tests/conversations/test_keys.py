"""Keys of conversations, given or made from variables, from outside."""

from tests.conversations.conftest import Talk


async def test_keys_are_checked(talk):
    it = await talk()
    for key in ("a" * 256, "a_b:c-d@e.f*", "_x_"):
        await Talk(it.api, it.resource_id, key).append("x")
    for key in ("a" * 257, "a b", "", "__x", "x__", "é", "a/b"):
        await Talk(it.api, it.resource_id, key).append("x", status=422)


async def test_variables_make_the_key(talk):
    it = await talk(default_key_template="session:{{.workflow.input.session_id}}")
    variables = {"workflow": {"input": {"session_id": 42}}}
    url = f"/conversations/{it.resource_id}"
    resolved = await it.api.post(f"{url}/resolve", json={"variables": variables})
    assert resolved.json() == {"key": "session:42"}
    done = await it.api.post(f"{url}/append", json={"variables": variables, "messages": "hi"})
    assert done.status_code == 200, done.text
    assert await Talk(it.api, it.resource_id, "session:42").contents() == ["hi"]
    for wrong in (
        {},
        {"workflow": {}},
        {"workflow": {"input": {"session_id": ""}}},
        {"workflow": 1},
    ):
        refused = await it.api.post(f"{url}/resolve", json={"variables": wrong})
        assert refused.status_code == 422, refused.text
    both = await it.api.post(
        f"{url}/append", json={"variables": variables, "key": "k", "messages": "hi"}
    )
    assert both.status_code == 422
    neither = await it.api.post(f"{url}/append", json={"messages": "hi"})
    assert neither.status_code == 422


async def test_a_key_and_variables_together_are_refused(api):
    it = Talk(api, "sessions", "s1")
    variables = {"session_id": "s1"}
    for operation, body in {"append": {"messages": "x"}, "flush": {}, "pop": {}}.items():
        refused = await it.call(operation, status=422, variables=variables, **body)
        assert refused["errors"][0]["field"] == "variables"
    await it.get("read", status=422, variables='{"session_id": "s1"}')
