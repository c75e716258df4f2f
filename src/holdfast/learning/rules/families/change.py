"""Statements that something has changed, kept whatever the rest of the message is worth.

"Launch slipped to 17 April." is short and holds few cues, so the sum would let it go; but it is what makes an earlier fact wrong.
Which earlier fact it replaces is decided by comparing (`holdfast.learning.compare`).
"""

from holdfast.learning.rules.family import ShapeRule
from holdfast.learning.rules.lexicon import I_OR_WE, KIN, MONTH, NAME, NUMBER, WEEKDAY

_TIME = rf"(?:(?:the |early |late |mid-?|next )?(?:\d|{MONTH}\b|{WEEKDAY}s?\b|week\b|month\b|year\b|spring\b|summer\b|autumn\b|winter\b)|noon\b|midnight\b|{NUMBER}\b)"
_AMOUNT = rf"(?:[$€£] ?)?{NUMBER}\b"
_START = r"^(?:(?:also|and|so|but|btw|by the way|actually|oh|ok|well|no|fyi|update|news|good news|bad news)[,:!.]? )*"
_THING = rf"(?:(?:my|our|the|his|her|their) (?:[a-z0-9'-]+ ){{0,3}}?[a-z0-9'-]+|{NAME}(?:'s [a-z]+(?: [a-z]+)?)?|it|that|they|he|she|we|i)"
_WHO = rf"(?:{I_OR_WE}|he|she|they|(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?)|(?:my|our) (?:{KIN}|boss|manager|landlord|landlady|tutor|team|neighbou?rs?|flat-?mate|house-?mate)(?: {NAME})?)(?:'ve| have|'s| has)?(?: just| finally| recently| all| also)?"

