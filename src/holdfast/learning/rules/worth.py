"""How much a message is worth keeping: cues with weights, added up.

A long-term memory wants what is concrete and lasting: numbers, dates, names, changes, health, standing habits. It does not want
remarks. No single pattern tells the two apart, so each cue says how much it speaks for or against, and the sum decides. The
weights were fitted (logistic regression, then rounded) on the tuning spaces of data/memchat; `bench/extract.py` measures them.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.learning.rules.families.correction import CHANGED
from holdfast.learning.rules.lexicon import KIN, MONTH, NUMBER, PEOPLE, PETS, WEEKDAY
from holdfast.learning.rules.text import Sentence, compile_rule


@dataclass(frozen=True)
class Cue:
    """A sign, found once or not at all in the statements of a message."""

    name: str
    weight: float
    pattern: str
    example: str
    ignore_case: bool = True


CUES: tuple[Cue, ...] = (
    Cue("digit", 0.5, r"\d", "I paid 40 for it"),
    Cue("several numbers", 0.2, r"\d\D+\d", "2 rooms, 410 a week"),
    Cue("number word", 0.0, rf"\b(?:{NUMBER[len('(?:'):-1]})\b", "three of us"),
    Cue("money", 0.1,
        r"[$€£]\s?\d|\b\d[\d.,]*\s?(?:euros?|eur|pounds?|quid|dollars?|usd|bucks|grand|kr|kronor|pesos|rupees"
        r"|k)\b", "it cost 90 euros"),
    Cue("month", 0.6, rf"\b{MONTH}\b", "in june"),
    Cue("day of a month", 0.2,
        rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}\b|\b{MONTH} \d{{1,2}}\b|\bthe \d{{1,2}}(?:st|nd|rd|th)\b", "the 3rd of May"),
    Cue("weekday", 0.2, rf"\b{WEEKDAY}s?\b", "on tuesday"),
    Cue("every such day", 0.4,
        r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|\b(?:every|each) (?:day|week|month|year|morning|evening"
        r"|night|\w+day)\b|\b(?:once|twice|times|hours?|nights?|days?|mornings?) (?:a|per) (?:day|week|month"
        r"|year)\b", "twice a week"),
    Cue("year", 0.3, r"\b(?:19|20)\d\d\b", "in 2019"),
    Cue("relative date", 0.0,
        r"\b(?:yesterday|tomorrow|last (?:week|month|year|\w+day)|next (?:week|month|year|\w+day)|ago)\b", "last friday"),
    Cue("since", 0.3,
        r"\b(?:since|for (?:\w+ )?(?:\d+|two|three|four|five|six|ten|many|several) (?:years|months|weeks))\b", "since march"),
    Cue("until", 0.0, r"\b(?:until|till|til)\b", "until easter"),
    Cue("from now on", 0.4,
        r"\b(?:from now on|from (?:today|tonight|tomorrow|january|september)|as of|new rule|for good|permanent(?:ly)?"
        r"|no longer|not any ?more|any ?more|instead)\b", "from now on"),
    Cue("change", 0.4,
        r"\b(?:mov(?:ed|ing)|started|starts|starting|quit|left|leaving|bought|sold|booked|signed|settled|passed"
        r"|failed|cancell?ed|changed|switched|hired|fired|promoted|retired|born|died|married|engaged|divorced"
        r"|diagnosed|broken?|adopted|joined|finished|accepted|rejected|refused|turned down|won|lost|ordered|renewed"
        r"|replaced|fixed|repaired|postponed|pushed|delayed|approved|granted|offered|graduated|raised|opened"
        r"|closed|shipped|merged|upgraded|dropped|got the|got a|gave up|given up|enrolled|published|recovered"
        r"|expired)\b", "she moved"),
    Cue("decision", 0.2,
        r"\b(?:decided|decision|settled|agreed|going with|go with|chose|chosen|picked|stick(?:ing)? with|it is"
        r"|final|official|confirmed|rather than|instead of)\b", "we decided"),
    Cue("health", 0.5,
        r"\b(?:allerg\w+|intoleran\w+|diabet\w+|coeliac|celiac|asthma|migraines?|doctor|gp|hospital|surgery|operation"
        r"|surgeon|knee|hip|wrist|shoulder|ankle|blood|pills?|tablets?|dose|mg|pregnan\w+|diagnos\w+|vaccin\w+"
        r"|physio|injur\w+|x-?ray|anxiety|depress\w+|cancer|stroke|insulin|medication|inhaler)\b", "my knee"),
    Cue("preference", 0.1,
        r"\b(?:likes?|loves?|hates?|prefers?|favou?rite|can't stand|cant stand|dislikes?|enjoys?|vegetarian|vegan"
        r"|(?:don't|dont|won't|doesn't|doesnt) (?:eat|drink|like|touch)|terrified|afraid of|scared of|allergic)\b", "she hates olives"),
    Cue("standing", 0.2, r"\b(?:always|never|every|only|must|rules?|each|usually|normally)\b", "only on sundays"),
    Cue("work and home", 0.2,
        r"\b(?:lives?|living|works?|working|job|office|rent|rents|flat|house|apartment|school|college|university"
        r"|company|salary|shifts?|contract|team|course|exam|degree|landlord|landlady|mortgage|visa|licen[cs]e"
        r"|project|deadline|budget)\b", "my flat"),
    Cue("family or friend", 0.2, rf"\b(?:{KIN}|{PEOPLE}|{PETS})s?\b", "my sister"),
    Cue("he or she", 0.2, r"\b(?:he|she|he's|she's|hes|shes|his|her|him)\b", "she is nine"),
    Cue("they", 0.3, r"\b(?:they|they're|theyre|their|them)\b", "they said no"),
    Cue("name", 0.3, r"[a-z0-9,;:)] (?:[A-Z][a-z]{2,})\b", "with Nessa", ignore_case=False),
    Cue("several names", 0.2,
        r"[a-z0-9,;:)] [A-Z][a-z]{2,}\b.*[a-z0-9,;:)] [A-Z][a-z]{2,}\b", "from Porto to Oslo", ignore_case=False),
    Cue("called", 0.1, r"\b(?:called|named|name is|name's)\b", "a dog called Gary"),
    Cue("is a", 0.1, r"\b(?:is|are|was|'s|'m|im|hes|shes) (?:a|an|the|my|our|his|her|on|in|at|from)\b", "she is a nurse"),
    Cue("news", 0.4,
        r"\b(?:btw|by the way|also|update|news|turns out|for the record|fyi|oh and|other thing|one more|reminder"
        r"|remember|record)\b", "btw it works"),
    Cue("correction", 1.0,
        r"^(?:no,? )?(?:actually|correction)\b|\bnot [^,.;!?]{1,40},? but |, not (?:the |a |in |on |at )?\w+(?: \w+)?[.!]*$"
        r"|\b(?:no longer|any ?more)\b|\binstead of\b|\bchanged my mind\b", "Actually it's the left one"),
    Cue("list", 0.1, r"[;:]\s", "rules: no mocks"),
    Cue("negation", 0.1, r"\b(?:not|no|never|none|nobody|nothing|\w+n't|dont|doesnt|didnt|isnt|wont|cant)\b", "no meat"),
    Cue("exclamation", 0.2, r"!", "got it!"),
    Cue("capitals", 0.2, r"\b[A-Z]{4,}\b", "she is STAYING", ignore_case=False),
    Cue("you", -0.2, r"\b(?:you|your|yours|you're|youre|u|ur|you've|you'll|ye)\b", "you know"),
    Cue("we", -0.2, r"\b(?:we|we're|we've|we'll|us)\b", "we saw"),
    Cue("doubt", -0.3, r"\b(?:would|could|should|might|maybe|perhaps|probably|if)\b", "it could"),
    Cue("opinion", -0.2,
        r"\b(?:i (?:think|guess|suppose|hope|reckon|wonder|know|mean|feel)|seems?|looks like|sounds like)\b", "i think"),
    Cue("simile", -0.1, r"\blike (?:a|an|the)\b|\bas if\b", "like a queen"),
    Cue("strong feeling", -0.2,
        r"\b(?:cried|cry|crying|god|lord|hell|damn|shit|fuck\w*|dying|dead|hilarious|funny|weird|mad|crazy|wow"
        r"|omg|ugh|lol|haha)\b|[😭💀🙄😅]", "omg"),
    Cue("attachment", -0.2, r"^\[|voice message", "[photo: a dog]"),
    Cue("reported", -0.1, r"\b(?:says?|said|told|reckons?|asked|asks)\b", "he says"),
    Cue("taking back", -0.4, r"\b(?:i mean|no wait|wait no|scratch that|never ?mind|forget (?:it|i))\b", "no wait"),
)  # fmt: skip

BASE = -3.6
PER_LOG_WORD = 0.8
"""Longer statements carry more: per natural logarithm of the number of words, plus one."""
SHORT = -0.5
"""Fewer than seven words."""
ANSWERS = 0.2
"""The message before, by somebody else, asks something."""
SHORT_ANSWER = 0.4
NO_CAPITALS = 0.4
"""Written without capitals, where the cues of names are silent."""
FOLLOWS_OWN = 0.1
"""The message before is the same person's."""
BESIDE = {"joke": -0.3, "sarcasm": -0.3, "hypothetical": -0.3, "unsure": -0.3, "quotation": -0.3}
"""Other sentences of the message are in these moods. Not fitted, but set for the sake of traps: what stands beside a joke or a
quotation is likelier to be part of it."""
KEEP = 0.58
"""The least worth (a probability) at which a message's statements are kept. Measured: see docs/learning.md."""
KEEP_CHANGE = 0.30
"""The same where they hold a word of change: a missed change leaves an earlier fact standing that is wrong now."""

