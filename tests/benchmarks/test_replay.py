"""The offline ranking of bench/replay.py is that of the service."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from bench import replay

from holdfast.kernel.recall.fusion import Asked, Weights, fuse
from holdfast.kernel.recall.model import Candidate

NOW = datetime(2026, 3, 1, tzinfo=UTC)
UNITS = 40


@dataclass
class _Encoded:
    vectors: Any
    tokens: Any


class _RandomModel:
    """Vectors that depend on the text alone."""

    def encode(self, texts, before=()):
        drawn = [np.random.default_rng([*text.encode()]) for text in texts]
        vectors = np.array([each.normal(0.1, 1, 24) for each in drawn])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return _Encoded(vectors, [each.normal(size=(7, 64)) for each in drawn])


def _features(seed: int) -> dict[str, Any]:
    chance = np.random.default_rng(seed)
    units = [
        {"id": f"u{n}", "session": f"s{n // 8}", "speaker": ["Ana", "user", "Bo"][n % 3]}
        for n in range(UNITS)
    ]
    worded = chance.choice(UNITS, 12, replace=False)
    question = {
        "q": "q", "query": f"what {seed}", "names": ["ana"], "gold": ["u1"], "category": "c", "fits": None,
        "lexical": [[int(n), 0, float(chance.uniform(1, 30)), 0] for n in worded],
    }  # fmt: skip
    passages = [{"unit": n, "text": f"{seed} said {n}", "before": ""} for n in range(UNITS)]
    return {"name": "x", "units": units, "passages": passages, "questions": [question]}


def _as_the_service(raw: dict[str, Any], space: replay.Space, model: _RandomModel) -> list[int]:
    [question] = raw["questions"]
    lexical = {unit: score for unit, _, score, _ in question["lexical"]}
    [asked] = model.encode([question["query"]]).tokens
    tokens = model.encode([each["text"] for each in raw["passages"]]).tokens
    candidates = [
        Candidate(
            kind="memory", object_id=str(n), starts=0, ends=1, session_id=unit["session"],
            actor=unit["speaker"], at=NOW, updated_s=NOW.timestamp(), importance=5, pinned=False, lexical=lexical.get(n, 0.0),
            rank=0.0, similarity=float(space.similarity[0, n]), terms=[], whole=True, embedded=True,
            tokens=np.packbits(tokens[n] > 0, axis=1).tobytes(), scope_size=float(UNITS),
        )
        for n, unit in enumerate(raw["units"])
    ]  # fmt: skip
    query = np.packbits(asked > 0, axis=1).tobytes()
    found = fuse(
        candidates, Asked("hybrid", NOW, names=frozenset({"ana"}), tokens=query), Weights()
    )
    return [int(hit.object_id) for hit in found.hits]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_is_that_of_the_service(seed: int):
    model, raw = _RandomModel(), _features(seed)
    space = replay.compare(model, raw)
    ours = replay.Ranker(space).order(0, replay.WEIGHTS)
    assert len(ours) > 10
    assert ours == _as_the_service(raw, space, model)


def test_its_weights_are_those_of_the_service():
    service = Weights()
    known = {name: value for name, value in replay.WEIGHTS.items() if hasattr(service, name)}
    assert set(replay.WEIGHTS) - set(known) == {"neighbour", "question"}
    assert all(getattr(service, name) == value for name, value in known.items())
