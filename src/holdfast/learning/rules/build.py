"""Candidates, built from what was read: slots, standing orders, whole statements, requests to remember, orders in documents."""

from collections.abc import Iterator, Sequence
from typing import Any

from holdfast.learning.model import (
    Candidate,
    Change,
    Kind,
    Message,
    ResolvedDate,
    Source,
    Speaker,
    Target,
    Trust,
)
from holdfast.learning.rules import voice
from holdfast.learning.rules.dates import FoundDate, find_dates
from holdfast.learning.rules.families import SHAPES, SLOTS
from holdfast.learning.rules.families.correction import RULES as CHANGES
from holdfast.learning.rules.families.preference import NO_ALLERGENS, NOT_A_THING
from holdfast.learning.rules.families.property import NOT_THINGS, PLACES, STATES
from holdfast.learning.rules.family import ShapeRule, SlotMatch, match_shape, match_slots
from holdfast.learning.rules.lexicon import (
    DEMONYMS,
    KIN,
    NOT_INTRODUCED,
    NOT_JOBS,
    NOT_NAMES,
    NOT_SMALL_EMPLOYERS,
    NOT_SMALL_NAMES,
    NOT_SMALL_PLACES,
)
from holdfast.learning.rules.reading import Asked
from holdfast.learning.rules.text import Sentence, compile_rule, fold, group_span
from holdfast.learning.rules.wording import understood
from holdfast.learning.rules.worth import is_concrete
from holdfast.learning.secrets import MASK

MAX_STATEMENT_CHARS = 320
"""Sentences of one message are joined to one candidate up to this length."""
ASKED = 'Asked "'
"""How the text of a short answer begins: with its question."""

_CHANGES = tuple((rule, compile_rule(rule.pattern)) for rule in CHANGES)
_NO_THING: Any = compile_rule(NOT_A_THING)
_NO_NAME: Any = compile_rule(NOT_NAMES)
_ARTICLE: Any = compile_rule(r"^(?:an?|the|my|any|all|some) ")
_DEMONYM: Any = compile_rule(DEMONYMS)
_NO_JOB: Any = compile_rule(NOT_JOBS)
_NOT_INTRODUCED: Any = compile_rule(NOT_INTRODUCED)
_NO_SMALL: dict[str, Any] = {
    "name": compile_rule(NOT_SMALL_NAMES),
    "{role}": compile_rule(NOT_SMALL_NAMES),
    "lives_in": compile_rule(NOT_SMALL_PLACES),
    "employer": compile_rule(NOT_SMALL_EMPLOYERS),
}
_NO_SLOT: Any = compile_rule(NOT_THINGS)
_NO_ALLERGEN: Any = compile_rule(NO_ALLERGENS)
_STATE: Any = compile_rule(STATES)
_PLACE: Any = compile_rule(PLACES)
_FIRST_PERSON: Any = compile_rule(r"\b(?:i|i'm|im|i've|ive|i'll|my|me|mine|we|we're|we've|our)\b")
_NAME: Any = compile_rule(r"^(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?)")
_OPENERS: Any = compile_rule(
    r"^(?:i|my|we|our|the|there|a|an|this|these|in|on|at|from|for|since|also|and|but|so|no|yes|oh|ok|he|she|it|they|that|his|her|if|as"
    r"|well|good|right|then|now|not|one|two|what|just|only|all|both|next|last|every|never|always|please|actually|correction|today|yesterday|tomorrow|sorry|thanks|maybe|remember)$"
)
_KIN: Any = compile_rule(rf"\b(?:my|our) (?:\w+ )?{KIN}\b")
_OWN_SUBJECT: Any = compile_rule(
    r"\b(?:i|i'm|im|i've|ive|i'll|my|we|we're|we've|our)\b|^(?-i:[A-Z][a-z]+) [a-z]|^the\b"
)


_WHEN: Any = compile_rule(
    r"\b(?:when(?:ever)?|if|until|till|once|unless|while|by the time|as soon as|in case)\s+$"
)
_IM: Any = compile_rule(r"^i(?:'m|m| am)\b")


