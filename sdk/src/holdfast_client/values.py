"""Converts JSON to frozen dataclasses, and values to JSON.

A reply is read according to the type annotations of its dataclass. Unknown fields are ignored and unknown values of a Literal
are kept, so that an older client works with a newer server. A required field that is missing or has the wrong type is an error
that names the field.
"""

import dataclasses
from collections.abc import Callable, Hashable, Mapping
from datetime import UTC, datetime
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, cast, get_args, get_origin
from typing import get_type_hints as hints_of

T = TypeVar("T")

Read = Callable[[Any], Any]


class Unset:
    """The type of UNSET."""

    def __repr__(self) -> str:
        return "UNSET"


# The default of an argument for which None has a meaning of its own ("remove it", "there is none yet").
UNSET = Unset()


class Unreadable(ValueError):
    """JSON of an unexpected shape: what was found, and in which field."""

    def __init__(self, found: str, where: tuple[str, ...] = ()) -> None:
        super().__init__(f"{'.'.join(where)}: {found}" if where else found)
        self.found, self.where = found, where


@dataclasses.dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list, newest first; `has_more` is about the requested direction."""

    data: list[T]
    first_id: str | None
    last_id: str | None
    has_more: bool

    def onward(self, asked: Mapping[str, Any]) -> dict[str, Any] | None:
        """The arguments that request the next page, given those of this page; None at the end."""
        if not self.has_more:
            return None
        if asked.get("before_id") is not None:
            return {**asked, "before_id": self.first_id}
        return {**asked, "after_id": self.last_id}


def read(kind: type[T], value: Any) -> T:
    """Convert a JSON value to a `kind`; raises Unreadable if it does not fit."""
    return cast(T, _reader(cast(Hashable, kind))(value))


def given(**fields: Any) -> dict[str, Any]:
    """The given fields as a JSON object: UNSET is left out, None becomes null."""
    return {name: to_json(value) for name, value in fields.items() if value is not UNSET}


def to_json(value: Any) -> Any:
    """Convert a value to JSON. Times keep their microseconds, since they are also compare-and-set tokens."""
    if isinstance(value, datetime):
        return instant(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        pairs = ((wire_name(each), getattr(value, each.name)) for each in dataclasses.fields(value))
        return {name: to_json(each) for name, each in pairs if each is not UNSET}
    if isinstance(value, Mapping):
        return {name: to_json(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(each) for each in value]
    return value


def called(name: str) -> Any:
    """A dataclass field whose JSON name is a Python keyword, such as `from`."""
    return dataclasses.field(metadata={"wire": name})


def wire_name(each: "dataclasses.Field[Any]") -> str:
    """The JSON name of a field."""
    name: str = each.metadata.get("wire", each.name)
    return name


def instant(at: datetime) -> str:
    """A time as RFC 3339 text in UTC with microseconds."""
    if at.tzinfo is None:
        raise ValueError("a time needs its time zone, as in datetime.now(UTC)")
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


# --- reading ---------------------------------------------------------------------------------------------------------


@cache
def _reader(kind: Any) -> Read:
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any or origin is Literal:
        return _as_it_is  # a newer server may have values that this Literal lacks
    if kind is datetime:
        return _instant
    if origin is Annotated:
        return _reader(args[0])
    if origin in (Union, UnionType):
        return _union(args)
    if origin is list:
        return _list(_reader(args[0]))
    if origin is dict:
        return _dict(_reader(args[1]))
    if hasattr(kind, "from_json"):
        return cast(Read, kind.from_json)  # a class whose fields differ from its JSON
    if dataclasses.is_dataclass(origin or kind):
        return _record(kind)
    return _plain(kind)


def _as_it_is(value: Any) -> Any:
    return value


def _plain(kind: type) -> Read:
    def read_plain(value: Any) -> Any:
        if kind is float and type(value) is int:
            return float(value)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise Unreadable(f"expected {kind.__name__}, got {type(value).__name__}")
        return value

    return read_plain


def _instant(value: Any) -> datetime:
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise Unreadable("expected a time") from None
    if at.tzinfo is None:
        raise Unreadable("expected a time with its offset from UTC")
    return at


def _list(read_item: Read) -> Read:
    def read_list(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise Unreadable(f"expected a list, got {type(value).__name__}")
        return [_within(str(index), read_item, item) for index, item in enumerate(value)]

    return read_list


def _dict(read_value: Read) -> Read:
    def read_dict(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise Unreadable(f"expected an object, got {type(value).__name__}")
        return {name: _within(name, read_value, item) for name, item in value.items()}

    return read_dict


def _union(options: tuple[Any, ...]) -> Read:
    """Read a union: None if allowed; of several dataclasses the one with the same `type`; else the first that fits."""
    kinds = [option for option in options if option is not NoneType]

    def read_union(value: Any) -> Any:
        if value is None and NoneType in options:
            return None
        chosen = [kind for kind in kinds if _says_it_is(kind, value)] or kinds
        for kind in chosen[:-1]:
            try:
                return _reader(kind)(value)
            except Unreadable:
                continue
        return _reader(chosen[-1])(value)

    return read_union


def _says_it_is(kind: Any, value: Any) -> bool:
    if not dataclasses.is_dataclass(kind) or not isinstance(value, dict):
        return False
    return value.get("type") in get_args(hints_of(kind).get("type"))


def _record(kind: Any) -> Read:
    made = get_origin(kind) or kind
    parameters = dict(zip(getattr(made, "__parameters__", ()), get_args(kind), strict=False))

    @cache  # computed at the first reply: a dataclass may refer to itself
    def fields() -> list[tuple[str, str, Read, Any]]:
        hints = hints_of(made, include_extras=True)
        return [
            (
                each.name,
                wire_name(each),
                _reader(_filled(hints[each.name], parameters)),
                _default(each, hints),
            )
            for each in dataclasses.fields(made)
        ]

    def read_record(value: Any) -> Any:
        if not isinstance(value, dict):
            raise Unreadable(f"expected an object, got {type(value).__name__}")
        found: dict[str, Any] = {}
        for name, on_wire, read_field, default in fields():
            if on_wire in value:
                found[name] = _within(on_wire, read_field, value[on_wire])
            elif default is _required:
                raise Unreadable("is missing", (on_wire,))
            elif default is None:
                found[name] = None
        return made(**found)

    return read_record


_required, _by_itself = object(), object()


def _default(each: "dataclasses.Field[Any]", hints: Mapping[str, Any]) -> Any:
    """The value of a missing field: its default, else None if the type allows it; otherwise it is an error."""
    if each.default is not dataclasses.MISSING or each.default_factory is not dataclasses.MISSING:
        return _by_itself
    return None if NoneType in get_args(hints[each.name]) else _required


def _filled(hint: Any, parameters: Mapping[Any, Any]) -> Any:
    """`hint` with the type parameters of its dataclass replaced by their types."""
    if isinstance(hint, TypeVar):
        return parameters.get(hint, Any)
    open_ones = getattr(hint, "__parameters__", ())
    return hint[tuple(parameters.get(one, Any) for one in open_ones)] if open_ones else hint


def _within(where: str, read_value: Read, value: Any) -> Any:
    try:
        return read_value(value)
    except Unreadable as error:
        raise Unreadable(error.found, (where, *error.where)) from None
