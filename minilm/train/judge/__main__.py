"""`python -m train.judge --help`, in the folder `minilm`."""

import argparse
import json
import sys
import time
from dataclasses import asdict, fields, replace
from pathlib import Path

from holdfast_minilm.builder import delta as committed
from holdfast_minilm.builder import source
from holdfast_minilm.builder.graph import judge as graph_of
from holdfast_minilm.judge import Judge
from train.data import DataError, digest
from train.judge.evaluate import measure
from train.judge.histories import read_histories
from train.judge.recipe import Recipe
from train.report import mean, versions, write

MEMCHAT = Path(__file__).parents[3] / "data" / "memchat"
FILES = (
    "threads/*.txt",
    "episodes/*.json",
    "spaces/*.json",
    "plain/pairs.json",
    "changes.json",
    "pairs.json",
)


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    """The command line; every number of the recipe is an option."""
    parser = argparse.ArgumentParser(
        prog="python -m train.judge",
        description="Train the change that makes the model compare statements.",
    )
    parser.add_argument("--out", type=Path, default=Path("trained"), help="folder for the result")
    parser.add_argument("--memchat", type=Path, default=MEMCHAT, help="folder data/memchat")
    parser.add_argument("--device", help="cuda or cpu; cuda where there is one")
    parser.add_argument(
        "--limit", type=int, help="train on so many histories and measure on as many: a trial"
    )
    for each in fields(Recipe):
        parser.add_argument(
            f"--{each.name.replace('_', '-')}", type=type(each.default), default=each.default
        )
    return parser.parse_args(given)


def main() -> int:
    """Train, measure on what is set aside, and write the delta and its report."""
    options = arguments()
    try:
        histories, aside = read_histories(options.memchat)
        weights, tokenizer = source.read(source.fetch())
    except (DataError, source.SourceUnavailable) as error:
        print(f"train: {error}", file=sys.stderr)
        return 1
    try:
        import torch
    except ImportError:
        print("train: torch is missing: pip install -e 'minilm[train]'", file=sys.stderr)
        return 1
    from train.judge.model import JudgeModel
    from train.judge.training import CachedLayout, train

    recipe = replace(
        Recipe(), **{each.name: getattr(options, each.name) for each in fields(Recipe)}
    )
    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    histories, aside = histories[: options.limit], aside[: options.limit]
    started = time.perf_counter()
    model = JudgeModel(weights, rank=recipe.rank, seed=recipe.seed, device=device)
    losses = train(
        model, CachedLayout(tokenizer), histories, recipe, lambda line: print(line, flush=True)
    )
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / committed.JUDGE_FILE.name
    model.save(file)
    seconds = round(time.perf_counter() - started)
    change = committed.read(file)
    graph = graph_of(committed.merge(weights, change), committed.heads(change))
    figures = measure(Judge.from_bytes(graph, tokenizer), aside)
    files = sorted(each for pattern in FILES for each in options.memchat.glob(pattern))
    report = {
        "delta": file.name, "sha256": digest([file]), "recipe": asdict(recipe),
        "data": {
            "files": len(files), "sha256_of_sha256s": digest(files),
            "histories": len(histories), "set_aside": len(aside),
        },
        "loss": {"first_50": mean(losses[:50]), "last_50": mean(losses[-50:])},
        "figures": figures, "versions": versions(), "device": device, "seconds": seconds,
    }  # fmt: skip
    write(report, options.out / "judge-report.json")
    print(json.dumps(figures, indent=1))
    print(f"wrote {file} and judge-report.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
