"""What a statement says of an earlier one: another value holds now, the fact has ended, or the speaker takes it back."""

from dataclasses import dataclass

from holdfast.learning.model import Change

_WORDS = r"[^,.;:!?\n]{1,60}?"


@dataclass(frozen=True)
class ChangeRule:
    """A pattern of correction. A group `old` is the value that no longer holds."""

    name: str
    change: Change
    pattern: str
    examples: tuple[tuple[str, str], ...]
    """A sentence and the old value it names ("" for none)."""
    not_examples: tuple[str, ...] = ()


RULES: tuple[ChangeRule, ...] = (
    ChangeRule(
        "not old but new", "replaces", rf"\bnot (?P<old>{_WORDS}),? but (?:rather )?{_WORDS}(?:[,.;:!?]|$)",
        (("It is not Tuesday but Thursday.", "Tuesday"),),
    ),
    ChangeRule(
        "new, not old", "replaces",
            rf", not (?P<old>(?:the |a |in |on |at |to )?{_WORDS})(?: (?:any ?more|any longer|now|like))?(?:[,.;:!?]"
            r"|$)",
        (("It was thirty-two years on the bench, not forty.", "forty"), ("pastry is thursdays after easter, not tuesdays", "tuesdays")),
        ("I'm tired, not that anyone asked how I am or what I did.",),
    ),
    ChangeRule(
        "new instead of old", "replaces", rf"\b(?:instead of|rather than|in place of) (?P<old>{_WORDS})(?:[,.;:!?]|$)",
        (("We eat at five instead of seven.", "seven"),),
    ),
    ChangeRule(
        "from old to new", "replaces",
            rf"\b(?:moved|moving|changed|switched|switching|went|goes|raised|cut|up|down|shifted|pushed)\b[^.!?]{{0,40}}? from (?P<old>{_WORDS}) to ",
        (("I switched from Vim to Emacs.", "Vim"),),
    ),
    ChangeRule(
        "left old for new", "replaces", rf"\b(?:left|dropped|ditched|swapped|traded|gave up|given up) (?P<old>{_WORDS}) for (?:an? |the )?[a-z0-9]",
        (("I left LastPass for Bitwarden.", "LastPass"), ("We swapped the Golf for a Skoda.", "the Golf")), ("She left early for once.",),
    ),
    ChangeRule(
        "was old", "replaces",
            rf"\b(?:used to be|it was|formerly|previously|before it was|was) (?P<old>{_WORDS})(?:,| but| and)? (?:but )?(?:now"
            rf"|is now|it's now)\b|\bnow\b[^.!?]{{0,40}}?, (?:was|used to be) (?P<old2>{_WORDS})(?:[,.;:!?]|$)",
        (("recon takes 19 min now, was 70", "70"),),
    ),
    ChangeRule(
        "no longer", "ends",
            r"\b(?:no longer|(?:not|\w+n't|dont|doesnt|isnt)\b[^.!?]{0,60}\bany ?more|any longer|stopped|quit|gave up"
            r"|given up|cancell?ed|called off|fell through|is off|is over|is dead|is gone|got rid of|broke up|split up|gone|closed"
            r"|used to|dropped out|(?:took|taken) (?:my|our|the|him|her|them|it)\b[^.!?]{0,30} out of|withdrew|aborted|sold)\b",
        (("I no longer work there.", ""), ("Nodules gone, camera on the 15th.", ""), ("The house closed on Friday.", ""), ("Tadhg doesn't eat chicken any more.", "")),
    ),
    ChangeRule(
        "now", "replaces",
            r"\b(?:now|these days|as of|from (?:now on|today|tonight|january|february|march|april|may|june|july|august"
            r"|september|october|november|december|next|the \d\w*)|since (?:last|then|january|february|march|april|may"
            r"|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d)|currently|for good|permanent(?:ly)?|in the end"
            r"|after all|finally|at last|instead|already|new|turns out|already|came through|up to|down to|update"
            r"|settled|official)\b",
        (("It's six mornings now.", ""), ("Me and Kristjan, from the 1st.", ""), ("The wedding is in June after all.", "")),
    ),
    ChangeRule(
        "changed", "replaces",
            r"\b(?:actually|correction|i meant|moved|moving|changed|switched|pushed|postponed|delayed|put off|rescheduled"
            r"|brought (?:[a-z ]{1,30} )?forward|replaced|swapped|promoted|raised|cut|dropped|went (?:up|down)|got (?:a (?:new|better|bigger|smaller|different)|the)|bought"
            r"|took over|takes over|became|turned|passed|finished|started|starting|starts|quit|accepted|said (?:yes"
            r"|no)|changed my mind|approved|granted|settled|signed|booked|confirmed|healed|better|came home|arrived"
            r"|done|went|extended|slipped|handed|(?:day|week|month|hour)s? (?:later|earlier)|(?:home|back) again|retired|died|passed away|stepped down|resigned|transferred|renamed|relaxed|hired|traded|decided on|gone (?:over|full|part)|got (?:married|divorced|engaged|fired)|divorced|separated|laid off|made redundant|let go|lost my job|turned out|(?:made|given|sat) (?:me|us)|put (?:me|us|him|her|them|it) (?:on|in|up|down))\b",
        (("They pushed it to the 24th.", ""), ("Actually it's the left knee.", "")),
    ),
)  # fmt: skip

