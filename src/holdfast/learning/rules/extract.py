"""The `rules` extractor: messages of one conversation in, candidates out. Deterministic, offline, linear in the length of the text."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple

from holdfast.learning.model import (
    CONTEXT_MESSAGES,
    Candidate,
    Extraction,
    Message,
    Said,
    Source,
    Speaker,
)
from holdfast.learning.rules import build, lasting, parts, poison
from holdfast.learning.rules import worth as worths
from holdfast.learning.rules.corrected import corrections
from holdfast.learning.rules.families import answer as answers
from holdfast.learning.rules.family import ShapeRule
from holdfast.learning.rules.lexicon import word_list
from holdfast.learning.rules.reading import MAX_CHARS, Reading, read
from holdfast.learning.rules.text import Sentence, compile_rule, fold, sentences
from holdfast.learning.rules.worth import Worth, holds_change, worth_of
from holdfast.learning.secrets import mask_secrets

RETRACTION_REACH = 6
"""How many messages back "forget I said it" reaches."""
SITTING = timedelta(hours=6)
"""A message that comes later than this after the one before does not go on with it."""
CONTEXT_CHARS = 200
"""How much of the message before is a candidate's context."""
MESSAGE_CHARS = 600
"""How much of a candidate's own message is kept to compare it by."""
SHORT_ANSWER = 6
"""So many words are kept together with the question that they answer."""
SLOT_COVERS = 0.7
"""Where the matches of slots are at least this share of a sentence, the sentence is not kept a second time as a statement."""

_YES: Any = compile_rule(
    r"^(?:yes|yep|yup|yeah|yea|correct|exactly|right|that's right|thats right|indeed|true|that's correct|spot on|precisely|you got it)\b[\s,.!]*"
)
_ANSWERS = tuple(
    (
        rule.name,
        compile_rule(rule.question),
        compile_rule(rule.unless) if rule.unless else None,
        compile_rule(rule.answer),
    )
    for rule in answers.RULES
)
_ABOUT: Any = compile_rule(
    r"\b(?:forget|ignore|disregard) (?:(?:what i said|everything|that bit|the part) about (?:the |my )?|(?:that |the fact that |about )?(?:i|i'm|im|my) )([^.,!?]{2,40})"
)
_NO_TOPIC = frozenset(
    word_list(
        "i im my me the a an is am are was in on at to of for and or like have has do don't live that it said told mentioned asked wrote you just ever all"
    )
)
"""Words that do not say what "forget that I live in Porto" is about."""
_OPENING: Any = compile_rule(
    r"^(?:(?:actually|also|and|so|but|no|nope|yes|yeah|oh|ok|okay|well|btw|by the way|correction|hi|hello|hey|fyi|sorry|update|turns out|i(?:'ve| have)? changed my mind)[,:;.!]* )+"
)
"""Words before what a sentence says, which no slot covers."""
_CLOSING: Any = compile_rule(
    r"(?:,? (?:any ?more|any longer|these days|nowadays|now|at the moment|currently|finally|again|too|as well|please|by the way|btw|for now|actually|lol|haha))*(?:, not [^,.;:!?]{1,40})?[.!]*$"
)
"""Words behind it, likewise."""
_YOU_TO_I: tuple[tuple[Any, str], ...] = tuple(
    (compile_rule(pattern), word)
    for pattern, word in ((r"\byou(?:'re| are)\b", "I'm"), (r"\byou(?:'ve| have)\b", "I have"), (r"\byour\b", "my"), (r"\byou\b", "I"))
)  # fmt: skip


def to_weigh(messages: Sequence[Message], context: Sequence[Message] = ()) -> list[Said]:
    """What the user said that states anything: `extract` takes a model's reading of it."""
    before = [_masked(each) for each in context[-CONTEXT_MESSAGES:]]
    every = [*before, *(_masked(each) for each in messages)]
    own = (at for at in range(len(before), len(every)) if every[at].role == "user")
    return list(dict.fromkeys(_said(every, at) for at in own if _stated(read(every[at]))))


