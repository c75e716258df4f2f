"""How the user wants to be served from now on, and rules of a house or a team."""

from holdfast.learning.rules.family import ShapeRule

_DO = (
    r"(?:give|use|write|answer|reply|call|send|put|add|keep|make|include|cite|refer|ask|tell|speak|talk|explain"
    r"|show|check|run|start|round|format|sign|mention|remind|assume|correct|teach|avoid|say|be|do|show|quote"
    r"|translate|list|leave|book|suggest|offer|convert|wrap|name|test|commit|merge|deploy|touch|change|delete"
    r"|commit|share|post|store)"
)
_AGENT = (
    r"(?:when(?:ever)? you|next time you|in this (?:project|repo|workspace|chat)|as my (?:coach|tutor|assistant"
    r"|editor|agent)|for this (?:project|kind of (?:work|task)))"
)

RULES: tuple[ShapeRule, ...] = (
    ShapeRule(
        "next time", "instruction",
            rf"\b(?:next time|in (?:the )?future),? (?:you |please |just |always |never |don't |do not |dont )*{_DO}\b",
        "agent_entry", standing=True,
        examples=("Next time run the tests first.",), not_examples=("Next time I'll be on time.",),
    ),
    ShapeRule(
        "for this agent", "instruction",
            rf"\b{_AGENT}\b[^.!?]*\b(?:always|never|please|don't|do not|dont|must|should|only|{_DO})\b",
        "agent_core", standing=True,
        examples=("When you quote prices, always add VAT.", "In this project, never use mocks."),
        not_examples=("When you arrived I was out.",),
    ),
    ShapeRule(
        "always or never", "instruction",
            rf"(?:^|[,.;:] |\b(?:and|but|please|pls|also|so|ok|rules?:|btw) )(?:please |pls |just )?(?:always|never(?: ever)?) (?:\w+ly )?{_DO}\b"
            rf"|\b(?:please|pls) (?:don't|dont|do not) ever\b|^(?:don't|dont|do not) ever {_DO}\b|(?:^|[,.;:] |\band ){_DO} (?:me "
            rf"|it |them |us )?(?:always|never|only)\b|^{_DO}\b[^.!?]*,? always[.!]*$",
        "user_core", standing=True,
        examples=("And always give me amounts in grams please, not cups.", "Never put a discount in a first email.", "teach me always with a sentence", "make all new columns utc_datetime_usec, always."),
        not_examples=("I never eat fish.", "He always gives up."),
    ),
    ShapeRule(
        "from now on", "instruction",
            r"\b(?:from now on|from (?:today|tonight) on|going forward|in future),? (?:please |pls |just |only |always "
            rf"|never |don't |dont |do not |can you |could you )*{_DO}\b|{_DO}[^.!?]{{0,60}}\b(?:from now on|going forward)\b",
        "user_core", standing=True,
        examples=("From now on answer in two sentences.", "Call me Sam from now on."),
        not_examples=("From now on I swim.",),
    ),
    ShapeRule(
        "rule", "instruction",
            r"\b(?:new|house|standing|golden|one|our|my|change of) (?:rules?|instructions?|policy)\b|^(?:rules?|policy"
            r"|instructions?)\s*:|\bno (?:[a-z]+ ){1,3}(?:ever|at all|whatsoever)\b|\bnobody (?:touches|merges|ships"
            r"|deploys|books|uses|opens)\b|\b(?:everything|everyone|all \w+) (?:must|has to|have to|gets|goes)\b"
            r"|\b(?:only|just) for (?:the )?[a-z]+ (?:only|tubs?|use)\b|\bnever anything else\b",
        "user_core", standing=True,
        examples=("new rule from tonight. everything gets green tape", "rules: no Mox, no mocks at all"),
        not_examples=("I follow the news.",),
    ),
    ShapeRule(
        "how to answer", "instruction",
        r"^(?:(?:also|and|please|pls|just)[,]? )*(?:keep|make) (?:your |the |all )?(?:answers?|replies|responses|explanations?|messages|summaries)\b"
        r"|^(?:(?:also|and|please|pls|just)[,]? )*(?:be|stay) (?:more |very )?(?:brief|concise|short|formal|informal|direct|blunt|polite)\b"
        r"|^(?:(?:also|and|please|pls|just)[,]? )*(?:use|prefer|avoid|no|no more) (?:the )?(?:metric|imperial|bullet points?|british|american|emojis?|markdown|jargon|formal|informal|first names?|24[- ]hour)\b"
        r"|^(?:(?:also|and|please|pls|just)[,]? )*(?:don't|dont|do not|never|avoid|stop) (?:use |using |put |putting |add |adding |write |writing |send |sending )?(?:any |so many |too many |me )?(?:emojis?|bullet points?|markdown|jargon|exclamation (?:marks?|points?)|hashtags?|em[- ]dashes|all caps|slang|disclaimers?)\b"
        r"|\bi(?:'d| would) (?:like|prefer|love) (?:it if )?you (?:to be|would be|were|was) (?:a bit |much )?(?:more |less )?(?:brief|concise|short|formal|informal|casual|direct|blunt|polite|detailed|verbose|friendly|critical|strict|patient)\b",
        "user_core", standing=True, unless=r"\b(?:for|in) this (?:one|time|e?mail|text|post|answer|reply|letter|message|part|case)\b|\bhere[.!]*$|\bin the (?:subject|title|heading|first|second|next|last)\b",
        examples=("Please keep answers short.", "Be concise.", "Use metric units.", "Don't use emojis.", "I'd like you to be more formal."), not_examples=("Use the second draft.", "Keep the van.", "Don't use the van.", "Don't use emojis in the subject.", "Keep the answers short in this one.", "I'd like you to be there."),
    ),
    ShapeRule(
        "please do not", "instruction",
            rf"(?:^|[.,] )(?:please|pls) (?:don't|dont|do not) {_DO}\b|\b(?:i want|i need|i expect) you to (?:always"
            r"|never|only)\b|\bdon't (?:ever )?(?:call|address) me\b",
        "user_core", standing=True,
        examples=("Please don't mention my mother.",),
    ),
)  # fmt: skip