RULES: tuple[ShapeRule, ...] = (
    ShapeRule(
        "moved to a time", "plan",
        rf"\b(?:moved|shifted|slipped|pushed|postponed|put off|brought forward|rescheduled|delayed|extended|prolonged)\b[^.!?]{{0,50}}?\b(?:to|until|till|by|for) {_TIME}",
        plain=True,
        examples=("Launch slipped to 17 April.", "They moved it to the 19th.", "We moved pottery to Thursdays.", "Extended to December."),
        not_examples=("I moved to the left a bit.", "She pushed me to it."),
    ),
    ShapeRule(
        "amount changed", "fact",
        rf"\b(?:raised?|raising|cut|lowered|reduced|increased|bumped|put (?:me|us|him|her|it|them) (?:up|down)|went (?:up|down)|gone (?:up|down))\b[^.!?]{{0,40}}? to {_AMOUNT}",
        plain=True,
        examples=("We cut it to 45.", "She put me up to 20 mg.", "The rent went up to 780."), not_examples=("I cut the cake to pieces.",),
    ),
    ShapeRule(
        "is now", "fact",
        rf"{_START}{_THING}(?:'?s|'?re|'?m| is| are| am| has| have| takes?| costs?| pays?| meets?| closes?| opens?| starts?| runs?| leads?) (?:now |at |on |in |with )?(?:[^.!?]{{0,30}} )?(?:{_AMOUNT}|{WEEKDAY}s?|{NAME}|(?-i:[A-Z])\d+)\b[^.!?]{{0,30}}\b(?:now|these days|nowadays|this (?:year|season|term))\b"
        rf"|{_START}(?:my|our|the) (?:[a-z0-9'-]+ ){{0,3}}?[a-z0-9'-]+(?:'s| is| are) [^.!?,]{{2,40}} (?:now|these days|nowadays)[.!]*$",
        plain=True,
        examples=("The thesis is at 95 pages now.", "It's C4 now, B12 is being painted.", "The kids are 8 and 10 now.", "im diamond 3 now so still ahead", "Our landlord is a firm called Brickwell now."),
        not_examples=("I'm tired now.", "It's late now."),
    ),
    ShapeRule(
        "from a date on", "fact",
        rf"\b(?:closes?|opens?|starts?|meets?|runs?|costs?|pays?|is|are|am|'s|'m|'re|works?|goes?|release) [^.!?]{{1,40}} (?:from|as of|since) (?:{_TIME}|now on|last (?:week|month|year|{WEEKDAY}))"
        rf"|{_START}(?:from|as of|since|starting) {_TIME}[^.!?]{{0,20}},? {_THING}(?:'s|'m|'re)? ",
        plain=True,
        examples=("Stand-up's at ten from Monday.", "From October the shop closes at eight.", "I'm on days at the bakery since last month."),
        not_examples=("It is raining since you ask.",),
    ),
    ShapeRule(
        "no longer", "fact",
        rf"{_START}{_THING}\b[^.!?]{{0,40}}\bno longer\b|{_START}{_THING}(?:'s|'m|'re)? ?(?:[a-z]+ )?(?:not|[a-z]+n't|dont|doesnt|isnt|cant)\b[^.!?]{{2,50}}\bany ?more\b|\bso not (?:really )?(?:an? )?\w+ any ?more\b",
        plain=True,
        examples=("I no longer sing alto.", "Backups aren't at Hetzner any more.", "I can't have oat milk any more, so it's soy."), not_examples=("No more questions.",),
    ),
    ShapeRule(
        "gave up", "event",
        rf"{_START}{_WHO} (?:gave up|given up|dropped (?:the|my|our|out|{NAME})|quit|stopped (?:seeing|taking|eating|drinking|going|working|smoking|using|paying)|turned (?:{NAME}|it|them|him|her|the [a-z]+) down|turned down|left (?:{NAME}|the [a-z]+ (?:team|job|company|band|course|project))|broke up|split up|called off|withdrew)\b"
        rf"|{_START}(?:dropped|quit|stopped|sold|cancelled) (?:the|my|our|{NAME}) ?[a-z]*",
        plain=True, unless=r"\b(?:app|server|tab|branch|table|window|(?:the|this) job|build|process|container|program|page|session|file|database|db|task|download|query|request)[.!]*$",
        examples=("I dropped Portuguese.", "I turned Siemens down.", "Iris gave up the cello and took up drums.", "Sold the Corsa."), not_examples=("I dropped it on my foot.",),
    ),
    ShapeRule(
        "switched", "event",
        rf"{_START}{_WHO} (?:switched (?:to|from|gyms?|jobs?|banks?|schools?|doctors?|sides|phones?|[a-z]+,)|changed (?:jobs?|schools?|the (?:flight|date|time|name|plan|booking)|my name|banks?)|moved (?:out|in with|back|to {NAME}|into)|left {NAME} for|took over|handed [^.!?]{{2,40}} (?:over )?to|swapped|replaced|took up|made me (?:an? |the )?[a-z]+|put (?:me|us) (?:on|in) )",
        plain=True,
        examples=("I switched gyms, it's the one by the station now.", "My brother has moved to Vienna.", "Tomasz moved out last week.", "Mireille handed the project over to Sven."),
        not_examples=("I changed my socks.",),
    ),
    ShapeRule(
        "after all", "decision",
        rf"{_START}(?:no [a-z]+|(?:i'm|we're|i am|we are|it's|they're) (?:not )?[a-z]+ing [^.!?]{{2,60}}|(?:my|our|the) [a-z]+ (?:is|are) (?:not )?(?:on|in|at|off)\b[^.!?]{{0,40}}) after all\b|\binstead of {_TIME}|{_START}(?:scratch|forget) {NAME}|{_START}we're going with\b|\b, not {_AMOUNT}",
        plain=True,
        examples=("We're doing the wedding in Bologna after all.", "No puppy after all, the landlord said no."), not_examples=("After all, he is right.",),
    ),
    ShapeRule(
        "is off", "event",
        rf"{_START}(?:my|our|the) (?:[a-z0-9'-]+ ){{0,4}}?(?:[a-zA-Z0-9'-]+)(?: with {NAME})?(?:'s| is| are| was) (?:off|over|gone|cancell?ed|called off|sold|delayed|on leave)\b|^{NAME}(?:'s| is) (?:off (?:the )?[a-z]+|on leave|home again|back (?:on|in|at|from))"
        rf"|^(?:i'm |im |we're )?back on [a-z]+",
        plain=True,
        examples=("The call with Delphine is off.", "Mog is off the special food.", "Back on coffee, two cups a day."), not_examples=("It is over there.",),
    ),
)  # fmt: skip
