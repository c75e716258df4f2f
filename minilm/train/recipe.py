"""The numbers of a training, in one value that goes into the report."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """What decides a training besides its data: together they give nearly the same file again."""

    seed: int = 14
    steps: int = 400
    questions: int = 32  # in a step
    passages: int = 16  # for each question: one right, the others hard negatives
    pool: int = 100  # hard negatives of a question to choose from
    rate: float = 6e-4
    warmup: float = 0.1  # share of the steps
    rank: int = 32
    dropout: float = 0.0  # of what goes into a low-rank change
    memchat_weight: int = 2  # how often memchat's questions come up, against the others' once
    facts: bool = True  # gold facts of memchat are queries too
    names: bool = True  # close reading gets the query with the speakers' names
    pooled_weight: float = 0.5  # of the contrastive loss on whole texts
    signs: float = 0.0  # share of the token loss that is computed on signs, as they are stored
    average: float = (
        0.0  # decay of a moving average of the weights that is exported; 0: the last ones
    )
    query_tokens: int = 62
    passage_tokens: int = 160
    before_tokens: int = 24
