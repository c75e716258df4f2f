"""The schema of a tool's arguments as a model reads it: what it must know, in as few tokens as possible.

No `$ref`, titles or examples; an optional value is `"type": [T, "null"]` and not a union of schemas. Bounds of lengths are left
out: a value beyond one is refused with the limit. Strict modes of providers can take it as it is.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

_LEFT_OUT = frozenset(
    {
        "title", "examples", "$defs", "default", "maxLength", "minLength", "maxItems", "minItems",
        "pattern",
    }
)  # fmt: skip


def schema_of(arguments: type[BaseModel]) -> dict[str, Any]:
    """The schema of a form."""
    made = arguments.model_json_schema(by_alias=True)
    return _compact(made, made.get("$defs", {}))


def _compact(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        found = defs[schema["$ref"].rpartition("/")[2]]
        schema = {**found, **{name: each for name, each in schema.items() if name != "$ref"}}
    if "anyOf" in schema:
        schema = _nullable(schema, defs)
    kept: dict[str, Any] = {}
    for name, value in schema.items():
        if name == "properties":
            kept[name] = {key: _compact(each, defs) for key, each in value.items()}
        elif name == "description":
            kept[name] = " ".join(value.split())
        elif name not in _LEFT_OUT:
            kept[name] = _compact(value, defs) if isinstance(value, dict) else value
    if schema.get("default") is not None:
        kept["default"] = schema["default"]
    return kept


def _nullable(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> dict[str, Any]:
    """A union of one schema and null as that schema, with null among its types."""
    [one] = [each for each in schema["anyOf"] if each.get("type") != "null"]
    made = _compact(one, defs)
    made["type"] = [made["type"], "null"]
    if "enum" in made:
        made["enum"] = [*made["enum"], None]
    return {**made, **{name: each for name, each in schema.items() if name != "anyOf"}}
