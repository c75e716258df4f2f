"""What a rule is: a pattern as data, with the examples that test it beside it.

Two sorts. A slot rule finds one value ("I live in Porto" → lives_in = Porto) and writes its own sentence. A shape rule tells only
what kind a statement is (a plan, an event …); the statement itself becomes the text, where its worth is high enough.
Patterns are RE2 over one folded sentence.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from holdfast.learning.model import Change, Kind, Target
from holdfast.learning.rules.text import Sentence, compile_rule, group_span


@dataclass(frozen=True)
class SlotRule:
    """A pattern with a named group `value` (or `value2`, in another branch, as `owner2` for `owner`); other groups may be used by `attribute`, `text` and `subject`."""

    name: str
    kind: Kind
    pattern: str
    attribute: str
    text: str
    """A template: {who} is "Maya" or "The user", {whose} their possessive; and the pattern's groups."""
    confidence: float
    target: Target = "user_core"
    subject: str = "user"
    change: Change | None = None
    passing: bool = False
    """A mention rather than a statement ("my colleague Mirko asked"): counts only where the message is worth keeping."""
    related: tuple[str, str] | None = None
    """Templates of a node's relation and of the name at its other end."""
    examples: tuple[tuple[str, str], ...] = ()
    """A sentence and the value found in it."""
    not_examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class ShapeRule:
    """A pattern that tells the kind of a statement."""

    name: str
    kind: Kind
    pattern: str
    target: Target = "memory"
    standing: bool = False
    """Read before requests are set aside: "always give me grams" is an order, and to be kept."""
    plain: bool = False
    """Kept whatever the message is worth."""
    examples: tuple[str, ...] = ()
    not_examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class SlotMatch:
    """A slot rule that matched: its groups in the user's own spelling."""

    rule: SlotRule
    groups: dict[str, str] = field(hash=False)
    start: int
    end: int

    @property
    def value(self) -> str:
        """What the slot holds now."""
        return self.groups["value"]


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    return compile_rule(pattern)


def match_slot(rule: SlotRule, sentence: Sentence) -> SlotMatch | None:
    """The first place in a sentence where a rule finds its value."""
    match = _compiled(rule.pattern).search(sentence.folded)
    if match is None:
        return None
    spans = {name: group_span(match, name) for name in match.re.groupindex}
    groups = {
        name: sentence.original[span[0] : span[1]].strip(" '\"")
        for name, span in spans.items()
        if span
    }
    value = groups.get("value") or groups.pop("value2", "")
    if not value:
        return None
    groups["value"] = value
    if "owner2" in groups:
        groups["owner"] = groups.pop("owner2")
    return SlotMatch(rule, groups, match.start(), match.end())


def match_shape(rule: ShapeRule, sentence: Sentence) -> bool:
    """Whether a sentence has the shape."""
    return bool(_compiled(rule.pattern).search(sentence.folded))
