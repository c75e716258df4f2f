"""The numbers of a training of the judge, in one value that goes into the report."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """What decides a training besides its data."""

    seed: int = 1
    epochs: int = 7
    tokens: int = 24_000  # in a step
    rate: float = 5e-4
    warmup: float = 0.06  # share of the steps
    rank: int = 64
    dropout: float = 0.1  # in the layers and of what goes into a low-rank change
    most: int = 12  # statements of the same history that stand beside one, drawn anew in each epoch
    foreign: int = 6  # and statements of other histories
    read_behind: float = 0.3  # how often an earlier reply is read behind what it replies to
    choice_weight: float = 1.0  # of the loss of choosing the one that is replaced, or none
    keep_weight: float = 0.3  # of the loss of whether a statement is worth keeping at all