def slot_candidates(
    message: Message, sentence: Sentence, speaker: Speaker
) -> Iterator[tuple[SlotMatch, Candidate]]:
    """Every slot that a sentence fills, each once."""
    seen: set[tuple[str, str]] = set()
    spans: list[tuple[int, int]] = []
    meant = understood(sentence)
    for rule in SLOTS:
        for match in match_slots(rule, meant):
            attribute = _attribute(rule.attribute, match.groups)
            if rule.rest and _PLACE.search(match.value):
                attribute += ":place"
            key = (match.groups.get("owner", ""), attribute)
            is_read = rule.rest and any(
                start <= match.value_end <= end for start, end in spans
            )  # "my boss is Tom" is not a boss and a thing that is Tom
            if key in seen or is_read or not _makes_sense(match) or _is_circumstance(meant, match):
                continue
            seen.add(key)
            spans.append((match.start, match.end))
            yield match, _slot(message, sentence, meant, match, attribute, speaker)


def _is_circumstance(sentence: Sentence, match: SlotMatch) -> bool:
    """ "When I'm ninety", "until I'm married": it is not so, or not always."""
    before, from_it = sentence.folded[: match.start], sentence.folded[match.start :]
    return bool(_WHEN.search(before) and _IM.search(from_it))


def attribute_of(template: str, value: str) -> str:
    """The slot's name for a value."""
    return _attribute(template, {"value": value})


def _attribute(template: str, groups: dict[str, str]) -> str:
    """The slot's name; a value that stands in it loses its article and plural, so that "peanuts" and "a peanut" are one."""
    value = _ARTICLE.sub("", fold(groups["value"]).lower())
    singular = value[:-1] if value.endswith("s") and not value.endswith("ss") else value
    return _slug(template.format(**{**groups, "value": singular}))


def _makes_sense(match: SlotMatch) -> bool:
    """Without "I like it", "my brother On Friday", "my feet are dead"."""
    value, owner = fold(match.value), match.groups.get("owner")
    named = [value] if match.rule.related else []
    if owner is not None:
        named.append(fold(owner))
    return not (
        _NO_THING.search(value.lower())
        or any(_NO_NAME.search(each) for each in named)
        or _NO_SLOT.search(match.groups.get("slot", ""))
        or (match.rule.attribute == "job" and _NO_JOB.search(value))
        or (match.rule.small and _NO_SMALL[match.rule.attribute].search(value))
        or (match.rule.name == "introduces" and _NOT_INTRODUCED.search(value))
        or (match.rule.rest and _STATE.search(value))
        or (match.rule.name == "allergy" and _NO_ALLERGEN.search(value))
        or (
            match.rule.name in ("introduces", "called", "left the employer", "new employer")
            and (_NO_NAME.search(value) or _DEMONYM.search(value))
        )
    )


def _slot(
    message: Message, sentence: Sentence, meant: Sentence, match: SlotMatch, attribute: str, speaker: Speaker,
) -> Candidate:  # fmt: skip
    rule, groups = match.rule, match.groups
    dates = _dates(meant.folded, message)
    inside = [each for each in dates if match.start <= each.start < match.end]
    if rule.small:
        groups = groups | {"value": groups["value"].title()}
    value = voice.of_somebody(groups["value"])
    words = {
        **groups,
        "value": value,
        "a_value": voice.with_article(value),
        "who": speaker.label,
        "whose": voice.possessive(speaker),
    }
    change, old = change_of(sentence)
    return Candidate(
        kind=rule.kind, text=rule.text.format(**words), subject=_slug(rule.subject.format(**groups)), attribute=attribute,
        value=groups["value"], target=rule.target, confidence=rule.confidence, trust="user", rule=f"{rule.kind}/{rule.name}",
        reason=f"the user said so in plain words (rule {rule.name!r})", sources=(_source(message, sentence),),
        valid_from=message.created_at, dates=_resolved(meant.original, inside), change=rule.change or change,
        replaced_value=groups.get("old") or old, related=_related(rule.related, groups),
    )  # fmt: skip


