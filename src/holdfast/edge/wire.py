"""The forms that cross the wire: request bodies in, values out."""

from dataclasses import is_dataclass
from functools import cache
from typing import Annotated, Any

from fastapi import Query
from pydantic import AliasChoices, AliasGenerator, BaseModel, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel

from holdfast.kernel.clock import rfc3339
from holdfast.kernel.pages import DEFAULT_LIMIT, MAX_LIMIT, Cursor


class Body(BaseModel):
    """A request body: snake_case, the camelCase form of each field too, and nothing unknown."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        alias_generator=AliasGenerator(
            validation_alias=lambda name: AliasChoices(name, to_camel(name))
        ),
    )


async def page_cursor(
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = DEFAULT_LIMIT,
    after_id: Annotated[
        str | None, Query(description="the page of older ones after this id")
    ] = None,
    before_id: Annotated[
        str | None, Query(description="the page of newer ones before this id")
    ] = None,
) -> Cursor:
    """The paging parameters of a list."""
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