CONCRETE = 0.4
"""The least sum of positive cues that a part of a kept message needs, to be kept with it."""

_COMPILED = tuple((cue, compile_rule(cue.pattern, ignore_case=cue.ignore_case)) for cue in CUES)
_CHANGED: Any = compile_rule(CHANGED)
_CAPITAL: Any = compile_rule(r"\b[A-Z][a-z]", ignore_case=False)


@dataclass(frozen=True)
class Worth:
    """How likely a message is worth keeping, and the cues that said so, strongest first."""

    probability: float
    cues: tuple[str, ...]


def features(
    statements: Sequence[Sentence], *, beside: Collection[str], answers: bool, follows_own: bool
) -> dict[str, float]:
    """What the sum is made of, by name: also what the weights are fitted on."""
    text = " ".join(each.folded for each in statements)
    words = sum(len(each.words) for each in statements)
    found = {cue.name: float(bool(pattern.search(text))) for cue, pattern in _COMPILED}
    found |= {f"beside {mood}": float(mood in beside) for mood in BESIDE}
    return found | {
        "log words": math.log1p(words),
        "short": float(words < 7),
        "answers": float(answers),
        "short answer": float(answers and words < 8),
        "no capitals": float(not _CAPITAL.search(text)),
        "follows own": float(follows_own),
    }