def _related(templates: tuple[str, str] | None, groups: dict[str, str]) -> tuple[str, str] | None:
    if templates is None:
        return None
    return templates[0].format(**groups).lower(), templates[1].format(**groups)


def statement_candidates(
    message: Message,
    statements: Sequence[Sentence],
    probability: float,
    reason: str,
    speaker: Speaker,
) -> Iterator[Candidate]:
    """Whole statements of a message whose worth is high enough, neighbours joined where one leans on the other."""
    groups = grouped(statements)
    for group in groups:
        if len(groups) > 1 and not is_concrete(group):
            continue
        start, end = group[0].start, group[-1].end
        original = message.content[start:end]
        yield whole_candidate(
            message, original, speaker, kind=kind_of(group), target=target_of(group), confidence=probability,
            rule="statement", reason=reason, group=group,
        )  # fmt: skip


def answer_candidate(
    message: Message, question: str, statements: Sequence[Sentence], rule: str, speaker: Speaker
) -> Candidate:
    """A short answer, with the question that says what it is about."""
    original = message.content[statements[0].start : statements[-1].end].strip()
    dates = _dates(fold(original), message)
    change, old = change_of(*statements)
    return Candidate(
        kind=kind_of(statements), text=f'{ASKED}{question}", {speaker.label} said: "{voice.with_dates(original, dates)}"',
        subject=_subject(statements[0]), attribute="", value="", target="memory", confidence=0.6, trust="user", rule=f"answer/{rule}",
        reason=f"an answer that states something (rule {rule!r})", sources=(Source(message.id, original),), valid_from=message.created_at,
        dates=_resolved(original, dates), change=change or "replaces", replaced_value=old,
    )  # fmt: skip


def standing_candidate(
    message: Message, sentence: Sentence, rule: ShapeRule, speaker: Speaker
) -> Candidate:
    """An order to be kept: "always …", "from now on …"."""
    return whole_candidate(
        message, sentence.original, speaker, kind=rule.kind, target=rule.target, confidence=0.8, rule=f"{rule.kind}/{rule.name}",
        reason=f"a standing order (rule {rule.name!r})", group=[sentence],
    )  # fmt: skip


def asked_candidate(message: Message, asked: Asked, speaker: Speaker) -> Candidate:
    """What the user asked to remember, in English in the third person, else in the user's own words."""
    english = asked.language == "en"
    found = next(slot_candidates(message, asked.sentence, speaker), None) if english else None
    slot = found[1] if found else None
    shape = (
        next((rule for rule in SHAPES if match_shape(rule, asked.sentence)), None)
        if english
        else None
    )
    dates = _dates(asked.sentence.folded, message) if english else []
    text = (
        voice.to_sentence(asked.sentence.original, dates, speaker)
        if english
        else f'{speaker.label} asked to remember: "{asked.sentence.original.strip()}"'
    )
    change, old = change_of(asked.sentence)
    return Candidate(
        kind=slot.kind if slot else shape.kind if shape else "fact", text=text, subject=slot.subject if slot else _subject(asked.sentence),
        attribute=slot.attribute if slot else "", value=slot.value if slot else "", target=_asked_target(slot, shape), confidence=0.95,
        trust="user", rule=f"explicit/{asked.language}", reason="the user asked to remember it",
        sources=(Source(message.id, message.content[asked.start : asked.end].strip()),), valid_from=message.created_at,
        dates=_resolved(asked.sentence.original, dates), change=change, replaced_value=old, related=slot.related if slot else None,
    )  # fmt: skip


def _asked_target(slot: Candidate | None, shape: ShapeRule | None) -> Target:
    return slot.target if slot else shape.target if shape else "memory"


def quarantined_candidate(message: Message, start: int, end: int) -> Candidate:
    """An order about memory in a tool's or document's text, for a person to look at."""
    quote = message.content[start:end].strip()
    return Candidate(
        kind="instruction", text=f'An order found in a tool result or document: "{quote}"', subject="agent", attribute="", value="",
        target="memory", confidence=0.1, trust="tool", rule="poison/order", reason="text that is not the user's gives orders about memory",
        sources=(Source(message.id, quote),), valid_from=message.created_at, quarantined=True,
    )  # fmt: skip


