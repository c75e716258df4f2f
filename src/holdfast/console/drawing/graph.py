"""Where the nodes of a graph are drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from holdfast.memories.graph.model import Edge, Node

WIDTH, HEIGHT = 900, 520
# Names stand below their nodes, and are wider than high.
MARGIN_ACROSS, MARGIN_DOWN = 110, 50
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
