"""Where the nodes of a graph are drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from holdfast.memories.graph.model import Edge, Node

WIDTH, HEIGHT = 900, 520
TALL_WIDTH, TALL_HEIGHT = (
    460,
    620,
)  # for the width of a phone, where the letters of the other are too small
# Names stand below their nodes, and are wider than high.
MARGIN_ACROSS, MARGIN_DOWN, TALL_ACROSS = 110, 50, 80
# More are not drawn: nobody could read them.
MAX_DRAWN = 60


@dataclass(frozen=True, slots=True)
class Spot:
    """A node and where it is."""

    node: Node
    x: float
    y: float
    colour: int
    is_centre: bool


@dataclass(frozen=True, slots=True)
class Line:
    """An edge from one spot to another."""

    relation: str
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """A graph, laid out."""

    spots: list[Spot]
    lines: list[Line]
    left_out: int
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def turned(self) -> "Drawing":
        """The same on a canvas that is higher than wide: across becomes down."""

        def turn(x: float, y: float) -> tuple[float, float]:
            return (
                _moved(y, HEIGHT, MARGIN_DOWN, TALL_WIDTH, TALL_ACROSS),
                _moved(x, WIDTH, MARGIN_ACROSS, TALL_HEIGHT, MARGIN_DOWN),
            )

        return Drawing(
            [
                Spot(spot.node, *turn(spot.x, spot.y), spot.colour, spot.is_centre)
                for spot in self.spots
            ],
            [
                Line(line.relation, *turn(line.x1, line.y1), *turn(line.x2, line.y2))
                for line in self.lines
            ],
            self.left_out,
            TALL_WIDTH,
            TALL_HEIGHT,
        )

    @property
    def kinds(self) -> dict[str, int]:
        """The colours of the kinds of node."""
        return {spot.node.kind: spot.colour for spot in self.spots}


def lay_out(centre: Node, nodes: Sequence[Node], edges: Sequence[Edge]) -> Drawing:
    """The nodes around one, nearest first, so that edges are short and nodes lie apart. The same graph looks the same each time."""
    import networkx  # heavy to load, and only this page draws

    drawn = [centre, *nodes[: MAX_DRAWN - 1]]
    known = {node.id for node in drawn}
    kept = [edge for edge in edges if edge.from_id in known and edge.to_id in known]
    graph = networkx.Graph()
    graph.add_nodes_from(node.id for node in drawn)
    graph.add_edges_from((edge.from_id, edge.to_id) for edge in kept if edge.from_id != edge.to_id)
    placed = networkx.spring_layout(graph, seed=1, iterations=80, k=1.6 / len(drawn) ** 0.5)
    at = _on_canvas({node_id: (float(x), float(y)) for node_id, (x, y) in placed.items()})
    colours = {kind: index % 6 + 1 for index, kind in enumerate(sorted({n.kind for n in drawn}))}
    return Drawing(
        spots=[Spot(node, *at[node.id], colours[node.kind], node is centre) for node in drawn],
        lines=[Line(edge.relation, *at[edge.from_id], *at[edge.to_id]) for edge in kept],
        left_out=len(nodes) - (len(drawn) - 1),
    )


def _on_canvas(placed: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """The layout, stretched so that it fills the canvas in both directions."""
    across = _stretch([x for x, _ in placed.values()], WIDTH, MARGIN_ACROSS)
    down = _stretch([y for _, y in placed.values()], HEIGHT, MARGIN_DOWN)
    return {node_id: (across(x), down(y)) for node_id, (x, y) in placed.items()}


def _stretch(values: Sequence[float], length: int, margin: int) -> Callable[[float], float]:
    """From the lowest to the highest of these values onto a length; a single value goes to the middle."""
    low, high = min(values), max(values)
    if high - low < 1e-6:
        return lambda _: length / 2
    return lambda value: round(margin + (value - low) / (high - low) * (length - 2 * margin), 1)


def _moved(value: float, length: int, margin: int, to_length: int, to_margin: int) -> float:
    """A place between the margins of one length, at the same share of another."""
    share = (value - margin) / (length - 2 * margin)
    return round(to_margin + share * (to_length - 2 * to_margin), 1)
