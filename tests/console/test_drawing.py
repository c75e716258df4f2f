"""What is drawn: differences, bars, plots and the graph, as numbers."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from holdfast.console.drawing import bars, plots
from holdfast.console.drawing.diffs import MAX_BYTES, changes, side_by_side
from holdfast.console.drawing.graph import HEIGHT, WIDTH, lay_out
from holdfast.kernel.ids import new_id
from holdfast.memories.graph.model import Edge, Node

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
lines = st.lists(st.sampled_from(["a", "b", "c", "", "a long line"]), max_size=12)


@given(lines, lines)
def test_both_sides_of_a_difference_are_whole(old, new):
    """Gaps aside, the rows hold every line of both texts, in order and with its number."""
    before, after = "\n".join(old), "\n".join(new)
    rows = side_by_side(before, after)
    if before == after:
        assert rows == []
        return
    left = {row.left_number: row.left for row in rows if row.left_number}
    right = {row.right_number: row.right for row in rows if row.right_number}
    texts = [before.split("\n") if before else [], after.split("\n") if after else []]
    if before.endswith("\n") and after.endswith("\n"):
        texts = [text[:-1] for text in texts]  # both end with a line end, which is no line
    for shown, text in zip((left, right), texts, strict=True):
        assert all(text[number - 1] == line for number, line in shown.items())
        hidden = sum(1 for row in rows if row.kind == "gap")
        assert hidden or len(shown) == len(text)


def test_unchanged_stretches_are_folded():
    old = [str(number) for number in range(100)]
    rows = side_by_side("\n".join(old), "\n".join([*old[:50], "new", *old[50:]]))
    assert [row.kind for row in rows] == ["gap", *["same"] * 3, "added", *["same"] * 3, "gap"]
    assert rows[0].left == "47 unchanged lines"


def test_long_differences_are_cut():
    rows = side_by_side("", "x" * (MAX_BYTES + 1))
    assert [row.kind for row in rows] == ["gap"]
    escaped = side_by_side("", "\n".join(["&" * 100] * 200))
    assert [row.kind for row in escaped][-1] == "gap"
    assert sum(row.html_bytes for row in escaped[:-1]) <= MAX_BYTES
    history = changes(["y" * MAX_BYTES, "z" * MAX_BYTES, "w"], 0, 3)
    assert sum(len(row.left or "") for rows in history for row in rows) < 3 * MAX_BYTES


def test_a_bar_is_as_long_as_its_parts_and_leaves_out_empty_ones():
    parts = bars.cut([("a", 1.0), ("b", 0.0), ("c", 3.0)], whole=8)
    assert [(part.name, part.start, part.length) for part in parts] == [
        ("a", 0, 12.5),
        ("c", 12.5, 37.5),
    ]
    assert bars.cut([]) == []
    full = bars.cut([("a", 5.0)], whole=2)
    assert full[0].length == 100  # more than fits fills the bar, and no more


def test_columns_stand_on_the_base_line_and_a_round_number_is_at_the_top():
    points = [(NOW + timedelta(days=day), [float(day)]) for day in range(5)]
    plot = plots.counted("Writes", "", points)
    assert (plot.total, plot.top, plot.half) == ("10", "5", "")
    assert plot.columns[0].height == 0
    assert plot.columns[0].pieces == ()
    assert plot.columns[4].y == round(plots.BOTTOM - (plots.BOTTOM - plots.TOP) * 0.8, 2)
    assert (plot.curve, plot.kinds) == ("", {})
    assert all(each.x >= 0 and each.x + each.width <= plots.WIDTH for each in plot.columns)


def test_the_parts_of_a_column_stand_on_each_other_and_only_those_there_are_named():
    points = [(NOW, [1.0, 0.0, 3.0]), (NOW + timedelta(days=1), [0.0, 0.0, 0.0])]
    plot = plots.counted("Recalls", "", points, ("a", "b", "c"))
    first, second = plot.columns[0].pieces
    assert (first.name, second.name) == ("a", "c")
    assert first.y + first.height == plots.BOTTOM
    assert second.y + second.height == first.y
    assert plot.kinds == {"a": 1, "c": 3}
    assert plot.columns[1].pieces == ()


@given(st.floats(min_value=0.001, max_value=1e11))
def test_the_top_of_a_plot_is_little_above_its_highest_value(value):
    plot = plots.counted("Writes", "", [(NOW, [value])])
    assert plots.TOP <= plot.columns[0].y <= plots.BOTTOM
    assert len(plot.top) <= 5


def test_a_curve_skips_moments_without_a_value():
    points = [(NOW, 0.5), (NOW + timedelta(days=1), None), (NOW + timedelta(days=2), 1.0)]
    plot = plots.measured("Hit rate", "%", points, top=1.0)
    assert (plot.total, len(plot.curve.split())) == ("100 %", 2)
    assert plot.area.split()[0].endswith(f",{plots.BOTTOM}")
    nothing = plots.measured("Latency", "ms", [(NOW, None)])
    assert (nothing.total, nothing.curve, nothing.area) == ("—", "", "")
    assert (nothing.first, nothing.last) == (NOW, NOW)


def node(name):
    return Node(id=new_id("node"), name=name, kind="entity", visibility="user", user_id="ana", project_id=None,
                aliases=[], summary=None, items=[], version=1, created_at=NOW, updated_at=NOW)  # fmt: skip


def edge(a, b):
    return Edge(id=new_id("edge"), from_id=a.id, to_id=b.id, relation="knows", weight=1.0, valid_from=None,
                valid_to=None, version=1, created_at=NOW, updated_at=NOW)  # fmt: skip


def test_a_graph_is_drawn_on_the_canvas_and_the_same_each_time():
    nodes = [node(str(number)) for number in range(80)]
    edges = [edge(nodes[0], other) for other in nodes[1:]]
    drawing = lay_out(nodes[0], nodes[1:], [*edges, edge(nodes[0], nodes[0])])
    assert len(drawing.spots) == 60
    assert drawing.left_out == 20
    assert all(0 <= spot.x <= WIDTH and 0 <= spot.y <= HEIGHT for spot in drawing.spots)
    assert lay_out(nodes[0], nodes[1:], [*edges, edge(nodes[0], nodes[0])]).spots == drawing.spots
    assert lay_out(nodes[0], [], []).spots[0].is_centre


def test_a_drawing_is_turned_for_a_narrow_screen():
    nodes = [node(str(number)) for number in range(12)]
    drawing = lay_out(nodes[0], nodes[1:], [edge(nodes[0], other) for other in nodes[1:]])
    turned = drawing.turned
    assert turned.height > turned.width
    for spot, moved in zip(drawing.spots, turned.spots, strict=True):
        assert moved.node is spot.node
        assert 0 <= moved.x <= turned.width
        assert 0 <= moved.y <= turned.height
    down = sorted(drawing.spots, key=lambda spot: spot.x)
    assert [spot.node for spot in down] == [
        spot.node for spot in sorted(turned.spots, key=lambda spot: spot.y)
    ]
    ends = {(line.x1, line.y1) for line in turned.lines}
    assert ends == {(turned.spots[0].x, turned.spots[0].y)}
