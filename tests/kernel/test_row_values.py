"""Values made out of columns: the same as their constructors make."""

from dataclasses import dataclass, field

import pytest

from holdfast.kernel.row_values import maker


@dataclass(frozen=True, slots=True)
class Row:
    id: str
    tags: list[str]
    kind: str = "row"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tags", [tag.upper() for tag in self.tags])


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored(Row):
    score: float


@dataclass(frozen=True, slots=True)
class WithList:
    id: str
    tags: list[str] = field(default_factory=list)


@dataclass
class WithoutSlots:
    id: str


@pytest.mark.parametrize(
    ("row_type", "columns", "values"),
    [
        (Row, ("tags", "id"), (["a"], "x")),
        (Row, ("id", "tags", "kind"), ("x", [], "other")),
        (Scored, ("score", "id", "tags"), (0.5, "x", ["a"])),
        (WithList, ("id",), ("x",)),
        (WithList, ("id", "tags"), ("x", ["a"])),
        (WithoutSlots, ("id",), ("x",)),
    ],
)
def test_a_value_is_what_its_constructor_makes(row_type, columns, values):
    made = maker(row_type, columns)(values)
    assert made == row_type(**dict(zip(columns, values, strict=True)))
    assert type(made) is row_type


@pytest.mark.parametrize(
    ("columns", "values"), [(("id",), ("x",)), (("id", "tags", "odd"), ("x", [], 1))]
)
def test_columns_that_do_not_fit_are_refused_as_by_the_constructor(columns, values):
    with pytest.raises(TypeError):
        maker(Row, columns)(values)


def test_values_that_do_not_fit_the_columns_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        maker(Row, ("id", "tags"))(("x",))
