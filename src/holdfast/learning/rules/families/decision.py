"""What was decided, by the user or with the user."""

from holdfast.learning.rules.family import ShapeRule

RULES: tuple[ShapeRule, ...] = (
    ShapeRule(
        "decided", "decision",
            r"\b(?:i|we|i've|we've|i have|we have|she|he|they|it's|its) (?:just |finally |all |both |have |been )*(?:decided"
            r"|agreed|chose|settled on|opted|made up (?:my|our) mind|turned (?:\w+ )?down|cancell?ed|withdrew|gave up"
            r"|refused|rejected|declined)\b|^(?:decided|decision|agreed|settled|official|final)\b",
        examples=("We decided to keep the van.", "I cancelled the hall, 39 a month."), not_examples=("It is hard to decide.",),
    ),
    ShapeRule(
        "going with", "decision",
            r"\b(?:going with|go with|we'll (?:take|keep|use)|i'll (?:take|keep) the|sticking with|stick with|switched to"
            r"|switching to|changed (?:my|our) mind|from now on|for good|instead of|rather than)\b|\bit is\b[.!]*$",
        examples=("Good, small business it is.", "We're going with Postgres."), not_examples=("It is raining.",),
    ),
)  # fmt: skip
