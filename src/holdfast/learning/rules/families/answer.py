"""Short answers that only say something together with their question: "And the rent?" – "780 since January."

The question is somebody else's and asks how something stands; the answer holds a figure, a date, a name or an outcome.
"""

from dataclasses import dataclass

from holdfast.learning.rules.lexicon import MONTH, NAME, NUMBER, WEEKDAY


@dataclass(frozen=True)
class AnswerRule:
    """A sort of question and the answers to it that state something."""

    name: str
    question: str
    answer: str
    examples: tuple[tuple[str, str], ...]
    """A question and an answer to it."""
    not_examples: tuple[tuple[str, str], ...] = ()
    unless: str = ""
    """Questions that the pattern finds and the rule does not mean."""


_OUTCOME = (
    r"(?:passed|failed|accepted|rejected|refused|approved|granted|denied|cancell?ed|extended|postponed|sold|signed|settled|found (?:one|it|a)|got (?:it|in|the)"
    r"|did(?:n't| not) get (?:it|in|the)|home (?:again|now|since)|back (?:home|at|to|in|on)|gone|over|finished|healed|cleared|withdrew|turned (?:it|them) down|said (?:yes|no)|they (?:said|took|gave|moved|put)"
    r"|broke up|moved|stopped|quit|gave (?:it|that) up|no longer|not any ?more)"
)
_FIGURE = rf"(?:\d|\b{NUMBER}\b (?:[a-z]+ )?(?:euros?|pounds|dollars|kilos?|pages|hours|days|weeks|months|people|of (?:us|them)|a (?:day|week|month))|\b{WEEKDAY}s?\b|\b{MONTH}\b)"

_OPENING = r"^(?:(?:ok|so|oh|good|right|well|but|wait)[,.!]* |[^\w\s]+ )*"
"""What may stand before the question itself; an emoji is no word either."""

RULES: tuple[AnswerRule, ...] = (
    AnswerRule(
        "how it stands now",
        rf"{_OPENING}(?:any (?:news|word|update|luck)|(?:how is|how are|how's|hows|how did|how was) (?:the|your|his|her|my|[a-z]+)|what about|and (?:the|your|his|her|my|that)|(?:is|are) (?:it|she|he|that|they|you|the [a-z]+|(?-i:[A-Z][a-z]+)) still|still)\b[^?]{{0,40}}\?*\s*$",
        rf"{_FIGURE}|\b{_OUTCOME}\b|^(?:no|yes|nope|yep)[,.!]+ (?:(?:it's|its|he's|she's|the [a-z]+ is) )?{NAME} |\bsince\b|\bnow\b",
        (("And the rent?", "780 since January."), ("😂 and your test?", "passed it"), ("Any news from Bergen?", "Didn't get it. They took somebody local."), ("Is Ingrid still your manager?", "No, Farid is, since the reorganisation.")),
        (("How was the film?", "Oh, lovely."), ("And the weather?", "Grim as ever.")),
    ),
    AnswerRule(
        "one thing asked about",
        rf"{_OPENING}(?:the |your |his |her )?[a-z]{{3,}}\?+\s*$",
        rf"{_FIGURE}|\b{_OUTCOME}\b|\bsince\b|\bnow\b",
        (("sugar?", "121. doc was tickled."), ("The exam?", "Passed.")),
        (("Really?", "Yes, on Monday."), ("then?", "The rain stopped.")),
        unless=rf"{_OPENING}(?:and\?|(?:what|then|when|who|whose|why|how|where|which|really|seriously|sorry|pardon|yes|yeah|yep|nope|right|true|okay|huh|wait|already|still|today|tonight|tomorrow|now|again|always|never|ever|alone|both|everyone|everybody"
        r"|anyone|anything|something|someone|nothing|you|him|her|them|this|that|these|those|one|two|ready|sure|honestly|promise|deal|agreed|done|remember)\b)",
    ),
    AnswerRule(
        "how many or when",
        r"\b(?:how (?:many|much|long|old|often|far|big)|what (?:time|day|date|size|do the scales)|when (?:is|are|do|does|did|will|was)|when's|which (?:day|room|one|week))\b[^?]*\?\s*$",
        rf"{_FIGURE}|^(?:about |around |only )?{NUMBER}\b",
        (("How many guests is it?", "We cut it to 45."), ("What do the scales say?", "88 this morning."), ("When do you start?", "The first of May.")),
        (("How long do I bake it?", "Until golden."),),
    ),
    AnswerRule(
        "who or where",
        r"\b(?:who (?:is|are|does|takes?|leads?|runs?|signs?|has|will)|who's|where (?:is|are|do you|does (?:he|she)|will)|where's)\b[^?]*\?\s*$",
        rf"(?:^|[^.!?] ){NAME}",
        (("Who takes over status comms?", "Hanneke wants it."), ("Where do you meet?", "At the library in Moss Lane.")),
        (("Where is it?", "over there"),),
    ),
)  # fmt: skip

MAX_WORDS = 16
"""A longer answer says what it is about by itself."""
MAX_QUESTION_CHARS = 160
"""What is kept of a question stands in the memory: one sentence, not a document."""
