"""The forms that cross the wire: request bodies in, values out."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Self

from fastapi import Depends, Query
from pydantic import (
    AliasChoices,
    AliasGenerator,
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from holdfast.kernel.clock import rfc3339
from holdfast.kernel.diffs import MAX_VERSION_DIGITS
from holdfast.kernel.errors import Malformed
from holdfast.kernel.ids import CLIENT_ID, MADE_ID, is_client_id, is_made_id
from holdfast.kernel.pages import DEFAULT_LIMIT, MAX_LIMIT, MAX_VERSIONS, Cursor

# More faults than this are counted, not listed: making a list of 290,000 takes seconds.
MAX_FAULTS = 1_000


class Body(BaseModel):
    """A request body: snake_case, the camelCase form of each field too, nothing unknown, and JSON's types as they are
    (no number for a boolean, no text for a number)."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        alias_generator=AliasGenerator(
            validation_alias=lambda name: AliasChoices(name, to_camel(name))
        ),
    )

    # Fields that may be left out but not be null; their type allows None only to tell that they were left out.
    NEVER_NULL: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name in cls.NEVER_NULL:
            found = properties.get(name, {})
            found["anyOf"] = [each for each in found.get("anyOf", []) if each != {"type": "null"}]
            found.pop("default", None)
        return schema

    @model_validator(mode="wrap")
    @classmethod
    def _count_faults(cls, value: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return validate(value)
        except ValidationError as error:
            if error.error_count() <= MAX_FAULTS:
                raise
            raise PydanticCustomError(
                "too_many_faults",
                "{count} fields or values are wrong or unknown",
                {"count": error.error_count()},
            ) from None


Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT)]
MADE = {"pattern": MADE_ID}
NAMED = {"pattern": f"^{CLIENT_ID}$"}
OLDER = "the page of older ones after this id"
NEWER = "the page of newer ones before this id"
AfterId = Annotated[str | None, Query(description=OLDER, json_schema_extra=MADE)]
BeforeId = Annotated[str | None, Query(description=NEWER, json_schema_extra=MADE)]
AfterName = Annotated[str | None, Query(description=OLDER, json_schema_extra=NAMED)]
BeforeName = Annotated[str | None, Query(description=NEWER, json_schema_extra=NAMED)]

_POINT = "a version, or a time"
_TIME = {"type": "string", "format": "date-time"}
_VERSION = {"type": "integer", "minimum": 1, "maximum": 10**MAX_VERSION_DIGITS - 1}
_STORE_VERSION = {"type": "string", "pattern": "^memver_[0-9a-f]{32}$"}


def _or_time(version: dict[str, Any], example: str) -> WithJsonSchema:
    """Describes a point of a diff: a version of this form, or a time."""
    return WithJsonSchema({"anyOf": [version, _TIME], "examples": [example]})


_LONG_AGO, _LATER = "2026-01-01T00:00:00Z", "2100-01-01T00:00:00Z"
DiffFrom = Annotated[str, _or_time(_VERSION, _LONG_AGO), Query(alias="from", description=_POINT)]
DiffTo = Annotated[str, _or_time(_VERSION, _LATER), Query(alias="to", description=_POINT)]
StoreDiffFrom = Annotated[
    str, _or_time(_STORE_VERSION, _LONG_AGO), Query(alias="from", description=_POINT)
]
StoreDiffTo = Annotated[
    str, _or_time(_STORE_VERSION, _LATER), Query(alias="to", description=_POINT)
]


async def page_cursor(
    limit: Limit = DEFAULT_LIMIT, after_id: AfterId = None, before_id: BeforeId = None
) -> Cursor:
    """The paging parameters of a list whose ids are made by the service."""
    for name, given in (("after_id", after_id), ("before_id", before_id)):
        if given is not None and not is_made_id(given):
            raise Malformed.field(name, "is not an id of this list")
    return Cursor(limit=limit, after_id=after_id, before_id=before_id)


async def version_cursor(
    limit: Annotated[int, Query(ge=1, le=MAX_VERSIONS)] = MAX_VERSIONS,
    after_id: AfterId = None,
    before_id: BeforeId = None,
) -> Cursor:
    """The paging parameters of a history, which nearly always fits one page: its ids are those of versions."""
    return await page_cursor(limit, after_id, before_id)


VersionCursor = Annotated[Cursor, Depends(version_cursor)]


async def named_page_cursor(
    limit: Limit = DEFAULT_LIMIT, after_id: AfterName = None, before_id: BeforeName = None
) -> Cursor:
    """The paging parameters of a list whose ids are names that clients chose."""
    for name, given in (("after_id", after_id), ("before_id", before_id)):
        if given is not None and not is_client_id(given):
            raise Malformed.field(name, "is not an id of this list")
    return Cursor(limit=limit, after_id=after_id, before_id=before_id)


@cache
def _adapter(value_type: type) -> TypeAdapter[Any]:
    return TypeAdapter(value_type)


def as_wire(value: Any) -> Any:
    """A value as the JSON that its own route would answer."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return _adapter(type(value)).dump_python(value, mode="json", exclude_none=False)
    if isinstance(value, list | tuple):
        return [as_wire(each) for each in value]
    if hasattr(value, "astimezone"):
        return rfc3339(value)
    return value


def plain(value: Any) -> Any:
    """The same for what mappings and lists hold."""
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return as_wire(value)
