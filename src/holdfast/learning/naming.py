"""Whether a statement names the slot of an earlier one, so that it may change it although it has no slot itself."""

from functools import lru_cache
from typing import Any

from holdfast.learning import roles
from holdfast.learning.model import Candidate, KnownFact
from holdfast.learning.rules.build import ASKED
from holdfast.learning.rules.text import compile_rule, fold, literal
from holdfast.learning.stems import figures, negates, stems

SAME_VALUE = 0.6
"""From this share of common words on, two values of a slot are one ("dark green", "a dark green")."""

NAMED_SLOTS = ("my:", "is:", "allergic_to:")
"""Attributes that carry a thing ("my:gym") or a property ("is:vegetarian") in their name: a statement without a slot can change them by naming it."""

_NAME: Any = compile_rule(r"\b(?-i:[A-Z])[A-Za-z-]{2,}")
_PRONOUN_FIRST: Any = compile_rule(r"^(?:no,? |yes,? )?(?:he|she|it|they)\b")


def quote_of(candidate: Candidate) -> str:
    """The words that a candidate rests on first."""
    return candidate.sources[0].quote if candidate.sources else ""


def alike(one: str, other: str) -> bool:
    """Whether two values of a slot are one."""
    first, second = stems(one), stems(other)
    if not first or not second:
        return fold(one).lower().strip() == fold(other).lower().strip()
    return len(first & second) / min(len(first), len(second)) >= SAME_VALUE


def names_slot(candidate: Candidate, fact: KnownFact) -> bool:
    """Whether a statement of change names a slot: the old value in a correction, or the thing or property that the slot is about."""
    if candidate.replaced_value is not None and alike(fact.value, candidate.replaced_value):
        return True
    said = fold(_with_question(candidate))
    if candidate.change is None and not _other_figures(said, fact.value):
        return False
    if any(_ended(name).search(said) for name in _NAME.findall(fold(fact.value))):
        return True
    if fact.subject == "user" and roles.is_role(fact.attribute):
        return roles.has_passed(fact.attribute, fact.value, said)
    if not fact.attribute.startswith(NAMED_SLOTS):
        return False
    kind, _, thing = fact.attribute.removesuffix(":place").partition(":")
    speaks_of = bool(roles.phrase(thing.replace("_", " ")).search(said))
    return speaks_of and (kind == "my" or negates(candidate.text) != negates(fact.text))


def _other_figures(said: str, value: str) -> bool:
    """Whether both hold figures and no figure of the earlier value is repeated."""
    new, old = figures(stems(said)), figures(stems(value))
    return bool(new and old and not new & old)


@lru_cache(maxsize=2_000)
def _ended(name: str) -> Any:
    """Finds that somebody or something of this name has gone, or was given up: "Wanda stepped down", "traded the Fiesta in"."""
    gone = r"(?:retired|died|passed away|left|quit|resigned|stepped down|moved out|closed|went bust|fell through|was (?:cut|full|sold)|is (?:gone|off)|handed (?:me|us|it|the))"
    gave = r"(?:left|dropped|ditched|cancell?ed|traded(?: in)?|swapped|sold|gave up(?: on)?|replaced|no longer (?:use|have|drive|see|with))"
    word = literal(name)
    return compile_rule(
        rf"\b{word}(?:'s| has| have)?(?: just| finally)? {gone}\b|\b{gave} (?:the |my |our )?(?:[a-z]+ )?{word}\b"
    )


def _with_question(candidate: Candidate) -> str:
    """The user's words; behind the question before them where they open with a pronoun or are a short answer."""
    said, question = quote_of(candidate), candidate.context.rstrip()
    needs = candidate.text.startswith(ASKED) or _PRONOUN_FIRST.search(fold(said))
    return f"{question} {said}" if needs and question.endswith("?") else said
