"""How sure it is that something in a scope answers a query.

A logistic model over the best that each way of comparing found. It was fitted on questions with their own conversations
against questions that have nothing to do with them (LoCoMo and LongMemEval tuning sets, memchat; `docs/recall.md` has the
figures). The more passages there are, the better the best of them looks by chance, so the size of the scope counts against.
A query that names somebody who speaks there, or asks about the one who asks, is seldom foreign.
"""

import math
import re
from dataclasses import dataclass

# The weights of the logistic model, and its intercept.
SIMILARITY, CLOSENESS, LEXICAL = 9.5, 9.8, 7.75
LOG_SIZE, NAMES_A_SPEAKER, FIRST_PERSON = -0.76, 3.6, 2.0
INTERCEPT = -7.06
LEAST_SIZE = 10.0
# The logits are spread so that 0.3 lies where nine of ten foreign questions are below and one in a hundred own ones.
SPREAD, SHIFT = 2.0, 2.23
# The surest.
MOST = 0.95
# Below this there is no answer at all: half of the foreign questions and next to no other.
OPEN = 0.021

_FIRST_PERSON = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|ich|mich|mir|mein\w*|wir|uns|unser\w*|je|moi|mon|ma|mes|nous|notre|nos|yo|mi|mis|"
    r"nosotr[oa]s|nuestr[oa]s?|io|mio|mia|miei|noi|nostr[oaie]|eu|meus?|minhas?|nossos?|nossas?|ik|mij|mijn|wij|ons|onze)\b",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[a-z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The best that was found for a query, and what is known of the query and the scope."""

    similarity: float
    closeness: float
    lexical: float
    scope_size: float
    names_a_speaker: bool
    first_person: bool


def confidence(evidence: Evidence) -> float:
    """From 0 (foreign to this scope) to `MOST`."""
    logit = (
        INTERCEPT
        + SIMILARITY * evidence.similarity
        + CLOSENESS * evidence.closeness
        + LEXICAL * evidence.lexical
        + LOG_SIZE * math.log(max(evidence.scope_size, LEAST_SIZE))
        + NAMES_A_SPEAKER * evidence.names_a_speaker
        + FIRST_PERSON * evidence.first_person
    )
    return MOST / (1.0 + math.exp(-(SPREAD * logit + SHIFT)))


def is_first_person(query: str) -> bool:
    """Whether a query asks about the one who asks; in scripts whose pronouns are not known here it may."""
    return _FIRST_PERSON.search(query) is not None or _LATIN.search(query) is None
