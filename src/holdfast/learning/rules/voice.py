"""From what the user said to a sentence for a prompt: third person, dates made absolute.

"I passed B2 in July" becomes "The user passed B2 in July (2025-07)". A sentence that cannot be turned without guessing (it
speaks to somebody, says "we", or has no subject) is quoted: `Maya said: "booked for the 5th (2026-09-05)"`.
"""

from typing import Any

from holdfast.learning.model import Speaker
from holdfast.learning.rules.dates import FoundDate
from holdfast.learning.rules.lexicon import KIN, NAME, PEOPLE, word_list
from holdfast.learning.rules.text import compile_rule, fold

_ADVERB = r"(?:just|really|also|never|always|still|now|only|actually|usually|already|finally|recently|basically|honestly|even|often|no longer|mostly|mainly|currently|rarely|hardly|sometimes|once|first|then|both|all)"
_FIRST = compile_rule(
    rf"\bi(?:'m| am)\b|\bim\b|\bi(?:'ve| have)\b|\bive\b|\bi'll\b|\bi'd\b|\bi ({_ADVERB} )?([a-z']+)|\bmyself\b|\bmy\b|\bmine\b|\bme\b|\bi\b"
)
_SPEAKS_TO_SOMEBODY = compile_rule(
    r"\b(?:you|your|yours|u|ur|youre|ye|we|we're|we've|we'll|we'd|us|our|ours|let's|lets)\b"
)
_HAS_SUBJECT = compile_rule(
    r"\b(?:i|im|i'm|ive|i've|i'll|he|she|they|it|it's|its|he's|she's|they're|hes|shes|theyre|there's|everyone|everything|nobody|somebody"
    r"|someone|that's)\b|^(?:(?:and|but|so|also|oh|btw|then|now|no|yes|ok) )*(?:the|an?|my|his|her|their|there|that|this)\b"
    r"|\b(?-i:[A-Z][a-z]+)(?:'s)? [a-z]"
)
_LEANS = compile_rule(
    r"^(?:he|she|they|it|it's|its|he's|she's|they're|hes|shes|that|that's|thats|this|these|those|his|her|their|him|them|which|who|and|but|so|because|cos|also|then|plus|or|not|no|yes)\b"
)
_VERBLIKE = compile_rule(
    r"\b(?:is|are|was|were|am|be|been|has|have|had|do|does|did|will|can|could|would|should|must|may|might|got|gets?|go|goes|went|"
    r"\w+ed|\w+n't|\w+nt|\w+s)\b|'(?:s|m|re|ve|ll|d)\b|\b(?:i|he|she|they) [a-z]+|\bim\b"
)
_FILLER = compile_rule(
    r"^(?:(?:[-*+•]|\d{1,2}[.)]|fun fact|guess what|(?:good|bad|big) news|news|update|fyi|hey|hi|hello|listen|honestly|tbh|ps|ok|okay|and|so|btw|by the way|also|oh|well|but|anyway|then|actually|yes|ha)[,:.!]* |(?:no|plus|right|good|fine|perfect)[,:.!]+ )+"
)
_FILLER_OR_NOT: Any = compile_rule(r"^(?:no|plus|right|good|fine|perfect) ")
"""Filler where a subject follows ("no the user lives in Porto"), else a part of what is said ("no more emails")."""
_SUBJECT: Any = compile_rule(r"^(?:i|we|he|she|it|they|that|this|the|my|our)\b")
_HAD: Any = compile_rule(r"^ (?:been|better|already|never|just|had|gone|\w+ed)\b")
_BESIDE_ME: Any = compile_rule(
    rf"(?:\b(?:my|our) (?:\w+ )?(?:{KIN}|{PEOPLE})(?: {NAME})?|(?:^|[.!?,;:] )(?P<name>{NAME})) and $"
)
_NOBODY: Any = compile_rule(
    r"^(?:oh|ok|okay|yes|yeah|no|well|sure|thanks|hi|hey|hello|also|so|btw|great|good|right)$"
)
_UNCHANGED = frozenset(
    word_list(
        "can can't cannot cant could couldn't will won't wont would wouldn't should shouldn't must mustn't may might shall shan't ought"
        " was wasn't wasnt had hadn't did didn't didnt got went came took made bought sold found told gave left lost won paid met saw"
        " began broke wrote sent said rang fell flew drove thought knew felt heard held kept led lent meant ran rode rose sang sat slept"
        " spoke spent stood stole swam taught threw understood woke wore brought built burnt caught chose drank ate forgot forgave froze"
        " grew hid hung learnt lay let put cut set read hit cost hurt quit shut bet spread beat became became did dreamt dug fed fought"
        " shot shook shrank slid sought spilt spun stuck stung struck swore swept tore wept wound withdrew became split"
    )
)
_IRREGULAR = {"have": "has", "haven't": "hasn't", "havent": "hasn't", "do": "does", "don't": "doesn't", "dont": "doesn't",
              "am": "is", "are": "is", "were": "was", "go": "goes"}  # fmt: skip


def to_sentence(original: str, dates: list[FoundDate], speaker: Speaker) -> str:
    """A sentence (or a few) about the user, from the user's words."""
    folded = fold(original)
    if _must_be_quoted(folded):
        return f'{speaker.label} said: "{with_dates(original, dates).strip()}"'
    return capitalised(_without_filler(_turned(original, folded, dates, speaker), speaker))


