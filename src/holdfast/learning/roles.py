"""Whether a role beside the user (boss, wife, dog) has gone to somebody else, by the words of a later statement."""

from functools import lru_cache
from typing import Any

from holdfast.learning.rules.lexicon import KIN, MONTH, NAME, PEOPLE, PETS, WEEKDAY
from holdfast.learning.rules.text import compile_rule, literal

_ROLE: Any = compile_rule(rf"^(?:[a-z]+_)*?(?:{KIN}|{PEOPLE}|{PETS})$".replace(" ", "_"))
_PERSON: Any = compile_rule(rf"{PEOPLE}$")
_PET: Any = compile_rule(rf"{PETS}$")
_NAME: Any = compile_rule(r"\b(?-i:[A-Z])[A-Za-z-]{2,}")
_PARTNER: Any = compile_rule(
    r"^(?:ex )?(?:wife|husband|spouse|partner|girlfriend|boyfriend|fiancee?)$"
)
_BROKE_UP: Any = compile_rule(
    r"\b(?:we|i)(?:'ve|'re|'m| have| are| am| got| just| finally| recently)* (?:broke up|broken up|split up|separated|divorced|getting (?:divorced|a divorce)|single (?:again|now))"
    rf"(?:[.,;:!]|$| (?:with (?:my [a-z]+|him|her|{NAME})|last|this|in|on|after|because|and|so|but|yesterday|today|recently|amicably|again|now|already|finally|for good|two|three|four|\d)\b)"
)
_DAY: Any = compile_rule(rf"^(?:{WEEKDAY}|{MONTH})s?$")


def is_role(attribute: str) -> bool:
    """Whether a slot of the user's holds who has a role: `boss`, `best_friend`, `dog`."""
    return bool(_ROLE.search(attribute))


def has_parted(attribute: str, said: str) -> bool:
    """Whether a statement says that the user is no longer with a partner, who need not be named."""
    return bool(_PARTNER.search(attribute.replace("_", " ")) and _BROKE_UP.search(said))


def has_passed(attribute: str, holder: str, said: str) -> bool:
    """Whether a statement says that a role has another holder now, or none; or names somebody else beside it."""
    role = attribute.replace("_", " ")
    if _ended(role).search(said):
        return True
    names = {str(each) for each in _NAME.findall(said[1:])} - set(holder.split())
    others = [each for each in names if not _DAY.search(each)]
    return bool(others and _PERSON.search(role) and phrase(role).search(said))


@lru_cache(maxsize=200)
def _ended(role: str) -> Any:
    """Finds "I have a new boss", "my dog died", "we fired our accountant"."""
    word = literal(role)
    new = (
        "" if _PET.search(role) else "new|different|another|other|better|"
    )  # a new dog may come beside the old one
    return compile_rule(
        rf"\b(?:{new}changed|switched|swapped|lost|fired|replaced|left|divorced|broke up with|split up with|(?:no longer|don't|dont) have an?) (?:my |our |the )?{word}s?\b"
        rf"|\b{word} (?:has |is |just |was |sadly )*(?:died|left|quit|retired|passed away|resigned|stepped down|moved out|gone|put down|ran away|dumped me|left me|changed)\b"
        rf"|\b(?:as|from) (?:my |our |the |an? )?{word}\b|\b{word}s?,? (?:now|these days|any ?more|instead)\b|\b{word} is (?:now|no longer|not|someone|somebody)\b"
        rf"|\b{word} and i (?:have |are |just )*(?:broke up|broken up|split|separated|divorced|getting divorced)\b"
    )


@lru_cache(maxsize=2_000)
def phrase(thing: str) -> Any:
    """Finds a thing where it stands for itself: "my gym is", "switched gyms," but not "gym shoes"."""
    after = r"(?:is|are|was|were|has|have|had|got|will|moved|changed|closed|now|to|from|at|on|in|any ?more|these|since|for|after|forward|with|and|but|so)"
    return compile_rule(rf"\b{literal(thing)}(?:e?s|'s)?(?:\s+{after}\b|\s*(?:[^\w\s'-]|$))")
