"""The loop: examples in, a changed model out."""

import time
from collections.abc import Callable, Sequence

import numpy as np
import torch

from train import loss
from train.data import Space
from train.model import Encoder, Output, Read, Tensor
from train.pairs import Drawn, Example, example, steps
from train.recipe import Recipe
from train.words import Bm25, before, without_names

Progress = Callable[[str], None]
WEIGHT_DECAY = 0.01
LARGEST_GRADIENT = 1.0


def examples_of(encoder: Encoder, spaces: Sequence[Space], recipe: Recipe) -> list[Example]:
    """All questions with their hard negatives: what words and the model at hand rank highest."""
    found: list[Example] = []
    for at, space in enumerate(spaces):
        questions = [each for each in space.questions if recipe.facts or each.category != "fact"]
        if not questions or len(space.turns) < 2:
            continue
        words = Bm25(space.turns)
        turns = encoder.encode(
            [f"{turn.speaker}: {turn.text}" for turn in space.turns],
            [before(space.turns, place) for place in range(len(space.turns))],
        ).vectors
        asked = encoder.encode([without_names(each.text, space) for each in questions]).vectors
        near = np.argsort(-(asked @ turns.T), axis=1, kind="stable")[:, : recipe.pool]
        found += [
            example(
                space, at, question, [words.best(question.text, recipe.pool), row.tolist()],
                recipe.pool,
            )
            for question, row in zip(questions, near, strict=True)
        ]  # fmt: skip
    return found


def train(encoder: Encoder, spaces: Sequence[Space], recipe: Recipe, say: Progress) -> list[float]:
    """Change the encoder; gives the loss of every step."""
    torch.manual_seed(recipe.seed)
    examples = examples_of(encoder, spaces, recipe)
    say(f"{len(examples)} questions of {len(spaces)} spaces")
    repeats = [
        recipe.memchat_weight if spaces[each.space].source == "memchat" else 1 for each in examples
    ]
    optimiser = torch.optim.AdamW(
        list(encoder.change.values()), lr=recipe.rate, weight_decay=WEIGHT_DECAY
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate_at(step, recipe))
    texts = _Texts(encoder, spaces, recipe)
    average = {name: value.detach().clone() for name, value in encoder.change.items()}
    losses: list[float] = []
    started = time.perf_counter()
    encoder.dropout = recipe.dropout
    drawn_steps = steps(examples, repeats, [len(each.turns) for each in spaces], recipe)
    for number, drawn in enumerate(drawn_steps, 1):
        optimiser.zero_grad()
        lost = step_loss(encoder, texts, drawn, recipe)
        lost.backward()
        torch.nn.utils.clip_grad_norm_(list(encoder.change.values()), LARGEST_GRADIENT)
        optimiser.step()
        schedule.step()
        _follow(average, encoder, recipe.average)
        losses.append(lost.detach())
        if number % 50 == 0 or number == recipe.steps:
            mean = float(torch.stack(losses[-50:]).mean())
            say(f"step {number}: loss {mean:.3f}, {time.perf_counter() - started:.0f} s")
    encoder.dropout = 0.0
    encoder.change = {name: value.requires_grad_(True) for name, value in average.items()}
    return [float(each) for each in losses]


def rate_at(step: int, recipe: Recipe) -> float:
    """The share of the learning rate: it rises from 0 while warming up, then falls to 0."""
    warm = max(round(recipe.warmup * recipe.steps), 1)
    if step < warm:
        return (step + 1) / warm
    return max(recipe.steps - step, 0) / max(recipe.steps - warm, 1)


def step_loss(encoder: Encoder, texts: "_Texts", drawn: Sequence[Drawn], recipe: Recipe) -> Tensor:
    """The loss of one step, in bfloat16 where it does not need more."""
    per_query = len(drawn[0].turns)
    turns_read = [texts.turn(each.example.space, place) for each in drawn for place in each.turns]
    queries_read = [texts.query(each.example.query) for each in drawn]
    with torch.autocast(encoder.device.split(":")[0], dtype=torch.bfloat16):
        turns = encoder.run(turns_read)
        queries = encoder.run(queries_read)
        asked = queries
        if recipe.names:
            asked = encoder.run([texts.query(each.example.asked) for each in drawn])
    by_tokens = _token_loss(encoder, asked, turns, per_query, recipe)
    pooled = loss.pooled_loss(
        queries, turns, per_query, _also_right(drawn).to(encoder.device),
        encoder.change["pooled_temperature"],
    )  # fmt: skip
    return by_tokens + recipe.pooled_weight * pooled


def _token_loss(
    encoder: Encoder, asked: Output, turns: Output, per_query: int, recipe: Recipe
) -> Tensor:
    total = torch.zeros((), device=encoder.device)
    for share, signs in ((1 - recipe.signs, False), (recipe.signs, True)):
        if share:
            scores = loss.close_scores(asked, turns, per_query, signs=signs)
            total = total + share * loss.token_loss(scores, encoder.change["temperature"])
    return total


def _also_right(drawn: Sequence[Drawn]) -> Tensor:
    """For each question, the turns of the whole step that are right too, besides its own."""
    columns = [(each.example.space, place) for each in drawn for place in each.turns]
    mask = torch.zeros((len(drawn), len(columns)), dtype=torch.bool)
    for row, each in enumerate(drawn):
        right = {(each.example.space, place) for place in each.example.right}
        for column, turn in enumerate(columns):
            mask[row, column] = turn in right and column != row * len(each.turns)
    return mask


def _follow(average: dict[str, Tensor], encoder: Encoder, decay: float) -> None:
    """Move the average towards the weights; without decay it is the weights."""
    with torch.no_grad():
        for name, value in encoder.change.items():
            average[name].lerp_(value, 1 - decay)


class _Texts:
    """Token ids of turns and queries, split once."""

    def __init__(self, encoder: Encoder, spaces: Sequence[Space], recipe: Recipe) -> None:
        self._encoder, self._spaces, self._recipe = encoder, spaces, recipe
        self._turns: dict[tuple[int, int], Read] = {}
        self._queries: dict[str, Read] = {}

    def turn(self, space: int, place: int) -> Read:
        if (space, place) not in self._turns:
            turns, recipe = self._spaces[space].turns, self._recipe
            self._turns[space, place] = self._encoder.reader.read(
                f"{turns[place].speaker}: {turns[place].text}", before(turns, place),
                recipe.passage_tokens, recipe.before_tokens,
            )  # fmt: skip
        return self._turns[space, place]

    def query(self, text: str) -> Read:
        if text not in self._queries:
            self._queries[text] = self._encoder.reader.read(text, "", self._recipe.query_tokens, 0)
        return self._queries[text]
