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


def _stated_example(schema: dict[str, Any]) -> Any:
    """A value that the schema itself names; None where it names none."""
    for name in ("const", "default"):
        if schema.get(name) is not None:
            return schema[name]
    for name in ("examples", "enum"):
        if schema.get(name):
            return schema[name][0]
    return None


# Schemas that hold themselves (a filter in a filter) end here.
_MAX_EXAMPLE_DEPTH = 6


def example_of(schema: dict[str, Any], schemas: dict[str, Any], depth: int = 0) -> Any:
    """An example of a schema: the ones its fields give, put together."""
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].rpartition("/")[2]], schemas, depth)
    stated = _stated_example(schema)
    if stated is not None:
        return stated
    for union in ("anyOf", "oneOf", "allOf"):
        if union in schema:
            options = [each for each in schema[union] if each.get("type") != "null"]
            return example_of((options or schema[union])[0], schemas, depth)
    if schema.get("type") == "object":
        fields = schema.get("properties", {}).items() if depth < _MAX_EXAMPLE_DEPTH else ()
        return {name: example_of(field, schemas, depth + 1) for name, field in fields}
    if schema.get("type") == "array":
        items = [schema.get("items", {})] if depth < _MAX_EXAMPLE_DEPTH else []
        return [example_of(each, schemas, depth + 1) for each in items]
    if schema.get("format") == "date-time":
        return "2026-01-31T12:00:00.000000Z"
    return _SAMPLES.get(str(schema.get("type")))
