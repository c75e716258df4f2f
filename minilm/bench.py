"""How quick, how large and how faithful the model is here: `python bench.py --help`."""

import argparse
import gzip
import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

import numpy as np

SENTENCES = Path(__file__).parent / "src/holdfast_minilm/builder/sentences.txt"
RECALL_DATA = Path(__file__).parents[2] / "shared" / "data" / "recall"


class Unit(TypedDict):
    id: str
    text: str


class Question(TypedDict):
    q: str
    gold: list[str]


class Space(TypedDict):
    units: list[Unit]
    questions: list[Question]


Embed = Callable[[list[str]], np.ndarray[tuple[int, int], np.dtype[np.float32]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7, help="the median of so many is printed")
    parser.add_argument(
        "--recall", action="store_true",
        help="R@10 by meaning alone, 8 bits against full precision (takes minutes)",
    )  # fmt: skip
    options = parser.parse_args()
    if options.recall:
        compare_recall(options.threads)
    else:
        measure_speed(options.threads, options.rounds)


def measure_speed(threads: int, rounds: int) -> None:
    import onnxruntime  # noqa: F401  # so that its own memory is not counted as the model's
    import tokenizers  # noqa: F401

    from holdfast_minilm import MiniLM
    from holdfast_minilm.files import MODEL_DIR, verify

    size = sum(file.stat().st_size for file in MODEL_DIR.iterdir())
    checking = _time(verify, rounds)
    before = _resident_mb()
    started = time.perf_counter()
    model = MiniLM(threads)
    loading = time.perf_counter() - started
    loaded = _resident_mb()
    texts = [
        text for text in SENTENCES.read_text().splitlines() if 14 <= len(model._tokens(text)) <= 26
    ]
    tokens = statistics.mean(len(model._tokens(text)) for text in texts)
    first = _time(lambda: model.embed(texts[:1]), 1)

    one = _time(lambda: [model.embed([text]) for text in texts], rounds) / len(texts)
    batch = (texts * 32)[: 32 * 8]
    many = _time(
        lambda: [model.embed(batch[at : at + 32]) for at in range(0, len(batch), 32)], rounds
    ) / len(batch)
    model.embed(["word " * 2_000] * 64)
    after = _resident_mb()

    print(f"size on disk        {size / 1e6:.1f} MB")
    print(f"verify sha256       {checking * 1e3:.0f} ms")
    print(f"load, all included  {loading * 1e3:.0f} ms")
    print(f"first call          {first * 1e3:.1f} ms")
    print(f"short texts         {len(texts)}, {tokens:.1f} tokens on average, {threads} thread(s)")
    print(f"one at a time       {1 / one:.0f} texts/s, {one * 1e3:.2f} ms each")
    print(f"batches of 32       {1 / many:.0f} texts/s")
    print(
        f"memory              {loaded - before:.0f} MB after load, {after - before:.0f} MB at last"
    )
    print(f"whole process       {after:.0f} MB")


def compare_recall(threads: int) -> None:
    from holdfast_minilm import MiniLM
    from holdfast_minilm.builder import delta, source
    from holdfast_minilm.builder.graph import encoder

    folder = Path(os.environ.get("HOLDFAST_BENCH_DATA", RECALL_DATA))
    weights, tokenizer = source.read(source.fetch())
    change = delta.read()
    merged = encoder(delta.merge(weights, change), delta.projection(change))
    full = MiniLM.from_bytes(merged, tokenizer, threads)
    ours = MiniLM(threads)
    for name in ("locomo-tune", "longmemeval-tune"):
        file = folder / f"{name}.json.gz"
        if not file.exists():
            raise SystemExit(f"{file.name} is missing: set HOLDFAST_BENCH_DATA to its folder")
        spaces: list[Space] = json.loads(gzip.decompress(file.read_bytes()))
        for label, model in (("full precision", full), ("8 bits", ours)):
            print(f"{name}: R@10 {recall_at_10(spaces, model.embed):.4f} in {label}", flush=True)


def recall_at_10(spaces: list[Space], embed: Embed) -> float:
    """The share of gold units among the ten nearest, averaged over all questions."""
    found = []
    for space in spaces:
        ids = [unit["id"] for unit in space["units"]]
        units = embed([unit["text"] for unit in space["units"]])
        asked = [question for question in space["questions"] if question["gold"]]
        nearest = np.argsort(-(embed([each["q"] for each in asked]) @ units.T), axis=1)[:, :10]
        for question, rows in zip(asked, nearest, strict=True):
            hits = {ids[row] for row in rows} & set(question["gold"])
            found.append(len(hits) / len(set(question["gold"])))
    return statistics.mean(found)


def _time(work: Callable[[], object], rounds: int) -> float:
    taken = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
