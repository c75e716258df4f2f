"""What is going to happen."""

from holdfast.learning.rules.family import ShapeRule
from holdfast.learning.rules.lexicon import MONTH, WEEKDAY

_WHEN = (
    rf"(?:on|by|from|until|till|til|at|in|before|after|next|this) (?:the )?(?:\d|{MONTH}\b|{WEEKDAY}\b|week"
    r"|month|year|spring|summer|autumn|fall|winter|easter|christmas|xmas|term)"
)

RULES: tuple[ShapeRule, ...] = (
    ShapeRule(
        "booked", "plan",
            r"\b(?:booked|scheduled|appointment|appt|due (?:on|in|by|date|\d)|deadline|planned for|is planned|save the date"
            r"|interview (?:is|on|at)|the date is|starts? (?:on|in|the|\d)|takes place|is set for|reserved)\b",
        examples=("We've booked Sardinia, 4th to the 14th of July.", "the deadline is 9 january"),
    ),
    ShapeRule(
        "going to", "plan",
            r"\b(?:i'm|im|i am|we're|were|we are|he's|she's|they're|hes|shes|is|are) (?:\w+ )?(?:moving|starting"
            r"|leaving|flying|getting married|going (?:to|on|back|home)|taking|joining|opening|having|visiting|travell?ing"
            r"|coming|retiring|buying|selling|doing|running|launching|gonna)\b|\b(?:i|we|he|she|they) (?:start|leave"
            rf"|fly|move|land|begin|finish|arrive|return|travel)s? {_WHEN}",
        examples=("I'm moving too, on 1 December.", "I start on 2 March at the wind company"), not_examples=("I'm done.",),
    ),
    ShapeRule(
        "will", "plan",
            rf"\b(?:will|'ll|shall|gonna|going to|plan to|planning to|intend to|aim to|hope to|want to|wants to)\b[^.!?]*\b(?:{_WHEN}"
            r"|tomorrow|tonight|soon|next)",
        examples=("I'll ring them on Tuesday.", "I want to finish by Christmas."), not_examples=("I will.",),
    ),
)  # fmt: skip
