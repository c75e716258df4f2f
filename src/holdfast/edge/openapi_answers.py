"""Which fields of answers are always there, in the OpenAPI document.

The framework marks a field with a default as optional, whether the object is sent or answered. In an answer such a field is
always there, and a client generated from the document should not have to ask.
"""

from typing import Any

_REF = "#/components/schemas/"


def require_fields_of_answers(document: dict[str, Any]) -> None:
    """Mark every field that cannot be null as required, in the schemas that no request holds."""
    schemas = document["components"]["schemas"]
    operations = [each for item in document["paths"].values() for each in item.values()]
    sent: set[str] = set()
    for operation in operations:
        _reach(operation.get("requestBody"), schemas, sent)
    for name, schema in schemas.items():
        if name not in sent and "properties" in schema:
            always = [key for key, each in schema["properties"].items() if not _may_be_null(each)]
            schema["required"] = [*dict.fromkeys([*schema.get("required", []), *always])]


def _may_be_null(schema: dict[str, Any]) -> bool:
    if schema.get("type") == "null" or ("default" in schema and schema["default"] is None):
        return True
    return any(_may_be_null(each) for each in schema.get("anyOf", []))


def _reach(value: Any, schemas: dict[str, Any], found: set[str]) -> None:
    """Collect the names of the schemas that a part of the document refers to, directly or through others."""
    if isinstance(value, list):
        for each in value:
            _reach(each, schemas, found)
    elif isinstance(value, dict):
        name = str(value.get("$ref", "")).removeprefix(_REF)
        if name in schemas and name not in found:
            found.add(name)
            _reach(schemas[name], schemas, found)
        for each in value.values():
            _reach(each, schemas, found)
