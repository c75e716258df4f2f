"""Plots over time: columns for what is counted, a curve for what is measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

WIDTH, HEIGHT = 320.0, 120.0
BOTTOM, TOP = 100.0, 8.0  # the base line, and the highest point


@dataclass(frozen=True, slots=True)
class Column:
    """One moment of a plot: where it is drawn, its value, and what it is called when it is pointed at."""

    at: datetime
    value: float | None
    x: float
    y: float
    width: float

    @property
    def height(self) -> float:
        """From the base line up."""
        return round(BOTTOM - self.y, 2)


@dataclass(frozen=True, slots=True)
class Plot:
    """A series, drawn: `total` is what stands beside its title, `top` is the value of the highest point."""

    title: str
    unit: str
    total: str
    top: str
    columns: list[Column]
    curve: str  # the points of a line, for what is measured; blank for what is counted
    first: datetime | None
    last: datetime | None


def counted(title: str, unit: str, points: Sequence[tuple[datetime, float]]) -> Plot:
    """Columns; the title tells their sum."""
    values = [value for _, value in points]
    top = max(values, default=0.0)
    return _plot(title, unit, points, f"{sum(values):,.0f}", f"{top:,.0f}", top, is_curve=False)


def measured(
    title: str,
    unit: str,
    points: Sequence[tuple[datetime, float | None]],
    *,
    top: float | None = None,
) -> Plot:
    """A curve through the moments that have a value; the title tells the newest."""
    known = [value for _, value in points if value is not None]
    highest = top or max(known, default=0.0)
    newest = known[-1] if known else None
    total = "—" if newest is None else _number(newest, unit)
    return _plot(title, unit, points, total, _number(highest, unit), highest, is_curve=True)


def _number(value: float, unit: str) -> str:
    return (
        f"{value * 100:.0f} %"
        if unit == "%"
        else f"{value:,.0f}"
        if value >= 10
        else f"{value:.1f}"
    )


def _plot(
    title: str,
    unit: str,
    points: Sequence[tuple[datetime, float | None]],
    total: str,
    top: str,
    highest: float,
    *,
    is_curve: bool,
) -> Plot:
    step = WIDTH / max(1, len(points))
    columns = [
        Column(at, value, round(step * i, 2), _height(value, highest), round(step * 0.8, 2))
        for i, (at, value) in enumerate(points)
    ]
    dots = [f"{c.x + c.width / 2:.1f},{c.y:.1f}" for c in columns if c.value is not None]
    return Plot(
        title=title,
        unit=unit,
        total=total,
        top=top,
        columns=columns,
        curve=" ".join(dots) if is_curve else "",
        first=points[0][0] if points else None,
        last=points[-1][0] if points else None,
    )


def _height(value: float | None, highest: float) -> float:
    if not value or highest <= 0:
        return BOTTOM
    return round(BOTTOM - (BOTTOM - TOP) * min(1.0, value / highest), 2)
