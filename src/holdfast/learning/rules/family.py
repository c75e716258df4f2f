"""What a rule is: a pattern as data, with the examples that test it beside it.

Two sorts. A slot rule finds one value ("I live in Porto" → lives_in = Porto) and writes its own sentence. A shape rule tells only
what kind a statement is (a plan, an event …); the statement itself becomes the text, where its worth is high enough.
Patterns are RE2 over one folded sentence.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from holdfast.learning.model import Change, Kind, Target
from holdfast.learning.rules.text import Sentence, compile_rule, group_span


@dataclass(frozen=True)
class SlotRule:
    """A pattern with a named group `value` (or `value2`, `value3`, in other branches, as `owner2` for `owner`); other groups may be used by `attribute`, `text` and `subject`."""

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
    lists: bool = False
    """Every member of a list fills a slot of its own: "nuts and shellfish"."""
    small: bool = False
    """Reads a name in a message without capitals; the value is given them."""
    rest: bool = False
    """Reads only what no rule before it has read."""
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
    alone: bool = False
    """Plain only where the user talks with an assistant alone: among several people, remarks about oneself are mostly talk."""
    unless: str = ""
    """A pattern of what looks the same and is not meant: "I run the tests"."""
    examples: tuple[str, ...] = ()
    not_examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class SlotMatch:
    """A slot rule that matched: its groups in the user's own spelling."""

    rule: SlotRule
    groups: dict[str, str] = field(hash=False)
    start: int
    end: int
    value_end: int

    @property
    def value(self) -> str:
        """What the slot holds now."""
        return self.groups["value"]


VALUES = ("value", "value2", "value3")
"""The groups that hold a value, each in a branch of its own."""
_ITEM = r"[a-z][a-z'-]*(?: [a-z][a-z'-]*){0,2}?"


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    return compile_rule(pattern)


_MORE: Any = compile_rule(
    rf"^(?P<items>(?:, {_ITEM}){{0,6}}?),? (?:and|or|&) (?P<last>{_ITEM})(?:\s*(?:[.;:!?,()]|$|[^\x00-\x7f])|\s+(?:but|because|since|so|when|if|as|too|though|although|by the way|btw|please)\b)"
)
_NO_ITEM: Any = compile_rule(
    r"^(?:i|i'm|im|i've|my|we|he|she|they|it|it's|you|your|so|then|also|not|was|is|am|are|were|have|has|had|would|will|can|don't|dont|never|always|thanks|thank|sorry|please|especially|mostly"
    r"|want|need|think|know|hope|wish|try|make|do|get|go|see|that|this|there|what|how|why|when|stuff|things|everything|more|others?|all|just|now|never|hate|love|like)\b"
)


def match_slots(rule: SlotRule, sentence: Sentence) -> Iterator[SlotMatch]:
    """Every place in a sentence where a rule finds a value, and the members of a list behind it."""
    for match in _compiled(rule.pattern).finditer(sentence.folded):
        found = _slot_match(rule, sentence, match)
        if found is None:
            continue
        yield found
        if rule.lists:
            yield from _listed(found, sentence)


def match_slot(rule: SlotRule, sentence: Sentence) -> SlotMatch | None:
    """The first of them."""
    return next(match_slots(rule, sentence), None)


def _listed(first: SlotMatch, sentence: Sentence) -> Iterator[SlotMatch]:
    """ "I like running, cycling and swimming": what stands behind the first value, where it is a list to its end."""
    rest = sentence.folded[first.value_end :]
    more = _MORE.search(rest)
    if more is None:
        return
    spans = [span for span in (group_span(more, "items"), group_span(more, "last")) if span]
    items = [
        (first.value_end + start + offset, item)
        for start, end in spans
        for offset, item in _split(rest[start:end])
    ]
    if any(_NO_ITEM.search(item) for _, item in items):
        return
    for start, item in items:
        end = start + len(item)
        value = sentence.original[start:end]
        yield replace(first, groups=first.groups | {"value": value}, end=end, value_end=end)


def _split(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for piece in text.split(","):
        item = piece.strip()
        if item:
            yield at + piece.index(item), item
        at += len(piece) + 1


def _slot_match(rule: SlotRule, sentence: Sentence, match: Any) -> SlotMatch | None:
    spans = {name: group_span(match, name) for name in match.re.groupindex}
    groups = {
        name: sentence.original[span[0] : span[1]].strip(" '\"")
        for name, span in spans.items()
        if span
    }
    value = next((groups.pop(each) for each in VALUES if groups.get(each)), "")
    if not value:
        return None
    groups["value"] = value
    if "owner2" in groups:
        groups["owner"] = groups.pop("owner2")
    value_span = next((span for each in VALUES if (span := spans.get(each))), match.span())
    return SlotMatch(rule, groups, match.start(), match.end(), value_span[1])


def match_shape(rule: ShapeRule, sentence: Sentence) -> bool:
    """Whether a sentence has the shape."""
    if not _compiled(rule.pattern).search(sentence.folded):
        return False
    return not (rule.unless and _compiled(rule.unless).search(sentence.folded))