_VALUE = r"(?:(?:dr|mr|mrs|ms|prof|st)\. )?[^,.;:!?]{1,40}?"
PUT_RIGHT = (
    r"^(?:(?:no|nope|sorry|oops|wait|correction|actually|my mistake|typo|ah|oh)[,:;.!]* )*"
    r"(?:(?:it's|its|it is|it was|that's|it should be|should be|i meant|i mean|make that) )?"
    rf"(?:not (?P<old>{_VALUE}),? but (?P<new>{_VALUE})|not (?P<old2>{_VALUE}), (?:it's|its|it is|i meant|that's) (?P<new2>{_VALUE})|(?P<new3>{_VALUE}), not (?P<old3>{_VALUE}))"
    r"(?:,? sorry)?[.!]*$"
)
"""A sentence that gives another value for something said before, and the value that it had."""

PUT_RIGHT_EXAMPLES = (
    ("No, it's not Anna, it's Ana.", "Anna", "Ana"),
    ("Sorry, it's Ana, not Anna.", "Anna", "Ana"),
    ("Not Berlin but Bern, sorry.", "Berlin", "Bern"),
    ("No wait, I meant Bern, not Berlin", "Berlin", "Bern"),
    ("Oh, it's Dr. Lund, not Dr. Lind.", "Dr. Lind", "Dr. Lund"),
)

CHANGED = (
    r"\b(?:now|instead|no longer|any ?more|after all|in the end|moved|pushed|postponed|extended|changed|switched|cancell?ed|back (?:to|on|home)|turned out"
    r"|came through|gone|finally|new|from (?:now on|today|the)|is over|gave (?:it )?up|withdrew|dropped|passed|done|accepted|approved|settled|signed"
    r"|said (?:yes|no)|took|left|sold|quit|stopped|raised|cut|brought forward|handed|delayed|slipped)\b"
)
"""Words that a statement of change is rarely without; weaker than the rules above, and weighed by `holdfast.learning.meaning`."""

ADDS = r"\b(?:too|as well)[.,;!]|\b(?:too|as well)$|\b(?:another|in addition|on top of (?:that|it)|a second|one more|besides)\b"
"""Words that say a statement comes beside an earlier one, not in its place."""

RETRACTION = (
    r"\b(?:forget (?:i said|it\b|that\b|what i said|i mentioned|about it)|scratch that|strike that|never ?mind (?:that"
    r"|what|about|it|me)|^never ?mind|ignore (?:that|what i (?:just )?said|my last|the last)"
    r"|disregard (?:that|what|my)|i take (?:it|that) (?:all )?back|(?:just|only|was|i'm|im) (?:kidding|joking"
    r"|messing)|^jk\b|that was a joke|not (?:actually )?true|i made (?:that|it) up|i (?:was )?lied|no,? wait"
    r"|wait,? no|i mean (?:no|not|the)|i misspoke|i (?:had )?misremembered|i(?: was|'m| am) mistaken|i was wrong"
    r"|i stand corrected|my mistake|i got that wrong|slip of the tongue|cancel that|not (?:going to|gonna) happen after all"
    r"|^(?:please |pls )?forget (?:about )?(?:my|that i|that my|i'm|im)\b[^.!?]*|(?:don't|dont|do not) (?:save|store|remember|keep|note|record|memori[sz]e) (?:that|it|any of (?:that|it))[.!]*$"
    r"|changed my mind(?: about (?:it|that|this))?[.!]*$)(?:\b|$)"
)
"""The speaker takes back what they said just before."""

RETRACTION_EXAMPLES = (
    "ya youre right. forget i said it",
    "Scratch that, I was joking.",
    "never mind that",
    "Forget that I live in Porto.",
    "please don't save that",
)
RETRACTION_NOT_EXAMPLES = (
    "I forgot my keys.",
    "He never minds the rain.",
    "Don't remember that I like tea.",
    "I changed my mind about commas: use them.",
)
