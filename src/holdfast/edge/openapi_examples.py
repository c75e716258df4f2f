"""Examples of schemas: what their fields state, put together."""

from typing import Any

# What stands for a value of a type where a field gives no example of its own.
_SAMPLES: dict[str, Any] = {
    "string": "text",
    "integer": 1,
    "number": 0.5,
    "boolean": True,
    "null": None,
}


_NONE = object()


def _stated_example(schema: dict[str, Any]) -> Any:
    """A value that the schema itself names; _NONE where it names none."""
    for name in ("examples", "enum"):
        if schema.get(name):
            return schema[name][0]
    for name in ("const", "default"):
        if schema.get(name) is not None:
            return schema[name]
    return _NONE


def _states_an_example(field: dict[str, Any]) -> bool:
    """An example of null says that the field is left out."""
    return bool(field.get("examples", [None]) != [None])


# Schemas that hold themselves (a filter in a filter) end here.
_MAX_EXAMPLE_DEPTH = 6


def example_to_send(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """An example of a body that can be sent: the required fields, and those that state an example."""
    return example_of(schema, schemas, to_send=True)


def example_of(
    schema: dict[str, Any], schemas: dict[str, Any], depth: int = 0, *, to_send: bool = False
) -> Any:
    """An example of a schema: the ones its fields give, put together."""
    if "$ref" in schema:
        named = schemas[schema["$ref"].rpartition("/")[2]]
        return example_of(named, schemas, depth, to_send=to_send)
    stated = _stated_example(schema)
    if stated is not _NONE:
        return stated
    for union in ("anyOf", "oneOf", "allOf"):
        if union in schema:
            options = [each for each in schema[union] if each.get("type") != "null"]
            return example_of((options or schema[union])[0], schemas, depth, to_send=to_send)
    if schema.get("type") == "object":
        fields = schema.get("properties", {}).items() if depth < _MAX_EXAMPLE_DEPTH else ()
        shown = {
            name: field
            for name, field in fields
            if not to_send or name in schema.get("required", ()) or _states_an_example(field)
        }
        return {
            name: example_of(field, schemas, depth + 1, to_send=to_send)
            for name, field in shown.items()
        }
    if schema.get("type") == "array":
        items = [schema.get("items", {})] if depth < _MAX_EXAMPLE_DEPTH else []
        return [example_of(each, schemas, depth + 1, to_send=to_send) for each in items]
    if schema.get("format") == "date-time":
        return "2026-01-31T12:00:00.000000Z"
    return _SAMPLES.get(str(schema.get("type")))
