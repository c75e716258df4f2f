"""How things stand: a date, an amount, a place or a name of something definite, said in one plain sentence.

"The shop closes at six." is what a later "from October it closes at eight" replaces. Kept whatever the message is worth.
"""

from holdfast.learning.rules.family import ShapeRule
from holdfast.learning.rules.lexicon import MONTH, NAME, NUMBER, WEEKDAY

_START = r"^(?:(?:also|and|so|but|btw|by the way|actually|oh|ok|well|fyi|hi|hello)[,:!.]? )*"
_DAY = (
    rf"(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}\b|{MONTH} \d|{WEEKDAY}s?\b|{MONTH}\b)"
)
_HOUR = rf"(?:\d{{1,2}}[:.]\d\d|{NUMBER} ?(?:am|pm|o'clock)\b|{NUMBER}\b(?: (?:in the|every|on)\b|[.!,]*$)|noon\b|midnight\b)"
_WHEN = rf"(?:{_DAY}|{_HOUR})"
_THING = (
    rf"(?:(?:my|our|the) (?:[a-z0-9'-]+ ){{0,3}}?[a-z0-9'-]+|{NAME}(?:'s)?(?: [a-z'-]+){{1,2}}?)"
)

RULES: tuple[ShapeRule, ...] = (
    ShapeRule(
        "thing at a time", "fact",
        rf"{_START}{_THING}(?: is| are| (?:is|are) (?:always|planned|scheduled|set|due|booked|fixed)|closes|opens| starts| begins| ends| finishes| meets| lands| leaves| runs| expires| takes place| closes| opens) (?:for|on|at|in|until|till|from|every) {_WHEN}",
        plain=True,
        examples=("The launch is planned for 3 April.", "The shop closes at six.", "Pottery class is on Wednesdays at seven.", "Our weekly call with Delphine is on Tuesday."),
        not_examples=("The whole thing is on fire.", "The cat is at it again."),
    ),
    ShapeRule(
        "day of a thing", "fact",
        rf"{_START}(?:(?:my|our|the) )?(?:[a-z]+ ){{0,2}}?(?:deadline|launch|meeting|exam|wedding|party|flight|appointment|interview|release|due date|kick-?off|anniversary|rent day|payday|concert|surgery|graduation)(?: (?:for|of|with) (?:[a-zA-Z]+ ){{0,3}}?[a-zA-Z]+)?(?: is|'s)(?: now| still| due)?(?: on| at| in| by)? {_WHEN}",
        plain=True, alone=True,
        examples=("The deadline is Friday.", "deadline is friday", "The deadline for the report is 5 April."), not_examples=("The exam is hard.",),
    ),
    ShapeRule(
        "amount of a thing", "fact",
        rf"{_START}{_THING} (?:is|are|has|have|costs|holds|weighs|takes) (?:about |around |only |now )?(?:[$€£] ?\d|{NUMBER} (?:[a-z]+ ){{0,2}}?(?:people|pages|euros?|pounds|dollars|kilos?|kg|km|miles|litres|metres|minutes|hours|days|weeks|months|years|rooms|seats|members|students|points|percent|a (?:month|week|year|night|day)|each))\b",
        plain=True,
        examples=("The guest list is 60 people.", "The thesis has 40 pages so far.", "The rent is 780 a month."), not_examples=("The answer is two-fold.",),
    ),
    ShapeRule(
        "my amount", "fact", rf"{_START}(?:i|we) (?:now |currently )?(?:take|pay|weigh|earn|owe|charge) (?:about |around |only )?(?:[$€£] ?\d|{NUMBER}\b)|{_START}i (?:make|earn) (?:about |around )?(?:[$€£] ?\d|\d+ ?k\b)",
        plain=True,
        examples=("I make 60k a year.", "I take 10 mg of lisinopril in the morning.", "I pay 740 for the room.", "I weigh 92 kilos."), not_examples=("I take it back.",),
    ),
    ShapeRule(
        "who does it", "fact",
        rf"{_START}(?:my|our|the) (?:[a-z'-]+ ){{0,2}}?(?:manager|boss|lead|leader|chair|treasurer|landlord|landlady|tutor|coach|trainer|supervisor|therapist|doctor|dentist|gp|vet|lawyer|accountant|contact|owner|maintainer|reviewer|teacher|nanny|project|team|course|class|choir|band) (?:is|are) (?:now )?(?:led by |run by |taught by )?{NAME}",
        plain=True,
        examples=("The release manager is Jo.", "The project is led by Mireille.", "My therapist is Dr. Lind."), not_examples=("The manager is mad.",),
    ),
    ShapeRule(
        "where it is", "fact",
        rf"{_START}(?:my|our|the) (?:[a-z'-]+ ){{0,2}}?[a-z'-]+ (?:is|are|meets?|is held|is parked|is kept) (?:(?:in|on|at) )?(?:room|hall|floor|plot|gate|platform|level|number|the (?:first|second|third|fourth|fifth|ground|top) floor|(?-i:[A-Z]\d+))\b",
        plain=True,
        examples=("My tutor group meets in room 204.", "The meeting room is B12.", "My office is on the second floor."), not_examples=("The hall is big.",),
    ),
    ShapeRule(
        "who lives with me", "relation", rf"{_START}i (?:share (?:a|the|my) (?:flat|house|room|office|apartment|desk)|live|work) (?:together )?with (?:my )?{NAME}",
        plain=True,
        examples=("I share a flat with Tomasz.",), not_examples=("I live with it.",),
    ),
    ShapeRule(
        "how often", "fact",
        rf"{_START}(?:i|we) (?:only |always |usually )?(?:release|deploy|ship|run|swim|train|cycle|meet|clean|water|feed|visit|call|cook|shop|teach|practi[cs]e|publish|bake|pay|take) (?:[a-z]+ ){{0,3}}?(?:every (?:{NUMBER} )?(?:days?|weeks?|months?|mornings?|evenings?|{WEEKDAY})|once a (?:day|week|month|year)|twice a (?:day|week|month|year)|{NUMBER} times a (?:day|week|month|year)|(?:daily|weekly|monthly)\b|on (?:mon|tues|wednes|thurs|fri|satur|sun)days\b)",
        plain=True,
        examples=("We release every two weeks.", "I only run once a week."), not_examples=("I think of you.",),
    ),
    ShapeRule(
        "in the making", "plan",
        rf"{_START}(?:i'm|im|i am|we're|we are) (?:applying|saving|getting|adopting|training|in {NAME}|on (?:nights|days|leave)|looking for an? (?:flat|job|house|room))\b[^.!?]*(?:\bfor\b|\ban?\b|until|at\b|in\b)",
        plain=True, unless=r"\b(?:errors?|exceptions?|timeouts?|warnings?)\b",
        examples=("I'm saving for a trip to Japan.", "We're getting a puppy in spring.", "I'm in Berlin until Friday."), not_examples=("I'm getting tired.",),
    ),
)  # fmt: skip
