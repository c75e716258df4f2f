"""The OpenAPI document: what it says of every operation. That the service answers so is tested in test_fuzzing.py."""

METHODS = {"get", "put", "post", "patch", "delete"}


# What needs a signed-in browser, most of it with a fresh step-up.
FOR_BROWSERS = {
    "auth.session", "auth.step_up", "auth.logout", "auth.set_password", "auth.propose_totp", "auth.confirm_totp", "auth.drop_totp",
    "auth.create_key", "auth.revoke_key", "auth.delete_memories", "memories.delete", "memories.delete_asset",
}  # fmt: skip


async def operations(anonymous):
    document = (await anonymous.get("/openapi.json")).json()
    found = [
        (f"{method.upper()} {path}", operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    ]
    assert len(found) > 100
    return found


async def test_every_operation_has_an_example(anonymous):
    for name, operation in await operations(anonymous):
        bodies = [operation.get("requestBody", {})]
        bodies += [reply for status, reply in operation["responses"].items() if status[0] == "2"]
        contents = [content for body in bodies for content in body.get("content", {}).items()]
        for media_type, content in contents:
            if media_type in ("application/json", "text/plain"):
                assert "example" in content or "examples" in content, name
        assert operation.get("description") or operation.get("summary"), name


async def test_every_operation_says_which_problems_it_may_answer(anonymous):
    for name, operation in await operations(anonymous):
        assert "application/problem+json" in operation["responses"]["500"]["content"], name


async def test_every_operation_names_its_credentials_and_headers(anonymous):
    document = (await anonymous.get("/openapi.json")).json()
    schemes = document["components"]["securitySchemes"]
    assert schemes["session"]["in"] == "cookie"
    assert schemes["csrf"]["name"] == "X-CSRF-Token"
    for name, operation in await operations(anonymous):
        method, path = name.split()
        if not operation["security"]:
            assert not path.startswith("/api/") or "/auth/" in path, name
            continue
        by_browser = {"session"} if method == "GET" else {"session", "csrf"}
        assert by_browser in [set(each) for each in operation["security"]], name
        by_key = {"bearer"} in [set(each) for each in operation["security"]]
        assert by_key != (operation["operationId"] in FOR_BROWSERS), name
        if operation["operationId"] == "auth.session":
            continue
        headers = {each["name"] for each in operation["parameters"] if each["in"] == "header"}
        assert headers >= {"Holdfast-User", "Holdfast-Workspace"}, name
        assert ("Idempotency-Key" in headers) == (method in ("POST", "PUT")), name


async def test_every_operation_lists_the_statuses_that_it_gives(anonymous):
    for name, operation in await operations(anonymous):
        method, path = name.split()
        statuses = set(operation["responses"])
        if not path.startswith("/api/"):
            assert statuses <= {"200", "431", "500", "503"}, name
            continue
        assert ("409" in statuses) <= (method != "GET"), name
        headers = (
            {each["name"] for each in operation["parameters"]}
            if "parameters" in operation
            else set()
        )
        assert ("412" in statuses) == ("If-Match" in headers), name
        assert ("423" in statuses) <= (
            path.startswith(("/api/v1/conversations", "/api/v1/context"))
        ), name
        assert ("401" in statuses) == bool(operation["security"]) or "/auth/" in path, name


async def test_what_the_server_refuses_is_not_in_the_document(anonymous):
    document = (await anonymous.get("/openapi.json")).json()
    for name, operation in await operations(anonymous):
        for parameter in operation.get("parameters", []):
            schema, what = parameter["schema"], f"{name} {parameter['name']}"
            assert {"type": "null"} not in schema.get("anyOf", []), what
            if parameter["name"] in ("after_id", "before_id", "agent_id", "If-Match", "if-match"):
                assert "pattern" in schema, what
    change = document["components"]["schemas"]["MemoryChange"]["properties"]
    assert {"type": "null"} not in change["value"]["anyOf"]
    assert {"type": "null"} in change["summary"]["anyOf"]


async def test_bodies_are_described_in_snake_case(anonymous):
    document = (await anonymous.get("/openapi.json")).json()
    fields = {
        field
        for schema in document["components"]["schemas"].values()
        for field in schema.get("properties", {})
    }
    assert "expires_at" in fields
    assert not [field for field in fields if field != field.lower()]
