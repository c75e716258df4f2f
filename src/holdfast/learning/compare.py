"""Same or new? A candidate against what memory holds already: pure, the thresholds in one place.

Slots decide first: the same subject and attribute with the same value is the same fact, with another value a change. Where a
statement has no slot, words decide: shared stems weighted by how rare they are among the known facts. Where words find nothing,
verdicts of a model (`judge`) and vectors (`meaning`) decide, where they are given. The measured figures of the thresholds stand in
docs/learning.md.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from holdfast.learning import meaning, roles
from holdfast.learning.judge import (
    NO_VERDICTS,
    REPLACES_TOO,
    UNJUDGED,
    Verdict,
    Verdicts,
    is_certain,
    least_to_repeat,
    least_to_replace,
    pair_of,
)
from holdfast.learning.model import Candidate, KnownFact
from holdfast.learning.naming import alike, names_slot, quote_of
from holdfast.learning.rules.build import ASKED
from holdfast.learning.rules.text import compile_rule, fold
from holdfast.learning.stems import (
    figures,
    names_another_value,
    negates,
    on_other_days,
    shared_weight,
    stems,
    topic,
    weights_of,
)
from holdfast.learning.things import (
    MANY_VALUED,
    is_of_another_owner,
    is_told_apart,
    of_another_thing,
)

Outcome = Literal["same", "supersede", "add"]

SAME_WORDS = 0.72
"""From this share of common words (weighted, of the shorter one) on, two statements say the same, unless their figures differ."""
EXTRA_WORDS = 2
"""How many words a statement may add and still say the same; none where it speaks of a change."""
SAME_TOPIC = 0.34
"""From this share on, a statement that says something changed is about the same thing."""
SAME_TOPIC_FIGURES = 0.5
"""The same without a word of change, where both hold figures or dates and they differ."""
SHARED_WORDS = 2
"""How many words two statements must share for one to replace the other, unless each has fewer: one name is no topic."""
REVERSIBLE = ("likes:", "is:", "avoids:")
"""Of MANY_VALUED, the ones that a later statement may turn round ("I don't like coffee any more")."""

EXCLUSIVE = frozenset({"is:vegetarian", "is:vegan", "is:pescatarian", "is:pescetarian"})
"""Of those, the ones of which only one can hold: a new one replaces another if it says that something changed."""

_OVER = r"(?:[.,;:!]|$| (?:last|this|in|on|at|after|because|and|so|but|by|for|from|to|since|with|yesterday|today|recently|amicably|again|now|already|finally|two|three|four|\d)\b)"
_JOB_ENDED: Any = compile_rule(
    rf"\bi(?:'ve| have| just| finally| recently)* (?:(?:quit|lost|left|resigned from) my (?:old )?job|resigned|retired){_OVER}"
    rf"|\bi(?:'ve| have| just| recently)* (?:was|got|been)(?: just| recently)? (?:laid off|fired|made redundant|let go){_OVER}"
)
_GIVEN_UP: Any = compile_rule(
    r"\bi(?:'ve| have| had to)? (?:just |finally )?(?:gave|given|give) up\b"
)


@dataclass(frozen=True)
class Comparison:
    """What to do with a candidate, and the fact it was compared with."""

    outcome: Outcome
    fact_id: str | None = None
    score: float = 0.0
    further: tuple[str, ...] = ()
    """Other facts that it replaces as well."""


def compare(
    candidate: Candidate,
    known: Sequence[KnownFact],
    vectors: Mapping[str, meaning.Vector] = meaning.NONE,
    verdicts: Verdicts = NO_VERDICTS,
) -> Comparison:
    """Whether a candidate is the same as something known, replaces it, or is new.

    `vectors` are those of the candidate's first quote and of what each fact rests on (`said`), by these words, `verdicts` those on
    the candidate and these words; what has none is compared by slot and words alone.
    """
    by_slot = _by_slot(candidate, known)
    if by_slot is not None:
        return by_slot
    on = {fact.id: verdicts.get(pair_of(candidate, fact.said), UNJUDGED) for fact in known}
    comparable = [fact for fact in known if not of_another_thing(candidate, fact)]
    decided = _by_ending(candidate, known) or _by_words(candidate, comparable)
    if decided.outcome == "same":
        return decided
    comparable += [
        each
        for each in known
        if each not in comparable and is_certain(on[each.id]) and not is_told_apart(candidate, each)
    ]
    if decided.outcome == "supersede":
        others = [each for each in comparable if each.id != decided.fact_id]
        return replace(decided, further=_ended_too(candidate, others, on))
    by_verdict = _by_verdict(candidate, known, comparable, on)
    if by_verdict.outcome != "add" or verdicts:
        return by_verdict
    return _by_meaning(candidate, comparable, vectors)


def _by_verdict(
    candidate: Candidate,
    known: Sequence[KnownFact],
    comparable: Sequence[KnownFact],
    on: Mapping[str, Verdict],
) -> Comparison:
    """What a model says that a statement without a slot repeats, or, of what is comparable, replaces: the likeliest fact."""
    if candidate.attribute or not known:
        return Comparison("add")
    ranked = sorted(comparable, key=lambda each: -on[each.id].replaces)
    likely = on[ranked[0].id].replaces if ranked else 0.0
    repeated = max(known, key=lambda each: on[each.id].repeats)
    repeats = on[repeated.id].repeats
    own, others = stems(quote_of(candidate)), stems(repeated.said or repeated.text)
    says_again = repeats >= max(least_to_repeat(repeated), likely)
    says_again = says_again and not names_another_value(quote_of(candidate), repeated.said)
    if says_again and not _contradict(candidate, repeated, own, others):
        return Comparison("same", repeated.id, repeats)
    if not ranked or likely < _least(candidate, ranked[0]):
        return Comparison("add", None, likely)
    further = _ended_too(candidate, ranked[1:], on)
    return Comparison("supersede", ranked[0].id, likely, further)


def _ended_too(
    candidate: Candidate, others: Sequence[KnownFact], on: Mapping[str, Verdict]
) -> tuple[str, ...]:
    """What a statement ends besides what it replaces: what the judge is sure of, and nobody else's."""
    if candidate.attribute:
        return ()
    return tuple(
        each.id
        for each in others
        if on[each.id].replaces >= max(_least(candidate, each), REPLACES_TOO)
        and not is_of_another_owner(candidate, each)
    )


