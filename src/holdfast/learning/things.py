"""Whether two statements are about two things or two people, by what they name.

Closeness does not tell them apart ("the rent is 780", "the electricity is 65 since January"): they are as alike as a change and what it
replaces.
"""

from collections.abc import Mapping
from typing import Any

from holdfast.learning.model import Candidate, KnownFact
from holdfast.learning.rules.lexicon import KIN, PETS, word_list
from holdfast.learning.rules.text import compile_rule, fold
from holdfast.learning.stems import stems, topic

MANY_VALUED = (
    "likes:",
    "prefers:",
    "avoids:",
    "allergic_to:",
    "is:",
    "gave_up:",
    "speaks:",
    "nationality:",
)
"""Attributes that carry their value in their name: another value is another fact."""

_VERB: Any = compile_rule(
    r"\b(?:is|are|was|were|has|have|had|will|can|must|needs?|costs?|goes|lies|lives|sits|stands|stays|belongs|weighs|takes|opens|closes|starts|ends|leaves|departs|arrives|runs|expires|contains|holds|uses)\b"
)
_THING_FIRST: Any = compile_rule(r"^(?:and |but |so |also )?(?:the|our|my) ")
_NUMBERED: Any = compile_rule(r"\b([a-z]{2,})[\s#-]{0,2}(\d+)\b")
_CALLED_NUMBER: Any = compile_rule(r"\b(number) (\d+)\b")
_NO_LABEL = frozenset(
    word_list(
        "on at in by to from until till since for of about than and or over under around between after before every each the my our his her their your its"
        " only just all both these those with as january february march april may june july august september october november december"
    )
)
"""Words before a figure that make no name with it: "on 3 May", "the 5 boxes", but not "box 5"."""


_ONE: Any = compile_rule(rf"\b({KIN}|{PETS}|kids|children|brothers|sisters|twins)(s)?\b")
_OWNER: Any = compile_rule(rf"\b(?:{KIN}|{PETS})'s\b")
_ONE_OF_THEM: Mapping[str, str] = {
    **dict.fromkeys(word_list("wife husband spouse partner girlfriend boyfriend fiance fiancee ex"), "partner"),
    **dict.fromkeys(word_list("mother mom mum mam mama mamma mummy"), "mother"),
    **dict.fromkeys(word_list("father dad daddy papa"), "father"),
    **dict.fromkeys(word_list("grandma gran granny nan nana grandmother"), "grandmother"),
    **dict.fromkeys(word_list("grandpa grandad grandfather"), "grandfather"),
    **dict.fromkeys(word_list("brother bro"), "brother"),
    **dict.fromkeys(word_list("sister sis"), "sister"),
    **dict.fromkeys(word_list("puppy pup labrador lab terrier greyhound poodle collie spaniel"), "dog"),
    "kitten": "cat",
}  # fmt: skip
"""Words for one and the same: who is a girlfriend may be a wife later."""
_ANY_OF_THEM = frozenset(
    word_list(
        "child children kid kids baby twin twins parent parents grandparents grandchild grandkids"
    )
)
"""Words that may mean somebody for whom there is another word."""


def of_another_thing(candidate: Candidate, fact: KnownFact) -> bool:
    """Whether what two statements name says that they are about two things, or two of a family.

    Either the same thing under different numbers ("box 3 is …", "box 4 is …"), or each has a word there that the other has nowhere
    ("the code of the cabin is …", "the code of the office is …"). With a word of change, only where it is a thing that is named ("the
    rent is …", "the electricity is 65 now") and they share no word there: another person may have taken somebody's place.
    """
    if is_told_apart(candidate, fact):
        return True
    own, other = topic(stems(_head(candidate.text))), topic(stems(_head(fact.text)))
    apart = bool(own - stems(fact.text) and other - stems(candidate.text))
    if candidate.change is None:
        return apart
    return apart and not own & other and bool(_THING_FIRST.search(fold(_quote(candidate))))


def is_told_apart(candidate: Candidate, fact: KnownFact) -> bool:
    """Whether numbers, people or values say so, whatever else the statements hold."""
    numbered, others = _numbered(candidate.text), _numbered(fact.text)
    if any(numbered[word].isdisjoint(others[word]) for word in numbered.keys() & others.keys()):
        return True
    said, earlier = _quote(candidate), fact.said or fact.text
    if _of_two_people(said, earlier):
        return True
    if candidate.change is None and is_of_another_owner(candidate, fact):
        return True
    return _are_two_values(candidate, fact)


def is_of_another_owner(candidate: Candidate, fact: KnownFact) -> bool:
    """Whether one speaks of what is somebody's ("my brother's rent") of whom the other says nothing ("my rent")."""
    said, earlier = _quote(candidate), fact.said or fact.text
    named, others = _named(fold(said)), _named(fold(earlier))
    nameless = (_owners(said) - others) | (_owners(earlier) - named)
    return bool(nameless) and not (named | others) & _ANY_OF_THEM


def _are_two_values(candidate: Candidate, fact: KnownFact) -> bool:
    """Whether both have a slot of a kind that may have many values, and another one."""
    kind = candidate.attribute.partition(":")[0] + ":"
    return (
        kind in MANY_VALUED
        and fact.attribute.startswith(kind)
        and fact.attribute != candidate.attribute
    )


def _numbered(text: str) -> Mapping[str, frozenset[str]]:
    """The numbers by the word that they follow, in what stands before the verb; what is called "number 3" may stand anywhere without one."""
    found: dict[str, frozenset[str]] = {}
    head = _head(text)
    for word, figure in _NUMBERED.findall(head) if head else _CALLED_NUMBER.findall(fold(text)):
        if (label := str(word).lower()) not in _NO_LABEL:
            found[label] = found.get(label, frozenset()) | {str(figure)}
    return found


def _head(text: str) -> str:
    """What stands before the verb; nothing where no verb is known."""
    folded = fold(text)
    verb = _VERB.search(folded)
    return folded[: verb.start()] if verb else ""


def _of_two_people(said: str, earlier: str) -> bool:
    """Whether each names some of the family or an animal, and none in common ("my son", then "my daughter")."""
    own, other = _family(said), _family(earlier)
    return bool(own and other) and not own & other and not (own | other) & _ANY_OF_THEM


def _family(said: str) -> frozenset[str]:
    """Who of the family a statement names, without those whose something it is ("my sister's husband")."""
    return _named(_OWNER.sub("", fold(said)))


def _owners(said: str) -> frozenset[str]:
    """Those whose something a statement names: the sister of "my sister's husband"."""
    return _named(" ".join(_OWNER.findall(fold(said))))


def _named(folded: str) -> frozenset[str]:
    """Who of the family stands in a text, each under one word."""
    words = (str(word).lower() for word, _ in _ONE.findall(folded))
    return frozenset(_ONE_OF_THEM.get(each, each) for each in words)


def _quote(candidate: Candidate) -> str:
    return candidate.sources[0].quote if candidate.sources else candidate.text