def _without_filler(text: str, speaker: Speaker) -> str:
    """Without words before a statement that are no part of it."""
    rest = str(_FILLER.sub("", text))
    match = _FILLER_OR_NOT.search(rest)
    if match is None:
        return rest
    behind = rest[match.end() :]
    return behind if _SUBJECT.search(behind) or behind.startswith(speaker.label) else rest


def shares_subject(before: str) -> bool:
    """Whether the "I" behind these words is half of a subject: "my wife and I have", where the verb is a plural."""
    match = _BESIDE_ME.search(before)
    return match is not None and not _NOBODY.search(match.group("name") or "")


def capitalised(text: str) -> str:
    """With a capital at the beginning."""
    text = text.strip()
    return text[:1].upper() + text[1:]


_OF_SOMEBODY: tuple[tuple[Any, str], ...] = tuple(
    (compile_rule(pattern), word)
    for pattern, word in (
        (r"\b(?:my|our)\b", "their"),
        (r"\b(?:me|us)\b", "them"),
        (r"\bmyself\b", "themselves"),
        (r"\b(?:i'm|im|i am)\b", "they are"),
        (r"\b(?:i|we)\b", "they"),
    )
)
_VOWEL: Any = compile_rule(
    r"^(?:(?-i:[AEFHILMNORSX][A-Z]|[AEIO][a-z]|[aeio]|u(?:[^nst]|n[^i]|s[^aeiu]))|hour|honest|heir)"
)
_NO_ARTICLE: Any = compile_rule(
    r"^(?:an?|the|my|his|her|their|our) |^(?:self-employed|freelance|retired)$"
)


def of_somebody(value: str) -> str:
    """A value with the user's "my" and "me" turned: "my coffee black" → "their coffee black"."""
    for pattern, word in _OF_SOMEBODY:
        value = pattern.sub(word, value)
    return value


def with_article(value: str) -> str:
    """ "an engineer", "a nurse"; as it is where it has an article or takes none."""
    if _NO_ARTICLE.search(value):
        return value
    return f"{'an' if _VOWEL.search(fold(value)) else 'a'} {value}"


def possessive(speaker: Speaker) -> str:
    """ "Maya's", "The user's"."""
    return f"{speaker.label}'s"


def _must_be_quoted(folded: str) -> bool:
    return bool(_SPEAKS_TO_SOMEBODY.search(folded)) or not (
        has_subject(folded) and _has_verb(folded)
    )


def has_subject(folded: str) -> bool:
    """Whether a sentence names who or what it is about."""
    return bool(_HAS_SUBJECT.search(folded))


def leans_on_earlier(folded: str) -> bool:
    """Whether a sentence opens with a word that points to the sentence before it: "It still hurts", "And her dog"."""
    return bool(_LEANS.search(folded))


def _has_verb(folded: str) -> bool:
    return bool(_VERBLIKE.search(folded)) or any(
        word in _UNCHANGED for word in folded.lower().split()
    )


def with_dates(original: str, dates: list[FoundDate]) -> str:
    """The words, with each date that was found in brackets behind it."""
    pieces, at = [], 0
    for each in dates:
        pieces += [original[at : each.end], f" ({each.on})"]
        at = each.end
    return "".join([*pieces, original[at:]])


def _turned(original: str, folded: str, dates: list[FoundDate], speaker: Speaker) -> str:
    """First person → third, with the dates put in, in one pass over the original."""
    changes = [(each.end, each.end, f" ({each.on})") for each in dates]
    changes += [
        (*match.span(), _third(match, folded[: match.start()], folded[match.end() :], speaker))
        for match in _FIRST.finditer(folded)
    ]
    pieces, at = [], 0
    for start, end, new in sorted(changes):
        if start >= at:
            pieces += [original[at:start], new]
            at = end
    return "".join([*pieces, original[at:]])


def _third(match: Any, before: str, after: str, speaker: Speaker) -> str:
    """What takes the place of one word of the first person, between these words."""
    said = match.group().lower()
    who = speaker.name or ("The user" if match.start() == 0 else "the user")
    fixed = {"i'm": " is", "i am": " is", "im": " is", "i've": " has", "i have": " has", "ive": " has", "i'll": " will",
             "i'd": " would", "my": "'s", "mine": "'s", "me": "", "i": ""}  # fmt: skip
    if said == "myself":
        return "themselves"
    if said == "i'd" and _HAD.search(after):
        return f"{who} had"
    if shares_subject(before) and said in ("i'm", "i am", "im", "i've", "i have", "ive"):
        return who + (" are" if "m" in said else " have")
    if said in fixed:
        return who + fixed[said]
    adverb = (match.group(1) or "").lower()
    if shares_subject(before):
        return f"{who} {adverb}{match.group(2).lower()}"
    return f"{who} {adverb}{third_person(match.group(2).lower())}"


def third_person(verb: str) -> str:
    """The form a verb takes after "she", from the one after "I"; past forms and auxiliaries stay."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb in _UNCHANGED or verb.endswith("ed") or not verb.isalpha():
        return verb
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "ch", "sh", "o", "z")) else "s")
