"""`python -m train --help`, in the folder `minilm`."""

import argparse
import sys
import time
from dataclasses import fields, replace
from pathlib import Path

from holdfast_minilm.builder import delta as committed
from holdfast_minilm.builder import source
from train.data import DataError, Space, held_out, read_friendsqa, read_memchat, read_qmsum
from train.evaluate import Figures, measure
from train.recipe import Recipe
from train.report import describe, write

MEMCHAT = Path(__file__).parents[2] / "data" / "memchat"


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    """The command line; every number of the recipe is an option."""
    parser = argparse.ArgumentParser(
        prog="python -m train",
        description="Train the change that makes the model read conversations.",
    )
    parser.add_argument("--out", type=Path, default=Path("trained"), help="folder for the result")
    parser.add_argument("--memchat", type=Path, default=MEMCHAT, help="folder data/memchat")
    parser.add_argument("--friendsqa", type=Path, nargs="+", default=[], help="files of FriendsQA")
    parser.add_argument("--qmsum", type=Path, help="folder data/ALL/train of QMSum")
    parser.add_argument(
        "--hold-out", type=int, default=4, metavar="N",
        help="measure on every Nth space of each kind of memchat; 0 trains on all",
    )  # fmt: skip
    parser.add_argument("--device", help="cuda or cpu; cuda where there is one")
    for each in fields(Recipe):
        name = f"--{each.name.replace('_', '-')}"
        if isinstance(each.default, bool):
            parser.add_argument(name, action=argparse.BooleanOptionalAction, default=each.default)
        else:
            parser.add_argument(name, type=type(each.default), default=each.default)
    return parser.parse_args(given)


def recipe_of(options: argparse.Namespace) -> Recipe:
    """The recipe that the options ask for."""
    return replace(Recipe(), **{each.name: getattr(options, each.name) for each in fields(Recipe)})


def files_of(options: argparse.Namespace) -> dict[str, list[Path]]:
    """The data files by the name of their set, in the order in which they are read."""
    found = {"memchat": sorted((options.memchat / "spaces").glob("*.json"))}
    if options.friendsqa:
        found["friendsqa"] = list(options.friendsqa)
    if options.qmsum:
        found["qmsum"] = sorted(options.qmsum.glob("*.json"))
    return found


def spaces_of(options: argparse.Namespace) -> tuple[list[Space], list[Space]]:
    """What to train on, and what to measure on."""
    train, held = held_out(read_memchat(options.memchat), options.hold_out)
    if options.friendsqa:
        train += read_friendsqa(options.friendsqa)
    if options.qmsum:
        train += read_qmsum(options.qmsum)
    return train, held


def main() -> int:
    """Train, measure, and write the delta and its report."""
    options = arguments()
    try:
        spaces, held = spaces_of(options)
        weights, tokenizer = source.read(source.fetch())
    except (DataError, source.SourceUnavailable) as error:
        print(f"train: {error}", file=sys.stderr)
        return 1
    try:
        import torch
    except ImportError:
        print("train: torch is missing: pip install -e 'minilm[train]'", file=sys.stderr)
        return 1
    from train.model import Encoder
    from train.training import train

    recipe = recipe_of(options)
    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    started = time.perf_counter()
    encoder = Encoder(weights, tokenizer, rank=recipe.rank, seed=recipe.seed, device=device)
    figures: dict[str, Figures] = {}
    if held:
        figures["published model"] = measure(encoder, held)
        other = Encoder(weights, tokenizer, rank=recipe.rank, seed=0, device=device)
        # It has seen the held-out spaces: its figures there are what training on them gives.
        figures["committed delta"] = measure(other.load(committed.FILE), held)
    losses = train(encoder, spaces, recipe, lambda line: print(line, flush=True))
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / committed.FILE.name
    encoder.save(file)
    if held:
        figures["this delta"] = measure(encoder.load(file), held)
    report = describe(
        delta=file, recipe=recipe, data=files_of(options), train=spaces, held=held, losses=losses,
        figures=figures, device=_name(device), seconds=time.perf_counter() - started,
    )  # fmt: skip
    write(report, options.out / "report.json")
    for name, each in figures.items():
        print(f"{name}: {each['all']}")
    print(f"wrote {file} and report.json")
    return 0


def _name(device: str) -> str:
    import torch

    return str(torch.cuda.get_device_name()) if device.startswith("cuda") else "CPU"


if __name__ == "__main__":
    sys.exit(main())
