"""JSON into values and back."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Generic, Literal, Optional, TypeVar

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from holdfast_client.values import UNSET, Page, Unreadable, given, instant, read, to_json

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Leaf:
    name: str
    at: datetime
    type: Literal["leaf"] = "leaf"


@dataclass(frozen=True, slots=True)
class Branch:
    name: str
    children: list["Branch | Leaf"] = field(default_factory=list)
    note: str | None = None
    type: Literal["branch"] = "branch"


@dataclass(frozen=True, slots=True)
class Box(Generic[T]):
    inside: T
    more: dict[str, list[T]]
    weight: float = 1.0
    maybe: Optional[int] = None  # noqa: UP045  (both spellings of an optional are read)


NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
LEAF = {"name": "a", "at": "2026-01-31T12:00:00.000000Z", "type": "leaf"}


def test_fields_of_a_newer_server_are_passed_over_at_every_depth():
    tree = {"name": "root", "colour": "red", "children": [{**LEAF, "size": 3}]}
    assert read(Branch, tree) == Branch("root", [Leaf("a", NOON)])


def test_words_of_a_newer_server_are_kept():
    assert read(Leaf, {**LEAF, "type": "needle"}).type == "needle"


def test_objects_of_several_kinds_are_told_apart_by_their_type():
    inner = {"type": "branch", "name": "b", "children": [LEAF]}
    tree = read(Branch, {"name": "root", "children": [LEAF, inner]})
    assert tree.children == [Leaf("a", NOON), Branch("b", [Leaf("a", NOON)])]


def test_generic_values_are_filled_in():
    box = read(Box[Leaf], {"inside": LEAF, "more": {"x": [LEAF]}, "weight": 2})
    assert box == Box(Leaf("a", NOON), {"x": [Leaf("a", NOON)]}, 2.0)
    assert isinstance(box.weight, float)
    page = read(Page[Leaf], {"data": [LEAF], "first_id": "a", "last_id": "a", "has_more": False})
    assert page.data == [Leaf("a", NOON)]


def test_an_optional_field_that_did_not_come_is_none():
    @dataclass
    class Thing:
        note: str | None

    assert read(Thing, {}) == Thing(None)


@pytest.mark.parametrize(
    ("kind", "value", "where"),
    [
        (Leaf, {"name": "a"}, "at: is missing"),
        (Leaf, {**LEAF, "name": 3}, "name: expected str, got int"),
        (Leaf, {**LEAF, "at": "noon"}, "at: expected a time"),
        (Leaf, {**LEAF, "at": "2026-01-31T12:00:00"}, "at: expected a time with its offset"),
        (Branch, {"name": "r", "children": [LEAF, {**LEAF, "at": 5}]}, "children.1.at: expected"),
        (Branch, {"name": "r", "children": None}, "children: expected a list, got NoneType"),
        (Branch, [], "expected an object, got list"),
        (Box[int], {"inside": True, "more": {}}, "inside: expected int, got bool"),
        (Box[int], {"inside": 1, "more": {"x": [1, "2"]}}, "more.x.1: expected int, got str"),
        (dict[str, Any], "text", "expected an object, got str"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(kind, value, where):
    with pytest.raises(Unreadable) as refused:
        read(kind, value)
    assert str(refused.value).startswith(where)


def test_what_was_not_given_is_left_out_and_none_is_null():
    assert given(a=UNSET, b=None, c=[NOON]) == {"b": None, "c": ["2026-01-31T12:00:00.000000Z"]}


def test_a_time_without_its_zone_is_refused_before_it_is_sent():
    with pytest.raises(ValueError, match="time zone"):
        instant(datetime(2026, 1, 31))  # noqa: DTZ001


@for_all(
    st.datetimes(
        min_value=datetime(1000, 1, 2), max_value=datetime(9999, 12, 30),  # noqa: DTZ001
        timezones=st.integers(-14, 14).map(lambda hours: timezone(timedelta(hours=hours))),
    )
)  # fmt: skip
def test_an_instant_comes_back_as_it_went(at):
    assert read(datetime, to_json(at)) == at


names = st.text(max_size=5)
trees = st.recursive(
    st.builds(Leaf, names, st.datetimes(datetime(1000, 1, 1), timezones=st.just(UTC))),  # noqa: DTZ001
    lambda inner: st.builds(Branch, names, st.lists(inner, max_size=3), st.none() | names),
    max_leaves=10,
)


@for_all(trees)
def test_any_value_comes_back_as_it_went(tree):
    assert read(type(tree), to_json(tree)) == tree
