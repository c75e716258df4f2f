"""One value of each type: what rooms attach to a database or a transaction, which need not know of it."""

from collections.abc import Iterable
from typing import Any, TypeVar, cast

T = TypeVar("T")


class TypedStore:
    """Values by their type. One that was not given is made, without arguments, when it is first asked for."""

    def __init__(self, given: Iterable[object] = ()) -> None:
        self._by_type: dict[type[Any], object] = {type(each): each for each in given}

    def put(self, kind: type[T], value: T) -> None:
        """Make this the value of a type, which it may be a subclass of."""
        self._by_type[kind] = value

    def get(self, kind: type[T]) -> T:
        """The value of this type."""
        found = self._by_type.get(kind)
        if found is None:
            found = self._by_type[kind] = kind()
        return cast("T", found)