def _said(every: Sequence[Message], at: int) -> Said:
    return Said(every[at].content[:MAX_CHARS], _end_before(every[at], every[:at]))


def _end_before(message: Message, before: Sequence[Message]) -> str:
    """The end of what was said right before a message, where the message goes on with it."""
    return before[-1].content[-CONTEXT_CHARS:] if _goes_on(message, before) else ""


def extract(
    messages: Sequence[Message],
    *,
    context: Sequence[Message] = (),
    speaker: Speaker,
    chances: lasting.Chances = lasting.NO_CHANCES,
) -> Extraction:
    """Read new messages, with up to ten before them as context only; `chances` are how likely what `to_weigh` gives is worth keeping."""
    before = [_masked(each) for each in context[-CONTEXT_MESSAGES:]]
    new = [_masked(each) for each in messages]
    every = before + new
    found: list[Candidate] = []
    retracted: list[str] = []
    for at in range(len(before), len(every)):
        message = every[at]
        if message.role == "tool":
            found += _orders(message)
        elif message.role == "user":
            reading = read(message)
            if reading.takes_back:
                retracted += _taken_back(every, at)
            said_before = every[max(0, at - CONTEXT_MESSAGES) : at]
            own = message.content[-MESSAGE_CHARS:]
            chance = chances.get(_said(every, at))
            found += (
                replace(each, context=_end_before(message, said_before), message=own)
                for each in _from_user(reading, said_before, speaker, chance)
            )
    return Extraction(tuple(_kept(found, retracted)), tuple(dict.fromkeys(retracted)))


def _masked(message: Message) -> Message:
    return replace(message, content=mask_secrets(message.content))


def _orders(message: Message) -> Iterator[Candidate]:
    for order in poison.find_orders(fold(message.content[:MAX_CHARS])):
        yield build.quarantined_candidate(message, order.start, order.end)


_DOUBTFUL = frozenset({"joke", "sarcasm", "hypothetical", "unsure", "quotation"})


class Keeping(NamedTuple):
    """What becomes of the statements of a message that fill no slot."""

    probability: float
    is_kept: bool
    is_hardly: bool
    """Not even plain statements are kept."""
    reason: str
    may_replace: bool = False
    """It is kept where it replaces something."""


def _stated(reading: Reading) -> list[Sentence]:
    return [*reading.statements, *(each for each, _ in reading.standing)]


def _from_user(
    reading: Reading, before: Sequence[Message], speaker: Speaker, chance: float | None
) -> Iterator[Candidate]:
    message = reading.message
    for start, end in reading.orders:
        yield build.quarantined_candidate(message, start, end)
    for asked in reading.asked:
        yield from parts.asked_candidates(message, asked, speaker)
    for sentence, rule in reading.standing:
        yield from _standing(message, sentence, rule, speaker)
    put_right = dict(corrections(reading, before, speaker))
    left = tuple(each for each in reading.statements if each not in put_right)
    reading = replace(reading, statements=left)
    worth = worth_of(
        _stated(reading),
        beside=reading.beside, answers=_answers(message, before), follows_own=_follows_own(message, before),
    )  # fmt: skip
    opens = not message.name and not _goes_on(message, before)
    keeping = _keeping(reading, worth, chance, opens=opens)
    question = _question_before(message, before)
    found = [*_statements(reading, keeping, question, speaker), *put_right.values()]
    yield from found or _answered(reading, question, speaker)
    yield from _confirmed(reading, before, speaker)


def _standing(
    message: Message, sentence: Sentence, rule: ShapeRule, speaker: Speaker
) -> Iterator[Candidate]:
    """An order to be kept: the slots that it fills ("answer in German from now on"), or itself."""
    slots = [
        candidate
        for match, candidate in build.slot_candidates(message, sentence, speaker)
        if match.end - match.start >= SLOT_COVERS * len(sentence.folded)
    ]
    yield from slots or [build.standing_candidate(message, sentence, rule, speaker)]


