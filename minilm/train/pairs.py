"""Questions with right and wrong turns, drawn in a fixed order for a seed."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from train.data import Question, Space
from train.recipe import Recipe
from train.words import without_names


@dataclass(frozen=True)
class Example:
    """A question of one space; turns by their place in it."""

    space: int
    query: str  # without the speakers' names
    asked: str  # as it was asked
    right: tuple[int, ...]
    wrong: tuple[int, ...]  # hard negatives, hardest first


@dataclass(frozen=True)
class Drawn:
    """A question of one step: the first turn is right, the others are wrong."""

    example: Example
    turns: tuple[int, ...]


def example(
    space: Space, at: int, question: Question, ranked: Sequence[Sequence[int]], most: int
) -> Example:
    """An example whose wrong turns come from rankings in turn, without the evidence."""
    places = {turn.id: place for place, turn in enumerate(space.turns)}
    right = tuple(places[turn] for turn in question.evidence)
    wrong: dict[int, None] = {}
    for rank in range(max((len(each) for each in ranked), default=0)):
        for ranking in ranked:
            if rank < len(ranking) and ranking[rank] not in right:
                wrong[ranking[rank]] = None
    return Example(
        at, without_names(question.text, space), question.text, right, tuple(wrong)[:most]
    )


def steps(
    examples: Sequence[Example], repeats: Sequence[int], sizes: Sequence[int], recipe: Recipe
) -> Iterator[list[Drawn]]:
    """The questions of each step: all in random order, then all again, until the steps are done.

    `repeats` says how often each example comes up in a round, `sizes` how many turns a space has.
    """
    chance = random.Random(recipe.seed)
    round_ = [each for each, often in zip(examples, repeats, strict=True) for _ in range(often)]
    if not round_:
        raise ValueError("there are no questions to train on")
    waiting: list[Example] = []
    for _ in range(recipe.steps):
        while len(waiting) < recipe.questions:
            waiting += chance.sample(round_, len(round_))
        now, waiting = waiting[: recipe.questions], waiting[recipe.questions :]
        yield [draw(each, sizes[each.space], recipe.passages, chance) for each in now]


def draw(example: Example, size: int, passages: int, chance: random.Random) -> Drawn:
    """One right turn and wrong ones: hard ones, filled up with any others of the space."""
    wrong = chance.sample(example.wrong, min(passages - 1, len(example.wrong)))
    if len(wrong) < passages - 1:
        taken = {*wrong, *example.right}
        others = [place for place in range(size) if place not in taken]
        wrong += chance.sample(others, min(passages - 1 - len(wrong), len(others)))
    if not wrong:
        raise ValueError(f"the space of {example.asked!r} has no turn that is not evidence")
    while len(wrong) < passages - 1:  # a space of a few turns
        wrong.append(chance.choice(wrong))
    return Drawn(example, (chance.choice(example.right), *wrong))
