"""What full precision says: how large activations get, and whether 8 bits are near enough.

Nothing is installed that does not pass.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from holdfast_minilm.builder.graph import Peaks
from holdfast_minilm.embedder import MiniLM, Vectors, open_session, open_tokenizer
from holdfast_minilm.judge import Judge, Layout, Pair, Said

EXAMPLE = "This is an example sentence"
# The first components of its vector, as published for sentence-transformers/all-MiniLM-L6-v2.
PUBLISHED = (0.06765693, 0.06349593, 0.04871314, 0.07930495, 0.03744806, 0.00265273)
TOLERANCE = 1e-5
LEAST_MEAN, LEAST_COSINE = 0.998, 0.99
# A single token may be further off than a whole text.
LEAST_TOKEN_COSINE = 0.98
MOST_FURTHER, MOST_FURTHER_MEAN = 0.2, 0.02
"""How far a probability of the judge may be from that in full precision, at most and on average."""

SENTENCES = Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8").splitlines()


class ModelWrong(RuntimeError):
    """The graph does not compute what the published model computes."""


@dataclass(frozen=True)
class Closeness:
    """Cosines between 8 bits and full precision over the check sentences."""

    mean: float
    least: float


Given = Mapping[str, npt.NDArray[np.int32]]
"""The inputs of a run."""


def peaks(full: bytes, runs: Iterable[Given]) -> Peaks:
    """The largest activations that these runs cause in a full-precision graph."""
    session = open_session(full, 1)
    names = [output.name for output in session.get_outputs() if output.name.endswith("peak")]
    highest = {name: np.zeros(MiniLM.dimensions, dtype=np.float32) for name in names}
    for given in runs:
        for name, peak in zip(names, session.run(names, given), strict=True):
            np.maximum(highest[name], peak, out=highest[name])
    return highest


def texts(tokenizer: bytes) -> Iterable[Given]:
    """The sentences, one by one."""
    splitter = open_tokenizer(tokenizer)
    for sentence in SENTENCES:
        yield {"ids": np.array([splitter.encode(sentence).ids], dtype=np.int32)}


def pairs() -> list[Pair]:
    """Each sentence with the one before it; every other one as a reply to that."""
    return [
        Pair(now, earlier if number % 2 else "", earlier)
        for number, (earlier, now) in enumerate(pairwise(SENTENCES))
    ]


def laid_out(tokenizer: bytes) -> Iterable[Given]:
    """The pairs, one by one."""
    layout = Layout(tokenizer)
    for pair in pairs():
        ids, kinds = layout.of(*pair)
        yield {"ids": np.array([ids], np.int32), "kinds": np.array([kinds], np.int32)}


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


def compare_judges(full: bytes, quantised: bytes, tokenizer: bytes) -> float:
    """Hold the judge in 8 bits against full precision; gives the largest difference."""
    reference, ours = (_judged(Judge.from_bytes(graph, tokenizer)) for graph in (full, quantised))
    apart = np.abs(reference - ours)
    furthest = float(apart.max())
    if furthest > MOST_FURTHER or float(apart.mean()) > MOST_FURTHER_MEAN:
        raise ModelWrong(
            f"the judge in 8 bits is too far from full precision: {furthest:.3f} at worst,"
            f" {apart.mean():.3f} on average"
        )
    return furthest


def _judged(judge: Judge) -> npt.NDArray[np.float64]:
    """All probabilities that it gives for the pairs and for their statements."""
    verdicts = [number for verdict in judge.compare(pairs()) for number in verdict]
    return np.array(verdicts + judge.worth([Said(pair.now, pair.before) for pair in pairs()]))


def cosines(one: Vectors, other: Vectors) -> Closeness:
    each = (one * other).sum(axis=1)
    return Closeness(mean=float(each.mean()), least=float(each.min()))
