"""Where the nodes of a graph are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.memories.graph.model import Edge, Node

WIDTH, HEIGHT, MARGIN = 900, 520, 60
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
    at = {node_id: _on_canvas(x, y) for node_id, (x, y) in placed.items()}
    colours = {kind: index % 6 + 1 for index, kind in enumerate(sorted({n.kind for n in drawn}))}
    return Drawing(
        spots=[Spot(node, *at[node.id], colours[node.kind], node is centre) for node in drawn],
        lines=[Line(edge.relation, *at[edge.from_id], *at[edge.to_id]) for edge in kept],
        left_out=len(nodes) - (len(drawn) - 1),
    )


def _on_canvas(x: float, y: float) -> tuple[float, float]:
    """From the square of the layout, -1 to 1, to the canvas."""
    half_width, half_height = WIDTH / 2 - MARGIN, HEIGHT / 2 - MARGIN
    return round(WIDTH / 2 + float(x) * half_width, 1), round(
        HEIGHT / 2 + float(y) * half_height, 1
    )