def _keeping(reading: Reading, worth: Worth, chance: float | None, *, opens: bool) -> Keeping:
    """By the cues, and by the model's reading where there is one; `opens`: the message opens a conversation with an assistant alone."""
    changes = holds_change(reading.statements)
    if chance is None:
        least = worths.KEEP_CHANGE if changes else worths.KEEP
        cues = ", ".join(worth.cues) or "length"
        return Keeping(
            worth.probability, worth.probability >= least, False, f"a concrete statement ({cues})"
        )
    probability = lasting.probability(worth.probability, chance)
    least = lasting.KEEP_CHANGE if changes else lasting.KEEP
    if reading.beside & _DOUBTFUL:
        least = lasting.KEEP_DOUBTFUL
    elif opens:
        least = min(least, lasting.KEEP_OPENING)
    reason = f"likely to be worth keeping ({probability:.2f})"
    ends = build.change_of(*reading.statements)[0] is not None
    may_replace = probability < least and (ends or probability >= lasting.KEEP_IF_REPLACES)
    return Keeping(
        probability, probability >= least, probability < lasting.HARDLY, reason, may_replace
    )


def _statements(
    reading: Reading, keeping: Keeping, question: str, speaker: Speaker
) -> Iterator[Candidate]:
    """Slots, and where the message is worth keeping, the statements that slots do not cover; short ones with the question that they
    answer.
    """
    left: list[Sentence] = []
    partly: set[Sentence] = set()
    for sentence in reading.statements:
        filled = 0
        for match, candidate in build.slot_candidates(reading.message, sentence, speaker):
            if keeping.is_kept or not match.rule.passing:
                yield candidate
                filled += match.end - match.start
        if filled < SLOT_COVERS * _length(sentence):
            left.append(sentence)
            if filled:
                partly.add(sentence)
    whole = list(_whole(reading, left, keeping, question, speaker))
    if keeping.is_kept:
        yield from whole
        return
    plain = []
    if not keeping.is_hardly:
        plain = list(parts.plain_candidates(reading.message, left, partly, speaker))
        yield from plain
    if keeping.may_replace and not plain:
        yield from (replace(each, only_as_change=True) for each in whole)


def _whole(
    reading: Reading, left: Sequence[Sentence], keeping: Keeping, question: str, speaker: Speaker
) -> Iterator[Candidate]:
    """The statements of a message that no slot covers, as they would be kept."""
    if question.endswith("?") and left and sum(len(each.words) for each in left) <= SHORT_ANSWER:
        yield replace(
            build.answer_candidate(reading.message, question, left, "short", speaker),
            confidence=round(keeping.probability, 3), reason=keeping.reason,
        )  # fmt: skip
        return
    yield from build.statement_candidates(
        reading.message, left, keeping.probability, keeping.reason, speaker
    )


def _question_before(message: Message, before: Sequence[Message]) -> str:
    """What somebody else said last before a message, in one short sentence, mostly a question; "" where nobody did, or it gives orders."""
    last = before[-1] if before else None
    if last is None or last.role == "tool" or _said_by(last) == _said_by(message):
        return ""
    asked = [
        each
        for each in sentences(last.content[:MAX_CHARS])
        if len(each.folded) <= answers.MAX_QUESTION_CHARS
    ]
    if not asked or any(poison.find_orders(asked[-1].folded)):
        return ""
    return asked[-1].original


def _answered(reading: Reading, question: str, speaker: Speaker) -> Iterator[Candidate]:
    """A short answer to a question of somebody else's about how something stands."""
    answer = " ".join(each.folded for each in reading.statements)
    if (
        question
        and reading.statements
        and sum(len(each.words) for each in reading.statements) <= answers.MAX_WORDS
    ):
        rule = answer_rule(fold(question), answer)
        if rule is not None:
            yield build.answer_candidate(
                reading.message, question, reading.statements, rule, speaker
            )


