"""How the user wants to be served from now on, and rules of a house or a team."""

from holdfast.learning.rules.family import ShapeRule
from holdfast.learning.rules.lexicon import WEEKDAY

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

_THIS_ONCE = r"\b(?:for|in|of|on|to|with) (?:this|these|that)(?: [a-z]+)?\b|\bthis (?:one|time|file|text|table|list)\b|\bhere[.!]*$|\bin the (?:subject|title|heading|first|second|next|last)\b"

_ASK = (
    r"(?:give|use|write|answer|reply|call|send|put|add|keep|make|include|cite|tell|speak|talk|explain|show|check|round|format|sign|mention|remind|assume|correct|teach|avoid|say|quote|translate|list|leave|book|suggest"
    r"|offer|convert|name|share|point out|address|plan|summari[sz]e|recommend|bring up|ask|spell|drop|skip|start|end|propose|order|treat|spoil|flag|warn me|stick to|go easy|hold back|apologi[sz]e|repeat|joke|lecture|sugarcoat)"
)
"""What a service is asked to do."""
_YOURS = r"(?:answers?|repl(?:y|ies)|recipes?|functions?|texts?|drafts?|letters?|code|commands?|messages?|summar(?:y|ies)|e-?mails?|posts?|menus?|plans?|ideas?|suggestions?|tables?|lists?|quer(?:y|ies)|scripts?|translations?|explanations?|tips?|reports?|files?)"
"""What it makes, or is given."""
_STANDING = (
    rf"(?:every time|each time|at all times|(?:any|every)thing (?:that )?(?:you|i|we|of mine)|(?:in|for|on|under|with|of|to) (?:all|every|each|any) (?:of )?(?:my |our |the |your )?(?:[a-z]+ )?{_YOURS}|all (?:of )?(?:my|our|your) (?:[a-z]+ )?{_YOURS}"
    rf"|{_YOURS} (?:that )?(?:you|i) (?:give|write|make|send|draft|suggest|show|paste|share)|when(?:ever)? (?:you|i|we) (?:ask|send|write|help|give|plan|talk|draft|quote|paste|share|make|mention|suggest|recommend|cook|code)|until i say otherwise|by default)"
)
"""Words that make an order one for all times."""

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
        "user_core", standing=True, unless=_THIS_ONCE,
        examples=("Please keep answers short.", "Be concise.", "Use metric units.", "Don't use emojis.", "I'd like you to be more formal."), not_examples=("Use the second draft.", "Keep the van.", "Don't use the van.", "Don't use emojis in the subject.", "Keep the answers short in this one.", "I'd like you to be there."),
    ),
    ShapeRule(
        "for all times", "instruction",
        rf"^(?:(?:please|pls|and|also|so|ok|just|btw),? )*(?:don't |dont |do not |only |no )?{_ASK}\b[^.!?]*\b{_STANDING}\b|^(?:(?:please|pls|and|also|so|ok|btw),? )*{_STANDING}[^.!?]*?,? (?:please |pls |always |never |just |only |don't |dont |do not )*{_ASK}\b"
        rf"|^(?:every|each) {WEEKDAY},? (?:please )?{_ASK} (?:me|us)\b|^before (?:you|any|every|each)\b[^.!?]*,? {_ASK} me\b|\b(?:please|pls),? (?:always|every time)[.!]*$|^all (?:of )?(?:my|our) (?:[a-z]+ )?{_YOURS} (?:should|must|have to|need to|go|are to)\b"
        rf"|^(?:long |short |the )?{_YOURS} (?:that )?i send you (?:should|must|need)\b|\bin (?:all|every) (?:of )?(?:my |our |the )?(?:[a-z]+ )?{_YOURS},? (?:please|pls)\b",
        "user_core", standing=True, unless=_THIS_ONCE,
        examples=("Whenever I send you code, point out security holes first.", "Leave pork out of every recipe you give me.", "Before you rewrite anything of mine, ask me.", "each monday ask me how the garden is going", "Celsius please, every time.", "All my letters should be signed Kind regards.", "write tests for every function you give me", "Until I say otherwise, plan my meals for two people"),
        not_examples=("Put a comment in every function of this file.", "Use all of my eggs in this recipe.", "Check every line.", "When I send the letter, he never answers."),
    ),
    ShapeRule(
        "how to treat me", "instruction",
        rf"^(?:(?:please|pls|and|also|so|ok|just|btw),? )*(?:(?:be|stay) (?:[a-z]+ly )?(?:honest|frank|strict|blunt|direct|gentle|patient|kind|critical|tough) with (?:me|my)\b|(?:drop|skip|leave out|spare me) (?:the |all (?:the )?)?(?:sarcasm|jokes|flattery|pleasantries|disclaimers|small talk|apologies|praise|compliments|preamble|emojis)"
        rf"|(?:stop|quit) (?:apologi[sz]ing|flattering|joking|lecturing|repeating|praising)\b|no (?:more )?(?:flattery|sarcasm|jokes|apologies|disclaimers|small talk|jargon|spoilers|(?:long )?dashes)\b|(?:explain|say|tell|put) (?:things|everything|stuff) (?:to me )?(?:in|with|like|as)\b|address me\b|call me by\b"
        rf"|(?:don't|dont|do not|never) (?:ever )?(?:talk to me about|bring up|remind me of|recommend|suggest|mention|ask me about|spoil)\b[^.!?]*\b(?:again|any ?more|ever|on (?:weekends|weekdays|{WEEKDAY}s?)|for me|to me|for (?:meetings|calls|dinner|lunch))\b|(?:only|just) (?:give|suggest|recommend|show|offer) me\b"
        rf"|(?:never )?spoil (?:the )?endings\b|(?:give|quote|show) (?:me )?(?:all )?(?:prices|amounts|times|dates|temperatures|distances|weights) in\b)",
        "user_core", standing=True, unless=_THIS_ONCE,
        examples=("Be brutally honest with my poems.", "Drop the sarcasm with me.", "Stop apologising all the time.", "Explain things to me in plain words.", "Address me informally.", "Don't bring up my divorce again.", "Only give me outings that work with a wheelchair.", "Give prices in euros."),
        not_examples=("Be honest.", "Drop the second line.", "Stop it.", "Explain it to me.", "Don't mention the price in this letter."),
    ),
    ShapeRule(
        "please do not", "instruction",
            rf"(?:^|[.,] )(?:please|pls) (?:don't|dont|do not) {_DO}\b|\b(?:i want|i need|i expect) you to (?:always"
            r"|never|only)\b|\bdon't (?:ever )?(?:call|address) me\b",
        "user_core", standing=True,
        examples=("Please don't mention my mother.",),
    ),
)  # fmt: skip
