"""The loop: histories in, a changed model out."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch.nn import functional

from holdfast_minilm.judge import Layout
from train.judge.histories import History, Statement
from train.judge.model import JudgeModel, Row
from train.judge.recipe import Recipe
from train.model import Tensor

REPLACES, REPEATS, NEITHER = range(3)
WEIGHT_DECAY = 0.01
LARGEST_GRADIENT = 1.0
CHUNK = 400
"""So many examples are sorted by length at a time, so that those of a step are about as long."""

Progress = Callable[[str], None]


class CachedLayout(Layout):
    """Splits each text into tokens once."""

    def __init__(self, tokenizer: bytes) -> None:
        super().__init__(tokenizer)
        self._known: dict[str, list[int]] = {}

    def tokens(self, text: str) -> list[int]:
        """The ids of a text."""
        if text not in self._known:
            self._known[text] = super().tokens(text)
        return self._known[text]


class Example(NamedTuple):
    """A statement alone, and beside others, with what it does to each."""

    alone: Row
    is_kept: bool
    beside: list[Row]
    outcomes: list[int]


def train(
    model: JudgeModel, layout: Layout, histories: Sequence[History], recipe: Recipe, say: Progress
) -> list[float]:
    """Change the model; gives the loss of every step."""
    torch.manual_seed(recipe.seed)
    chance = random.Random(recipe.seed)
    first = list(examples(histories, layout, recipe, random.Random(recipe.seed)))
    per_epoch = sum(1 for _ in _steps(first, recipe, random.Random(recipe.seed)))
    total = recipe.epochs * per_epoch
    say(f"{len(first)} statements of {len(histories)} histories, about {total} steps")
    optimiser = torch.optim.AdamW(
        list(model.change.values()), lr=recipe.rate, weight_decay=WEIGHT_DECAY
    )
    warm = max(1, round(recipe.warmup * total))
    losses: list[float] = []
    started = time.perf_counter()
    model.dropout = model.dropout_of_layers = recipe.dropout
    for _ in range(recipe.epochs):
        drawn = list(examples(histories, layout, recipe, chance))
        for step in _steps(drawn, recipe, chance):
            share = min((len(losses) + 1) / warm, max(0.0, 1 - len(losses) / total))
            for group in optimiser.param_groups:
                group["lr"] = recipe.rate * share
            optimiser.zero_grad()
            lost = step_loss(model, step, recipe)
            lost.backward()
            torch.nn.utils.clip_grad_norm_(list(model.change.values()), LARGEST_GRADIENT)
            optimiser.step()
            losses.append(lost.detach())
            if len(losses) % 200 == 0:
                mean = float(torch.stack(losses[-200:]).mean())
                say(f"step {len(losses)}: loss {mean:.3f}, {time.perf_counter() - started:.0f} s")
    model.dropout = model.dropout_of_layers = 0.0
    return [float(each) for each in losses]


def examples(
    histories: Sequence[History], layout: Layout, recipe: Recipe, chance: random.Random
) -> Iterator[Example]:
    """Every statement that is asked about, with a new draw of what it is compared with."""
    pool = [each for history in histories for each in history.statements if each.is_kept]
    for history in histories:
        for place, now in enumerate(history.statements):
            if now.is_asked:
                yield _example(history, place, pool, layout, recipe, chance)


def _example(
    history: History, place: int, pool: Sequence[Statement], layout: Layout, recipe: Recipe,
    chance: random.Random,
) -> Example:  # fmt: skip
    now = history.statements[place]
    held = history.held_before(place)
    concerned = [at for at in held if at in now.replaces or at in now.repeats]
    others = [at for at in held if at not in concerned]
    if len(others) > recipe.most:
        others = chance.sample(others, recipe.most)
    outcomes = [REPLACES if at in now.replaces else REPEATS for at in concerned]
    outcomes += [NEITHER] * (len(others) + recipe.foreign)
    beside = [history.statements[at] for at in (*concerned, *others)]
    beside += chance.choices(pool, k=recipe.foreign)
    rows = [
        Row(*layout.of(now.text, now.before, _as_said(each, recipe, chance))) for each in beside
    ]
    return Example(Row(*layout.of(now.text, now.before, None)), now.is_kept, rows, outcomes)


def _as_said(earlier: Statement, recipe: Recipe, chance: random.Random) -> str:
    """The words of an earlier statement, of a reply sometimes behind what it replies to."""
    if earlier.before and chance.random() < recipe.read_behind:
        return f"{earlier.before} {earlier.text}"
    return earlier.text


def _steps(
    drawn: Sequence[Example], recipe: Recipe, chance: random.Random
) -> Iterator[list[Example]]:
    """Examples in steps of about as many tokens, whatever their lengths."""
    shuffled = chance.sample(list(drawn), len(drawn))
    for start in range(0, len(shuffled), CHUNK):
        chunk = sorted(shuffled[start : start + CHUNK], key=_longest)
        steps: list[list[Example]] = []
        rows = longest = 0
        for each in chunk:
            length = max(longest, _longest(each))
            if not steps or length * (rows + len(each.beside) + 1) > recipe.tokens:
                steps.append([])
                rows, length = 0, _longest(each)
            steps[-1].append(each)
            rows, longest = rows + len(each.beside) + 1, length
        yield from chance.sample(steps, len(steps))


def _longest(example: Example) -> int:
    return max(len(each.ids) for each in (example.alone, *example.beside))


def step_loss(model: JudgeModel, step: Sequence[Example], recipe: Recipe) -> Tensor:
    """The loss of one step, in bfloat16 where it does not need more."""
    beside = [row for each in step for row in each.beside]
    with torch.autocast(model.device.split(":")[0], dtype=torch.bfloat16):
        scores, keep = model.run([*beside, *(each.alone for each in step)])
    scores, keep = scores[: len(beside)], keep[len(beside) :]
    kept = torch.tensor([float(each.is_kept) for each in step], device=model.device)
    lost = recipe.keep_weight * functional.binary_cross_entropy_with_logits(keep, kept)
    outcomes = torch.tensor([y for each in step for y in each.outcomes], device=model.device)
    of = torch.tensor([n for n, each in enumerate(step) for _ in each.beside], device=model.device)
    pairs = functional.cross_entropy(scores, outcomes, reduction="sum") / len(step)
    return lost + 0.5 * pairs + recipe.choice_weight * _choice_loss(scores, outcomes, of, len(step))


def _choice_loss(scores: Tensor, outcomes: Tensor, of: Tensor, statements: int) -> Tensor:
    """Of choosing one that the statement replaces, or none, among what it is compared with."""
    odds = scores[:, REPLACES] - torch.logsumexp(scores[:, REPEATS:], 1)
    none = torch.zeros(statements, device=odds.device)
    highest = none.scatter_reduce(0, of, odds.detach(), "amax", include_self=True)
    each = torch.exp(odds - highest[of])
    every = torch.exp(-highest).scatter_add(0, of, each)
    right = none.scatter_add(0, of, each * (outcomes == REPLACES))
    replaces_any = none.scatter_add(0, of, (outcomes == REPLACES).float()) > 0
    chosen = torch.where(replaces_any, torch.log(right + 1e-9), -highest)
    return (torch.log(every) - chosen).mean()
