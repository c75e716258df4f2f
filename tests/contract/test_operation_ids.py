"""Every operation has the id of the client's method that sends it."""

import inspect
import re
from typing import Any

from holdfast.edge.openapi_names import START, START_TAG, TAGS
from holdfast_client import AsyncClient, Client
from tests.contract.as_new import DOCUMENT

# A value for each type of a required argument. The name of the argument fills its place in the path.
SAMPLES: dict[str, Any] = {"int": 1, "bytes": b"", "bool": True}

# Operations that the client has no method for yet. The test fails when one has it: take it out here.
AWAITED: set[str] = set()

OPERATIONS = [
    (method.upper(), path, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
]


class Sent(Exception):
    """What a method of the client would have sent."""


def method_of(client: Any, operation_id: str) -> Any:
    found = client
    for name in operation_id.removesuffix("_post").split("."):
        found = getattr(found, name, None)
    return found


def sends(client: Client, operation_id: str) -> Any:
    """The call that the client's method of this id builds."""
    method = method_of(client, operation_id)
    assert callable(method), f"the client has no {operation_id}"
    call = method if inspect.ismethod(method) else type(method).__call__.__get__(method)
    given = {
        name: _sample(parameter)
        for name, parameter in inspect.signature(call).parameters.items()
        if parameter.default is inspect.Parameter.empty
        and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    }
    try:
        call(**given)
    except Sent as sent:
        return sent.args[0]
    raise AssertionError(f"{operation_id} sends nothing")


def _sample(parameter: inspect.Parameter) -> Any:
    kind = parameter.annotation
    kind = kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))
    if kind in SAMPLES:
        return SAMPLES[kind]
    if "| None" in str(parameter.annotation):
        return None
    return [] if "Sequence" in kind or "list" in kind else {} if "Mapping" in kind else "some"


def a_client() -> Client:
    client = Client("http://nowhere", "hf_test_none").scope(agent="some", session="some")

    def keep(call: Any) -> Any:
        raise Sent(call)

    client.send = keep  # type: ignore[method-assign]
    client._bind(client._scope)
    return client


def test_every_operation_id_is_the_method_of_the_client_that_sends_it():
    client = a_client()
    for method, path, operation in OPERATIONS:
        operation_id = operation["operationId"]
        assert re.fullmatch(r"[a-z_]+(\.[a-z_]+)?", operation_id), (
            f'{method} {path}: give the route operation_id="face.method", not {operation_id}'
        )
        if operation_id.startswith("auth."):
            assert {"bearer": []} not in operation["security"], f"{operation_id} needs no browser"
            continue
        if operation_id in AWAITED:
            assert method_of(client, operation_id) is None, f"take {operation_id} out of AWAITED"
            continue
        call = sends(client, operation_id)
        template = re.sub(r"{\w+}", "[^/]+", path)
        assert re.fullmatch(template, call.root + call.path), f"{operation_id} sends {call.path}"
        if operation_id != "memories.recall":  # the client recalls with a POST
            assert call.method == method, operation_id


def test_both_clients_have_every_method():
    for _, _, operation in OPERATIONS:
        if not operation["operationId"].startswith("auth.") | (operation["operationId"] in AWAITED):
            assert method_of(
                AsyncClient("http://nowhere", "hf_test_none"), operation["operationId"]
            )


def test_no_id_is_there_twice_and_a_get_and_a_post_of_one_operation_share_a_name():
    ids = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(ids) == len(set(ids))
    for method, path, operation in OPERATIONS:
        if operation["operationId"].endswith("_post"):
            twin = DOCUMENT["paths"][path]["get"]["operationId"]
            assert (method, f"{twin}_post") == ("POST", operation["operationId"])


def test_schemas_have_human_names_and_no_title_is_there_twice():
    schemas = DOCUMENT["components"]["schemas"]
    assert [name for name in schemas if not re.fullmatch(r"[A-Z][A-Za-z]+", name)] == []
    assert {name: schema["title"] for name, schema in schemas.items()} == {n: n for n in schemas}
    assert all(
        "title" not in each["schema"] for _, _, o in OPERATIONS for each in o.get("parameters", [])
    )


def test_the_document_begins_with_what_people_want_and_every_group_is_described():
    assert [tag["name"] for tag in DOCUMENT["tags"]][:6] == [
        START_TAG, "blocks", "entries", "conversations", "memories", "stores",
    ]  # fmt: skip
    used = {tag for _, _, operation in OPERATIONS for tag in operation["tags"]}
    assert used <= set(TAGS), "describe the group in edge/openapi_names.py"
    started = [o["operationId"] for _, _, o in OPERATIONS if START_TAG in o["tags"]]
    assert tuple(started) == START
    assert [f"{m} {p}" for m, p, o in OPERATIONS if not o["summary"]] == []


def test_every_answer_has_a_schema_and_says_which_fields_are_always_there():
    """A generator makes types of these: an answer without a schema is `unknown`, a field that is not required `undefined`."""
    answers = [
        (operation["operationId"], status, content["application/json"])
        for _, _, operation in OPERATIONS
        for status, answer in operation["responses"].items()
        if status.startswith("2") and "application/json" in (content := answer.get("content", {}))
    ]
    assert len(answers) > len(OPERATIONS) / 2
    assert [(name, status) for name, status, each in answers if not each.get("schema")] == []
    schemas = DOCUMENT["components"]["schemas"]
    assert "type" in schemas["Memory"]["required"]
    assert "dropped" in schemas["Context"]["required"]
    assert "explain" not in schemas["RecalledMemory"]["required"]
    assert schemas["MemorySave"]["required"] == [
        "key",
        "value",
    ]  # of a request: defaults stay optional
