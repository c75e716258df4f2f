"""What full precision says: how large activations get, and whether 8 bits are near enough.

Nothing is installed that does not pass.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from holdfast_minilm.builder.graph import Peaks
from holdfast_minilm.embedder import MiniLM, Vectors, open_session, open_tokenizer

EXAMPLE = "This is an example sentence"
# The first components of its vector, as published for sentence-transformers/all-MiniLM-L6-v2.
PUBLISHED = (0.06765693, 0.06349593, 0.04871314, 0.07930495, 0.03744806, 0.00265273)
TOLERANCE = 1e-5
LEAST_MEAN, LEAST_COSINE = 0.998, 0.99
# A single token may be further off than a whole text.
LEAST_TOKEN_COSINE = 0.98

SENTENCES = Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8").splitlines()


class ModelWrong(RuntimeError):
    """The graph does not compute what the published model computes."""


@dataclass(frozen=True)
class Closeness:
    """Cosines between 8 bits and full precision over the check sentences."""

    mean: float
    least: float


def peaks(full: bytes, tokenizer: bytes) -> Peaks:
    """The largest activations that the sentences cause in the full-precision graph."""
    session, splitter = open_session(full, 1), open_tokenizer(tokenizer)
    names = [output.name for output in session.get_outputs() if output.name.endswith("peak")]
    highest = {name: np.zeros(MiniLM.dimensions, dtype=np.float32) for name in names}
    for sentence in SENTENCES:
        ids = np.array([splitter.encode(sentence).ids], dtype=np.int32)
        for name, peak in zip(names, session.run(names, {"ids": ids}), strict=True):
            np.maximum(highest[name], peak, out=highest[name])
    return highest


def near_published(graph: bytes, tokenizer: bytes) -> None:
    """Hold the published weights, as our graph in full precision, against the published vector."""
    start = MiniLM.from_bytes(graph, tokenizer).embed([EXAMPLE])[0, : len(PUBLISHED)]
    distance = float(np.abs(start - np.array(PUBLISHED)).max())
    if not distance <= TOLERANCE:
        raise ModelWrong(f"the graph is {distance:.5f} from the published vector, over {TOLERANCE}")


def compare(full: bytes, quantised: bytes, tokenizer: bytes) -> Closeness:
    """Hold 8 bits against full precision, for texts and for their tokens."""
    reference, ours = (
        MiniLM.from_bytes(graph, tokenizer).encode(SENTENCES) for graph in (full, quantised)
    )
    closeness = cosines(reference.vectors, ours.vectors)
    of_tokens = cosines(np.concatenate(reference.tokens), np.concatenate(ours.tokens))
    if closeness.mean < LEAST_MEAN or closeness.least < LEAST_COSINE:
        raise ModelWrong(f"8 bits are too far from full precision: {closeness}")
    if of_tokens.mean < LEAST_MEAN or of_tokens.least < LEAST_TOKEN_COSINE:
        raise ModelWrong(f"tokens in 8 bits are too far from full precision: {of_tokens}")
    return closeness


def cosines(one: Vectors, other: Vectors) -> Closeness:
    each = (one * other).sum(axis=1)
    return Closeness(mean=float(each.mean()), least=float(each.min()))