def _least(candidate: Candidate, fact: KnownFact) -> float:
    """The probability from which on the judge's verdict ends a fact."""
    is_named = bool(fact.attribute) and names_slot(candidate, fact)
    return least_to_replace(candidate, fact, is_named=is_named)


def _by_meaning(
    candidate: Candidate, known: Sequence[KnownFact], vectors: Mapping[str, meaning.Vector]
) -> Comparison:
    """What a statement replaces, or says again, by closeness, words of change and time."""
    every = signs(candidate, known, vectors)
    weighed = (
        (meaning.probability(found), fact, found)
        for fact, found in every
        if not meaning.is_far(found, len(every))
    )
    score, fact, found = max(weighed, key=lambda each: each[0], default=(0.0, None, {}))
    if fact is None or score < meaning.threshold(candidate):
        return Comparison("add", None, score)
    said_again = (
        found["cosine of the message"] >= meaning.SAME
        and candidate.change is None
        and not fact.attribute
        and not _contradict(
            candidate, fact, stems(quote_of(candidate)), stems(fact.said or fact.text)
        )
    )
    if said_again:
        return Comparison("same", fact.id, score)
    return Comparison("supersede", fact.id, score)


def _contradict(
    candidate: Candidate, fact: KnownFact, words: frozenset[str], others: frozenset[str]
) -> bool:
    """Whether two statements, with these words, differ in their figures, in what they negate, or in their days."""
    said, earlier = quote_of(candidate) or candidate.text, fact.said or fact.text
    numbers, other_numbers = figures(words), figures(others)
    return (
        bool(numbers and other_numbers and numbers != other_numbers)
        or negates(candidate.text) != negates(fact.text)
        or on_other_days(said, earlier)
    )


def signs(
    candidate: Candidate, known: Sequence[KnownFact], vectors: Mapping[str, meaning.Vector]
) -> list[tuple[KnownFact, dict[str, float]]]:
    """The signs that a candidate without a slot replaces each of these facts; none for facts without a vector, or with a slot that it does not name."""
    own = vectors.get(candidate.sources[0].quote) if candidate.sources else None
    pairs = [
        (fact, vector)
        for fact in known
        if (vector := vectors.get(fact.said)) is not None
        and (not fact.attribute or names_slot(candidate, fact))
    ]  # a slot is changed by its own kind, or by name
    if own is None or candidate.attribute or not pairs:
        return []
    readings = [vectors.get(each, own) for each in meaning.compared_by(candidate)]
    near = [
        meaning.Near(*(meaning.cosine(each, vector) for each in readings)) for _, vector in pairs
    ]
    order = sorted((-max(each.quote, each.in_context), n) for n, each in enumerate(near))
    ranks = {number: rank for rank, (_, number) in enumerate(order)}
    shared = _shared_words(candidate, [fact for fact, _ in pairs])
    return [
        (
            fact,
            meaning.features(
                candidate, fact, near=near[number], rank=ranks[number], words=shared[number]
            ),
        )
        for number, (fact, _) in enumerate(pairs)
    ]


def _shared_words(candidate: Candidate, known: Sequence[KnownFact]) -> list[meaning.Words]:
    """What a candidate, and what stands around it, shares with each of the known facts."""
    words = _words(candidate.text, candidate.sources[0].quote)
    sets = [_words(fact.text, fact.said) for fact in known]
    weights = weights_of(sets)
    rarest = max(1.0, math.log(1 + len(sets)))
    message = topic(stems(meaning.whole(candidate)))
    around = message | topic(stems(candidate.context))

    def rare(found: frozenset[str]) -> float:
        return sum(weights[each] for each in sorted(found)) / rarest

    return [
        meaning.Words(
            share=shared_weight(words, each, weights),
            beside=rare((message - words) & each),
            around=rare(around & each),
        )
        for each in sets
    ]