def whole_candidate(
    message: Message, original: str, speaker: Speaker, *, kind: Kind, target: Target, confidence: float, rule: str, reason: str,
    group: Sequence[Sentence], trust: Trust = "user",
) -> Candidate:  # fmt: skip
    """A statement as a whole, without a slot."""
    original = original.strip()
    quote = message.content[group[0].start : group[-1].end].strip()
    dates = _dates(fold(original), message)
    change, old = change_of(*group)
    return Candidate(
        kind=kind, text=voice.to_sentence(original, dates, speaker), subject=_subject(group[0]), attribute="", value="", target=target,
        confidence=round(confidence, 3), trust=trust, rule=rule, reason=reason, sources=(Source(message.id, quote),),
        valid_from=message.created_at, dates=_resolved(original, dates), change=change, replaced_value=old,
    )  # fmt: skip


def grouped(statements: Sequence[Sentence]) -> list[list[Sentence]]:
    """Neighbouring sentences joined where the later one leans on the earlier: a pronoun, a fragment, a short remark."""
    groups: list[list[Sentence]] = []
    for each in statements:
        last = groups[-1] if groups else None
        near = last is not None and each.start - last[-1].end <= 2
        if (
            last is not None
            and near
            and each.end - last[0].start <= MAX_STATEMENT_CHARS
            and _leans(each, last)
        ):
            last.append(each)
        else:
            groups.append([each])
    return groups


def _leans(sentence: Sentence, before: Sequence[Sentence]) -> bool:
    short = len(sentence.words) < 6 or sum(len(each.words) for each in before) < 6
    return (
        short or voice.leans_on_earlier(sentence.folded) or not _OWN_SUBJECT.search(sentence.folded)
    )


def kind_of(group: Sequence[Sentence]) -> Kind:
    """The kind of a statement: that of the first rule with its shape, else a fact, or a relation where family is named."""
    for rule in SHAPES:
        if any(match_shape(rule, each) for each in group):
            return rule.kind
    return "relation" if any(_KIN.search(each.folded) for each in group) else "fact"


def target_of(group: Sequence[Sentence]) -> Target:
    """Where a statement belongs: standing orders to core, everything else to memory."""
    return next(
        (
            rule.target
            for rule in SHAPES
            if rule.standing and any(match_shape(rule, each) for each in group)
        ),
        "memory",
    )


def change_of(*group: Sentence) -> tuple[Change | None, str | None]:
    """Whether the words say that an earlier fact changed, and the old value where they name it."""
    for rule, pattern in _CHANGES:
        for sentence in group:
            match = pattern.search(sentence.folded)
            if match:
                return rule.change, _old_value(match, sentence)
    return None, None


def _old_value(match: Any, sentence: Sentence) -> str | None:
    for name in ("old", "old2"):
        span = group_span(match, name)
        if span:
            return sentence.original[span[0] : span[1]].strip()
    return None


def _subject(sentence: Sentence) -> str:
    """The user where the words are in the first person, else the name they open with."""
    name = _NAME.search(sentence.folded)
    if name and not _OPENERS.search(name.group().split(" ", maxsplit=1)[0].lower()):
        return _slug(name.group())
    return "user" if _FIRST_PERSON.search(sentence.folded) else ""


def _source(message: Message, sentence: Sentence) -> Source:
    return Source(message.id, message.content[sentence.start : sentence.end])


def _dates(folded: str, message: Message) -> list[FoundDate]:
    return find_dates(folded, message.created_at)


def _resolved(original: str, dates: Sequence[FoundDate]) -> tuple[ResolvedDate, ...]:
    return tuple(
        ResolvedDate(original[each.start : each.end], each.day) for each in dates if each.day
    )


def _slug(text: str) -> str:
    return fold(text).strip().lower().replace(" ", "_")


def cites_secret(candidate: Candidate) -> bool:
    """Whether a masked secret stands in its text or quotes."""
    return MASK in candidate.text or any(MASK in source.quote for source in candidate.sources)
