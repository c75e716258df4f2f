"""How likely a message states something that lasts: a weighted sum over its cues and the vector of its words.

People tell an assistant things in passing and in plain words ("our band plays in Ghent on the 5th"), beside questions, tasks and
remarks ("the report has 14 pages"). No list of words tells the two apart; the memory model's vector does better. The weights stand in
lasting.json: a logistic regression over what `python -m bench.fit_lasting` reads, which writes that file anew. They are for
one model. With another embedder, or none, the cues alone decide (`worth`).
"""

import base64
import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from holdfast.learning.rules.text import Sentence
from holdfast.learning.rules.worth import features

Vector: TypeAlias = npt.NDArray[np.float32]
Vectors: TypeAlias = Mapping[str, Vector]

NO_VECTORS: Vectors = {}

FILE = Path(__file__).with_name("lasting.json")

MAX_CHARS = 1_000
"""Of what a message states, so much is weighed: more than the model reads."""
OPENING = 0.65
"""The least probability at which a message is kept that opens a conversation. Measured: see docs/learning.md."""
WITHIN = 0.96
"""The same within a conversation, where a remark is likelier."""
DOUBTFUL = 0.4
"""Below this, what opens a conversation is not kept for its cues."""
DOUBTFUL_WITHIN = 0.2
"""The same within a conversation."""
HARDLY = 0.1
"""Below this, plain statements are not kept either."""
BESIDE = ("question", "request")
"""Moods of other sentences of the message that count, besides those that `worth` looks at."""
BEFORE = "said something before"
"""The name of the sign that the message is within a conversation."""


class Weights(NamedTuple):
    """What the sum is made of."""

    model: str
    base: float
    cues: dict[str, float]
    vector: Vector


@cache
def weights() -> Weights:
    """Those of lasting.json: 8 bits for each number of the vector."""
    read = json.loads(FILE.read_text())
    numbers = np.frombuffer(base64.b64decode(read["vector"]), dtype=np.int8)
    return Weights(read["model"], read["base"], read["cues"], numbers * np.float32(read["step"]))


def words_of(statements: Iterable[Sentence]) -> str:
    """The words of statements whose vector is weighed."""
    return " ".join(each.original for each in statements)[:MAX_CHARS]


def signs(
    statements: Sequence[Sentence], *, beside: Collection[str], answers: bool, within: bool
) -> dict[str, float]:
    """What counts besides the vector, by name."""
    found = features(statements, beside=beside, answers=answers, follows_own=False)
    del found["follows own"]  # an assistant's answer is always between
    found |= {f"beside {mood}": float(mood in beside) for mood in BESIDE}
    return found | {BEFORE: float(within)}


def probability(found: Mapping[str, float], vector: Any) -> float:
    """How likely a message with these signs and this vector states something that lasts."""
    own = weights()
    total = own.base + sum(own.cues[name] * value for name, value in found.items() if value)
    return 0.5 + 0.5 * math.tanh((total + float(own.vector @ vector)) / 2)