def _words(text: str, said: str) -> frozenset[str]:
    """The stems of a statement: of the user's own words where they are known, since the text names the user in each.

    Of the text where those words say nothing of it: the short answer to a question, the "yes" to what an assistant said.
    """
    own, words = stems(said), stems(text)
    return own if own & words and not text.startswith(ASKED) else words


def _by_slot(candidate: Candidate, known: Sequence[KnownFact]) -> Comparison | None:
    if not candidate.attribute:
        return None
    for fact in known:
        if _excludes(candidate, fact):
            return Comparison("supersede", fact.id, 1.0)
        if (fact.subject, fact.attribute) != (candidate.subject, candidate.attribute):
            continue
        if candidate.attribute.startswith(MANY_VALUED):  # "likes coffee" then "dislikes coffee"
            same = not candidate.attribute.startswith(REVERSIBLE) or negates(fact.text) == negates(
                candidate.text
            )
        else:
            same = alike(fact.value, candidate.value) and negates(fact.text) == negates(
                candidate.text
            )
        if not same and candidate.related is not None and candidate.change is None:
            continue  # two sisters: only a word of change makes the second replace the first
        if not same and negates(candidate.text) and not alike(fact.value, candidate.value):
            continue  # who leaves Berlin may live in Porto
        return Comparison("same" if same else "supersede", fact.id, 1.0)
    return None


def _by_ending(candidate: Candidate, known: Sequence[KnownFact]) -> Comparison | None:
    """The slot whose end a statement without one is: "I quit my job" shares no word with "I work at Google"."""
    if candidate.attribute or candidate.change is None:
        return None
    said = fold(quote_of(candidate))
    ended = (fact for fact in reversed(known) if _has_ended(fact, said))
    fact = next(ended, None)
    return None if fact is None else Comparison("supersede", fact.id, 1.0)


def _has_ended(fact: KnownFact, said: str) -> bool:
    if fact.subject != "user" or negates(fact.text):
        return False
    if fact.attribute == "employer":
        return bool(_JOB_ENDED.search(said))
    if fact.attribute.startswith("likes:"):
        thing = fact.attribute.partition(":")[2].replace("_", " ")
        return bool(_GIVEN_UP.search(said)) and bool(roles.phrase(thing).search(said))
    return roles.has_parted(fact.attribute, said)


def _excludes(candidate: Candidate, fact: KnownFact) -> bool:
    """Whether a slot cannot hold beside another one ("I'm vegetarian now" after "I'm vegan"), or names its value as the old one."""
    if candidate.subject != fact.subject or candidate.attribute == fact.attribute:
        return False
    kinds = {each.attribute.partition(":")[0] for each in (candidate, fact)}
    if candidate.replaced_value and len(kinds) == 1:
        return alike(fact.value, candidate.replaced_value)
    if kinds == {"prefers"} and candidate.change is not None:
        # Of "I prefer tea to coffee" the other one.
        return stems(candidate.value) <= stems(fact.said) - stems(fact.value)
    return (
        candidate.change is not None
        and {candidate.attribute, fact.attribute} <= EXCLUSIVE
        and not negates(candidate.text)
        and not negates(fact.text)
    )


def _by_words(candidate: Candidate, known: Sequence[KnownFact]) -> Comparison:
    words = _words(candidate.text, meaning.without_request(quote_of(candidate)))
    if not words or not known:
        return Comparison("add")
    sets = [_words(fact.text, meaning.without_request(fact.said)) for fact in known]
    weights = weights_of(sets)
    best: tuple[float, int] | None = None
    for number, each in enumerate(sets):
        score = shared_weight(words, each, weights)
        if best is None or score >= best[0]:  # of two as close, the newer
            best = (score, number)
    assert best is not None
    return _judge(candidate, known[best[1]], words, sets[best[1]], best[0])


def _judge(
    candidate: Candidate,
    fact: KnownFact,
    words: frozenset[str],
    others: frozenset[str],
    score: float,
) -> Comparison:
    contradicts = _contradict(candidate, fact, words, others)
    adds = bool(words - others) if candidate.change else len(topic(words) - others) > EXTRA_WORDS
    if score >= SAME_WORDS and not contradicts and not adds:
        return Comparison("same", fact.id, score)
    named = bool(fact.attribute) and names_slot(candidate, fact)
    if fact.attribute and not named:
        return Comparison("add", None, score)  # a slot is changed by its own kind, or by name
    most = max(len(topic(others)), len(topic(words)))
    enough = named or len(topic(words) & others) >= min(SHARED_WORDS, most)
    changed = candidate.change is not None and (named or score >= SAME_TOPIC)
    differs = contradicts and score >= SAME_TOPIC_FIGURES
    if (changed or differs) and enough and not meaning.adds_to(candidate):
        return Comparison("supersede", fact.id, score)
    return Comparison("add", None, score)
