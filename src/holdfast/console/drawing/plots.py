"""Plots over time: columns for what is counted, in parts where there are several kinds of it, and a curve for what is measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

WIDTH, HEIGHT = 320.0, 128.0
LEFT = 34.0  # what is left of it is for the numbers of the lines
BOTTOM, TOP = 104.0, 8.0  # the base line, and the highest point
GAP = 0.25  # of a column's share of the width
MAX_COLUMN = 26.0


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a column: what it counts, and where it is drawn."""

    name: str
    value: float
    y: float
    height: float
    colour: int


@dataclass(frozen=True, slots=True)
class Column:
    """One moment of a plot: its value, where it is drawn, and its parts from the base line up."""

    at: datetime
    value: float | None
    x: float
    y: float
    width: float
    pieces: tuple[Piece, ...] = ()

    @property
    def height(self) -> float:
        """From the base line up."""
        return round(BOTTOM - self.y, 2)

    @property
    def middle(self) -> float:
        """Where a curve passes."""
        return round(self.x + self.width / 2, 1)


@dataclass(frozen=True, slots=True)
class Plot:
    """A series, drawn: `total` stands beside its title, `top` is the value of the highest line, `half` that of the middle one.

    `kinds` are the names of the parts with their colours, those that occur; blank where there is one kind. `curve` and `area`
    are the points of what is measured, blank for what is counted.
    """

    title: str
    unit: str
    total: str
    top: str
    half: str
    columns: list[Column]
    kinds: dict[str, int]
    curve: str
    area: str

    @property
    def first(self) -> datetime | None:
        """The first moment."""
        return self.columns[0].at if self.columns else None

    @property
    def last(self) -> datetime | None:
        """The last moment."""
        return self.columns[-1].at if self.columns else None


def counted(
    title: str,
    unit: str,
    points: Sequence[tuple[datetime, Sequence[float]]],
    kinds: Sequence[str] = ("",),
) -> Plot:
    """Columns, of one value for each of `kinds`; the title has their sum."""
    sums = [sum(values) for _, values in points]
    top = _round_up(max(sums, default=0.0))
    columns = []
    for place, (at, values) in enumerate(points):
        x, width = _place(place, len(points))
        pieces = tuple(_pieces(kinds, values, top))
        columns.append(Column(at, sum(values), x, _y(sum(values), top), width, pieces))
    seen = {piece.name: piece.colour for column in columns for piece in column.pieces}
    return Plot(
        title,
        unit,
        total=f"{sum(sums):,.0f}",
        top=_short(top),
        half=_short(top / 2) if top >= 2 and top % 2 == 0 else "",  # no half of a count
        columns=columns,
        kinds={name: seen[name] for name in kinds if name in seen} if len(kinds) > 1 else {},
        curve="",
        area="",
    )


def measured(
    title: str,
    unit: str,
    points: Sequence[tuple[datetime, float | None]],
    *,
    top: float | None = None,
) -> Plot:
    """A curve through the moments that have a value; the title has the newest."""
    known = [value for _, value in points if value is not None]
    highest = top or _round_up(max(known, default=0.0))
    columns = []
    for place, (at, value) in enumerate(points):
        x, width = _place(place, len(points))
        columns.append(Column(at, value, x, _y(value, highest), width))
    dots = [column for column in columns if column.value is not None]
    curve = " ".join(f"{dot.middle},{dot.y:.1f}" for dot in dots)
    ends = f"{dots[0].middle},{BOTTOM} {{}} {dots[-1].middle},{BOTTOM}" if len(dots) > 1 else ""
    return Plot(
        title,
        unit,
        total=_written(known[-1], unit) if known else "—",
        top=_mark(highest, unit),
        half=_mark(highest / 2, unit),
        columns=columns,
        kinds={},
        curve=curve,
        area=ends.format(curve),
    )


def _pieces(kinds: Sequence[str], values: Sequence[float], top: float) -> Sequence[Piece]:
    found, below = [], 0.0
    for colour, (name, value) in enumerate(zip(kinds, values, strict=True), 1):
        if value > 0:
            y = _y(below + value, top)
            found.append(Piece(name, value, y, round(_y(below, top) - y, 2), colour))
            below += value
    return found


def _place(number: int, count: int) -> tuple[float, float]:
    """Where a column begins and how wide it is; few columns stay slim, in the middle of their share."""
    share = (WIDTH - LEFT) / max(1, count)
    width = min(MAX_COLUMN, share * (1 - GAP))
    return round(LEFT + share * number + (share - width) / 2, 2), round(width, 2)


def _y(value: float | None, highest: float) -> float:
    if not value or highest <= 0:
        return BOTTOM
    return round(BOTTOM - (BOTTOM - TOP) * min(1.0, value / highest), 2)


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, … that is at least as much; 0 stays."""
    if value <= 0:
        return 0.0
    step = 1.0
    while True:
        for factor in (1, 2, 5):
            if step * factor >= value:
                return step * factor
        step *= 10


def _short(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size * 10 or (value >= size and value % size == 0):
            return f"{value / size:,.0f}{letter}"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _written(value: float, unit: str) -> str:
    if unit == "%":
        return f"{value * 100:.0f} %"
    number = f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
    return f"{number} {unit}"


def _mark(value: float, unit: str) -> str:
    """The number of a line: the title says its unit."""
    return f"{value * 100:.0f}%" if unit == "%" else _short(value)
