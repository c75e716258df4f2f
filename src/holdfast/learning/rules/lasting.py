"""How likely a message is worth keeping: what a model reads in it, together with the sum of its cues.

"Our band plays in Ghent on the 5th" lasts and "the report has 14 pages" does not; "105." does as the answer to "So how many
guests?". No list of words tells them apart. The judge of holdfast-minilm reads a message behind what was said before it and says how
likely a long-term memory would keep it. Where that model is missing, the cues alone decide (`worth`).
"""

import math
from collections.abc import Mapping
from typing import TypeAlias

from holdfast.learning.model import Said

Chances: TypeAlias = Mapping[Said, float]
"""What the model says of messages."""

NO_CHANCES: Chances = {}

CUES = 0.5
"""The weight of the cues beside the model, in log odds."""
KEEP = 0.98
"""The least probability at which a message is kept. Measured: see docs/learning.md."""
KEEP_DOUBTFUL = 0.995
"""The same beside a joke, a quotation, or what is only supposed: it may be a part of that."""
KEEP_CHANGE = 0.7
"""The same where it holds a word of change: a missed change leaves an earlier fact standing that is wrong now."""
KEEP_OPENING = 0.65
"""The same where it opens a conversation with an assistant alone: what comes first is seldom a remark."""
KEEP_IF_REPLACES = 0.2
"""The same for what is kept only if it replaces something."""
HARDLY = 0.1
"""Below this, plain statements are not kept either; slots and orders are."""

_SURE = 1e-6


def probability(worth: float, chance: float) -> float:
    """How likely a message is worth keeping that has this worth by its cues and this chance by the model."""
    return 0.5 + 0.5 * math.tanh((CUES * _log_odds(worth) + _log_odds(chance)) / 2)


def _log_odds(share: float) -> float:
    bounded = min(max(share, _SURE), 1 - _SURE)
    return math.log(bounded / (1 - bounded))
