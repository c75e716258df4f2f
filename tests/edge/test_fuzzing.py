"""Requests made from the OpenAPI document, right ones and wrong ones, are answered as the document says.

Right ones are refused (400, 422) only for reasons that `explained_refusals.py` has. They name real objects, so that what stands
behind the check of a body is reached as well.
"""

import asyncio
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from jsonschema import Draft202012Validator
from schemathesis.generation import GenerationMode

from tests.contract.as_new import DOCUMENT, Specimens, place, with_real_ids
from tests.edge.explained_refusals import unexplained

PARTS = 8
RIGHT, WRONG = 4, 4  # requests of each kind for each operation
# Another user or workspace sees nothing; a version that is not the current one is refused.
LEFT_OUT = ("Holdfast-User", "Holdfast-Workspace", "Idempotency-Key", "If-Match", "If-None-Match")

schemathesis.serializer.alias("application/zip", "application/octet-stream")
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)


def operations() -> list[tuple[int, str, str, Any]]:
    """Every operation with its path, method and description; reads first."""
    order = ("get", "put", "post", "patch", "delete")
    found = [each.ok() for each in SCHEMA.get_all_operations()]
    return sorted(
        ((order.index(each.method), each.path, each.definition.raw, each) for each in found),
        key=lambda each: place((each[0], each[1], "", each[2])),
    )


def cases(operation: Any, mode: GenerationMode, number: int) -> list[Any]:
    """Requests of an operation, the same ones in every run."""
    made: list[Any] = []

    @seed(1)
    @settings(
        max_examples=number,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def collect(case: Any) -> None:
        made.append(case)

    with suppress(Unsatisfiable):  # an operation without parameters and body has no wrong requests
        collect()
    return made


def aim(case: Any, named: dict[str, str]) -> None:
    """Have a request name objects that are there."""
    for name in LEFT_OUT:
        case.headers.pop(name, None)
    for name in case.path_parameters:
        case.path_parameters[name] = named.get(name, case.path_parameters[name])
    case.query = with_real_ids(dict(case.query), named)
    case.body = with_real_ids(case.body, named)


@cache
def validator(operation_id: str, status: str) -> Draft202012Validator | None:
    """Of the JSON of an answer."""
    for item in DOCUMENT["paths"].values():
        for operation in item.values():
            if operation["operationId"] == operation_id:
                content = operation["responses"][status].get("content", {})
                if "application/json" not in content:
                    return None
                schema = content["application/json"]["schema"]
                return Draft202012Validator({**schema, "components": DOCUMENT["components"]})
    raise AssertionError(operation_id)


def wrong_with(reply: Any, operation: Any) -> Iterator[str]:
    """What an answer has that the document does not."""
    status = str(reply.status_code)
    if reply.status_code >= 500:
        yield f"{status} {reply.text}"
    if status not in operation["responses"]:
        yield f"{status} is not among the statuses: {reply.text[:200]}"
        return
    content = operation["responses"][status].get("content", {})
    media_type = reply.headers.get("content-type", [""])[0].partition(";")[0]
    if reply.content and content and not {media_type, "*/*"} & set(content):
        yield f"{status} is {media_type}"
    check = validator(operation["operationId"], status)
    if check is not None and media_type == "application/json":
        for error in check.iter_errors(reply.json()):
            yield f"{status} {error.json_path}: {error.message[:200]}"


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema, or the one that it refers to."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return DOCUMENT["components"]["schemas"][name] if name else schema


def limits_of(schema: dict[str, Any]) -> list[Any]:
    """The least values that a schema allows: null, the empty list, the smallest and the largest number."""
    schema = resolved(schema)
    if "anyOf" in schema:
        return [value for option in schema["anyOf"] for value in limits_of(option)]
    match schema.get("type"):
        case "null":
            return [None]
        case "array":
            return [] if schema.get("minItems") else [[]]
        case "integer" | "number":
            return [schema[each] for each in ("minimum", "maximum") if each in schema]
        case "boolean":
            return [False, True]
        case "string" if "enum" in schema:
            return [*schema["enum"]]
        case "object" if not schema.get("required"):
            return [{}]
    return []


def bodies_at_limits(operation: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The example of a body, with one field after the other at a limit."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return
    for name, schema in resolved(content["schema"]).get("properties", {}).items():
        for value in limits_of(schema):
            yield f"{name}={value!r}", {**content["example"], name: value}


async def test_a_field_may_have_each_value_at_the_limits_of_its_schema(org):
    """Null where the document allows null, an empty list where it has no least length: these drift apart most easily."""
    client, failed = org.client(), []
    made = Specimens(client)
    await made.prepare("", {})
    for _, path, operation, source in operations():
        if {"bearer": []} not in operation["security"]:
            continue
        bodies = list(bodies_at_limits(operation))
        named = (
            await made.have(path.removeprefix("/api/v1"), source.method, operation)
            if bodies
            else {}
        )
        at = re.sub(r"{(\w+)}", lambda found: made.named[found[1]], path.removeprefix("/api/v1"))
        for what, body in bodies:
            sent = with_real_ids(body, named)
            reply = await client.request(source.method, at, json=sent)
            if reply.status_code in (400, 422) and unexplained(reply.json()):
                failed.append(f"{operation['operationId']} {what}: {unexplained(reply.json())}")
    if failed:
        pytest.fail("\n".join(failed))


@pytest.mark.parametrize("part", range(PARTS))
async def test_requests_of_the_document_are_answered_as_it_says(org, service, part):
    failed = []
    made = Specimens(org.client())
    await made.prepare("", {})
    headers = {"Authorization": f"Bearer {org.key}"}
    with requests.Session() as session:

        def call(case: Any) -> Any:
            return case.call(base_url=service.url, headers=headers, session=session, timeout=30)

        for _, path, operation, source in operations()[part::PARTS]:
            name = operation["operationId"]
            named = await made.have(path.removeprefix("/api/v1"), source.method, operation)
            right = cases(source, GenerationMode.POSITIVE, RIGHT)
            for case in right:
                aim(case, named)
            for case in (*right, *cases(source, GenerationMode.NEGATIVE, WRONG)):
                reply = await asyncio.to_thread(call, case)
                found = list(wrong_with(reply, operation))
                if case in right and reply.status_code in (400, 422):
                    found += [f"refused: {each}" for each in unexplained(reply.json())]
                failed += [f"{name}: {each}\n    {case.query} {case.body!r}" for each in found]
    if failed:
        pytest.fail("\n".join(failed))