_WEIGHTS = (
    {cue.name: cue.weight for cue in CUES}
    | {f"beside {mood}": weight for mood, weight in BESIDE.items()}
    | {
        "log words": PER_LOG_WORD,
        "short": SHORT,
        "answers": ANSWERS,
        "short answer": SHORT_ANSWER,
        "no capitals": NO_CAPITALS,
        "follows own": FOLLOWS_OWN,
    }
)


def worth_of(
    statements: Sequence[Sentence], *, beside: Collection[str], answers: bool, follows_own: bool
) -> Worth:
    """The worth of the statements of one message; `beside` are the moods of its other sentences."""
    found = features(statements, beside=beside, answers=answers, follows_own=follows_own)
    parts = {name: value * _WEIGHTS[name] for name, value in found.items()}
    total = BASE + sum(parts.values())
    named = sorted(
        (cue.name for cue in CUES if parts[cue.name] > 0), key=lambda name: (-parts[name], name)
    )
    return Worth(1 / (1 + math.exp(-total)), tuple(named[:3]))


def holds_change(statements: Sequence[Sentence]) -> bool:
    """Whether statements hold a word of change."""
    return bool(_CHANGED.search(" ".join(each.folded for each in statements)))


def is_concrete(group: Sequence[Sentence]) -> bool:
    """Whether a part of a message says something by itself: "Love that." beside a fact does not."""
    text = " ".join(each.folded for each in group)
    total = sum(cue.weight for cue, pattern in _COMPILED if cue.weight > 0 and pattern.search(text))
    return total >= CONCRETE and sum(len(each.words) for each in group) >= 3