def answer_rule(question: str, answer: str) -> str | None:
    """The name of the rule by which an answer says something together with its question, both folded; None where none does."""
    for name, asks, unless, answers_it in _ANSWERS:
        meant = unless is None or not unless.search(question)
        if meant and asks.search(question) and answers_it.search(answer):
            return name
    return None


def _length(sentence: Sentence) -> int:
    """How long a sentence is without words that no slot covers."""
    opening, closing = _OPENING.search(sentence.folded), _CLOSING.search(sentence.folded)
    end = closing.start() if closing else len(sentence.folded)
    return max(end - (opening.end() if opening else 0), 1)


def _said_by(message: Message) -> tuple[str, str | None]:
    return message.role, message.name


def _answers(message: Message, before: Sequence[Message]) -> bool:
    last = before[-1] if before else None
    return last is not None and _said_by(last) != _said_by(message) and "?" in last.content[-80:]


def _goes_on(message: Message, before: Sequence[Message]) -> bool:
    """Whether it goes on with what was said before it; who comes back the next day opens the conversation anew."""
    return bool(before) and message.created_at - before[-1].created_at < SITTING


def _follows_own(message: Message, before: Sequence[Message]) -> bool:
    return bool(before) and _said_by(before[-1]) == _said_by(message)


def _confirmed(
    reading: Reading, before: Sequence[Message], speaker: Speaker
) -> Iterator[Candidate]:
    """What the assistant said about the user and the user confirmed: slots only, with the assistant's trust."""
    last = before[-1] if before else None
    yes = _YES.search(fold(reading.message.content))
    if last is None or last.role != "assistant" or not yes:
        return
    for sentence in sentences(last.content[:MAX_CHARS])[-2:]:
        turned = _about_me(sentence)
        for _, candidate in build.slot_candidates(last, turned, speaker):
            own = Source(reading.message.id, reading.message.content[: yes.end()].strip())
            yield replace(
                candidate, trust="assistant", confidence=round(candidate.confidence * 0.8, 3), rule=f"confirmed/{candidate.rule}",
                reason="the assistant said it and the user confirmed it", valid_from=reading.message.created_at,
                sources=(own, Source(last.id, sentence.original)),
            )  # fmt: skip


def _about_me(sentence: Sentence) -> Sentence:
    """ "So you live in Porto?" as the user would say it."""
    text = sentence.original.rstrip("?")
    for pattern, word in _YOU_TO_I:
        text = pattern.sub(word, text)
    return Sentence(0, len(text), text, fold(text))


def _taken_back(every: Sequence[Message], at: int) -> list[str]:
    """The user's last message before this one, where it is near enough: what "forget I said it" is about.

    "Forget what I said about Leeds" means the last one that speaks of Leeds.
    """
    said = _said_by(every[at])
    about = _ABOUT.search(fold(every[at].content))
    topic = (
        [word for word in about.group(1).lower().split() if word not in _NO_TOPIC] if about else []
    )
    for message in reversed(every[max(0, at - RETRACTION_REACH) : at]):
        meant = not topic or any(word in fold(message.content).lower() for word in topic)
        if _said_by(message) == said and meant and _states(message):
            return [message.id]
    return []


def _states(message: Message) -> bool:
    reading = read(message)
    return bool(reading.statements or reading.standing or reading.asked)


def _kept(found: Sequence[Candidate], retracted: Sequence[str]) -> Iterator[Candidate]:
    """Without what was taken back, what cites a secret, and what says the same as a candidate before it."""
    gone = set(retracted)
    seen: set[tuple[str, str]] = set()
    for each in found:
        key = (each.attribute and f"{each.subject}:{each.attribute}", each.text.lower())
        if (
            key in seen
            or build.cites_secret(each)
            or {source.message_id for source in each.sources} <= gone
        ):
            continue
        seen.add(key)
        yield each
