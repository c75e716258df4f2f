"""Whether a message could fill a slot: one pass over its text for all rules together, for callers that read thousands of rows."""

from collections.abc import Iterable
from typing import Any

import re2

from holdfast.learning.rules import poison
from holdfast.learning.rules.families import SLOTS
from holdfast.learning.rules.families.explicit import RULES as EXPLICIT
from holdfast.learning.rules.joined import parted
from holdfast.learning.rules.reading import MAX_CHARS
from holdfast.learning.rules.text import compile_rule, fold, sentences
from holdfast.learning.rules.wording import understood
from holdfast.learning.secrets import mask_secrets

_MEMORY_BYTES = 32 << 20
"""For the states of the automaton: RE2 makes them when a text needs them, and finds nothing where not even a few fit."""
_UP_TO: Any = compile_rule(r"\{(\d+),\d{3}\}\??")
"""How long the value of a request may be, at the end of its pattern: its least length is enough, and needs a hundredth of the states."""


def _any_of(patterns: Iterable[str]) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    options.max_mem = _MEMORY_BYTES
    found = re2.Set.SearchSet(options)
    for pattern in patterns:
        found.Add(pattern)
    found.Compile()
    return found


_SLOT: Any = _any_of(rule.pattern for rule in SLOTS)
_REQUEST: Any = _any_of(_UP_TO.sub(r"{\1}", rule.pattern) for rule in EXPLICIT)


def may_fill_slot(content: str) -> bool:
    """False where `extract` finds no candidate with an attribute in a user's message; True where it may."""
    masked = mask_secrets(content)[:MAX_CHARS]
    text = poison.blanked(masked, poison.pasted_spans(fold(masked)))
    parts = (part.sentence for each in sentences(text) for part in parted(each))
    return any(_SLOT.Match(understood(each).folded) for each in parts) or any(
        _REQUEST.Match(fold(line)) for line in text.split("\n")
    )
