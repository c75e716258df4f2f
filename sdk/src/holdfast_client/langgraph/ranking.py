"""Search by an embedder of the program's own, as `index={"embed": …, "dims": …}` configures it.

Holdfast keeps the texts; the vectors are made at the first search that needs them and kept in this process.
"""

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import TypedDict

from langchain_core.embeddings import Embeddings
from langgraph.store.base import IndexConfig, ensure_embeddings

from holdfast_client.stores.model import StoreEntry

MOST_KEPT = 10_000
Vector = Sequence[float]


class Index(IndexConfig, total=False):
    """LangGraph's index configuration; `distance_type` as its Postgres store has it: cosine, inner_product or l2."""

    distance_type: str


class Texts(TypedDict):
    """The indexed texts of an entry, and the version that has them."""

    version: int
    texts: list[str]


@dataclass(frozen=True, slots=True)
class _Kept:
    version: int
    vectors: list[Vector]


class Ranking:
    """Scores of entries by one embedder. An entry is embedded once per version, the oldest of 10,000 are forgotten."""

    def __init__(self, index: Index) -> None:
        self._embeddings: Embeddings = ensure_embeddings(index["embed"])
        self._dims = index.get("dims")
        distance = index.get("distance_type", "cosine")
        if distance not in _SCORES:
            raise ValueError(f"distance_type must be one of {', '.join(_SCORES)}, not {distance!r}")
        self._score = _SCORES[distance]
        self._kept: dict[str, _Kept] = {}
        self._turn = threading.Lock()

    def unknown(self, rows: Sequence[StoreEntry]) -> list[StoreEntry]:
        """The entries that have no vectors here."""
        return [
            row
            for row in rows
            if row.id not in self._kept or self._kept[row.id].version != row.version
        ]

    def embed(self, query: str, texts: Mapping[str, Texts]) -> Vector:
        """Make the vectors of new entries, by id; the vector of the query."""
        documents = _flat(texts)
        vectors = self._embeddings.embed_documents(documents) if documents else []
        self._keep(texts, vectors)
        return self._checked(self._embeddings.embed_query(query))

    async def aembed(self, query: str, texts: Mapping[str, Texts]) -> Vector:
        """As `embed`, awaited."""
        documents = _flat(texts)
        vectors = await self._embeddings.aembed_documents(documents) if documents else []
        self._keep(texts, vectors)
        return self._checked(await self._embeddings.aembed_query(query))

    def scores(self, query: Vector, rows: Sequence[StoreEntry]) -> dict[str, float]:
        """The best score of each entry's texts, by id; entries without texts have none."""
        kept = {row.id: self._kept.get(row.id) for row in rows}
        return {
            name: max(self._score(query, vector) for vector in each.vectors)
            for name, each in kept.items()
            if each is not None and each.vectors
        }

    def _keep(self, texts: Mapping[str, Texts], vectors: Sequence[Vector]) -> None:
        left = iter(vectors)
        with self._turn:
            for name, each in texts.items():
                own = [self._checked(next(left)) for _ in each["texts"]]
                self._kept.pop(name, None)
                self._kept[name] = _Kept(each["version"], own)
            for name in list(self._kept)[: max(0, len(self._kept) - max(MOST_KEPT, len(texts)))]:
                del self._kept[name]

    def _checked(self, vector: Vector) -> Vector:
        if self._dims is not None and len(vector) != self._dims:
            raise ValueError(f"the embedder gives {len(vector)} numbers, dims says {self._dims}")
        return vector


def _flat(texts: Mapping[str, Texts]) -> list[str]:
    return [text for each in texts.values() for text in each["texts"]]


def _inner_product(a: Vector, b: Vector) -> float:
    return float(sum(map(mul, a, b)))


def _cosine(a: Vector, b: Vector) -> float:
    lengths = math.hypot(*a) * math.hypot(*b)
    return _inner_product(a, b) / lengths if lengths else 0.0


def _negative_distance(a: Vector, b: Vector) -> float:
    return -math.dist(a, b)


_SCORES: Mapping[str, Callable[[Vector, Vector], float]] = {
    "cosine": _cosine,
    "inner_product": _inner_product,
    "l2": _negative_distance,
}
