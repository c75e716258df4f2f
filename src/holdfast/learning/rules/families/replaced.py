"""Plain statements that something was replaced, ended or has another value: kept whatever the rest of the message is worth.

The verb says it ("Dr Moreau retired", "they made me striker", "I've gone over to Firefox"), so the sentence needs no other cue. What
it replaces is decided by comparing (`holdfast.learning.compare`).
"""

from holdfast.learning.rules.family import ShapeRule
from holdfast.learning.rules.lexicon import KIN, MONTH, NAME, NUMBER, PETS, WEEKDAY

_START = r"^(?:(?:also|and|so|but|btw|by the way|anyway|actually|oh|ok|well|no|fyi|update|news|good news|bad news)[,:!.]? )*"
_ROLE = r"(?:boss|manager|landlord|landlady|tutor|team|doctor|teacher|school|company|bank|club|council|university|college)"
_PERSON = rf"(?:i|we|they|{NAME}|(?:my|our|his|her) (?:[a-z]+ )?{KIN}|(?:my|our|the) {_ROLE})"
_AUX = r"(?:'ve| have|'s| has|'d| had|'m|'re| am| are| is| was| were)?(?: been| just| finally| recently| already| all| also| now)*"
_THING = r"(?:my|our|the|his|her|their) (?:[a-z0-9'-]+ ){0,3}?[a-z0-9'-]+"
_PRICED = r"(?:blood pressure|weight|sugar|cholesterol|score|average|grade|rating|dose|salary|rent|price|fee|budget)"

RULES: tuple[ShapeRule, ...] = (
    ShapeRule(
        "another post or place", "event",
        rf"{_START}{_PERSON}{_AUX} (?:retired|transferred to|stepped down|resigned|graduated|promoted to|demoted|moved (?:me|us|him|her|them|it) (?:to|into)|joined|enrolled|got (?:married|divorced|engaged|promoted|fired|hired)|broke up)\b",
        plain=True,
        examples=("Dr Moreau retired, I see Dr Singh.", "I've transferred to Vienna.", "I've been promoted to first violin.", "Louise got married in Brighton."),
        not_examples=("I'm tired.", "We joked about it."),
    ),
    ShapeRule(
        "went over to", "decision",
        rf"{_START}{_PERSON}{_AUX} (?:gone (?:over|back to|full|part|vegan|vegetarian|freelance|private)|went over to|decided on|changed (?:to|from)|signed (?:up (?:for|with)|with)|renamed|hired|traded (?:in )?(?:the|my|our)|cancell?ed (?:the|my|our|{NAME})|painted|took (?:my|our|the) [^.!?]{{2,30}} out of|let (?:my|our|the) [^.!?]{{2,40}} (?:lapse|go)|migrated (?:to|from)|(?:stopped|quit|gave up|given up) (?:learning|studying|playing|training|going to|seeing|using|taking|working|teaching|doing|practi[cs]ing|running|cycling|swimming|climbing|dancing)\b|haven't (?:smoked|drunk|eaten|had|been|used|touched) [^.!?]*since)\b",
        plain=True, unless=r"\b(?:app|server|tab|branch|table|window|(?:the|this) job|build|process|container|program|page|session|file|database|db|task|download|query|request)[.!]*$",
        examples=("I've gone over to Firefox.", "We renamed the wifi network to Kestrel.", "I traded the Fiesta in for a Yaris.", "I haven't smoked since New Year.", "We migrated to MySQL.", "I stopped learning Spanish."),
        not_examples=("I've gone mad.", "We decided."),
    ),
    ShapeRule(
        "given by others", "event",
        rf"{_START}(?:they|he|she|(?:my|our|the) [a-z]+)(?:'ve|'s| have| has)? (?:just )?(?:(?:moved|swapped|switched|sat|assigned|transferred|bumped|upgraded|put) (?:me|us) (?:to|into|on|in|at|onto|next to|up|down) |(?:given|gave) (?:me|us) (?:the |(?:[a-z]+ ){{1,2}}\d))",
        plain=True,
        examples=("They've given me year 6 from September.", "They've sat me next to the lift."), not_examples=("They gave me a hug.", "She put me through."),
    ),
    ShapeRule(
        "a thing changed", "fact",
        rf"{_START}{_THING}(?:{_AUX}| got)(?: just)? (?:cancell?ed|postponed|scrapped)[.!]*$|{_START}{_THING}{_AUX} (?:moved to|changed to|renamed|relaxed to|raised to|cut to|went (?:up|down|from)|reopened|sold(?: for)?|put (?:back|off|forward)|replaced (?:by|with)|painted|extended|shortened|called off|done (?:on|last|in))\b"
        rf"|{_START}(?:they|we)(?:'ve| have)? (?:put|moved|pushed|brought) {_THING} (?:back|forward|up|off)\b",
        plain=True,
        examples=("The password policy has been relaxed to a year.", "The budget went from 12,000 to 9,500.", "They've put the exam back to 18 June.", "The exam got cancelled."),
        not_examples=("My mouth is closed.", "The film was long."),
    ),
    ShapeRule(
        "gone for good", "event",
        rf"{_START}(?:{NAME}|(?:my|our) (?:[a-z]+ )?(?:{KIN}|{PETS}|{_ROLE}))(?:'s| has)? (?:died|passed away|was put down|moved (?:out|in|away)|quit|closed|went bust|took over)\b",
        plain=True,
        examples=("Rex died in May.", "Ropa closed, so we print with Lenz.", "Mrs Ito moved out, flat 2 is empty."), not_examples=("I nearly died.",),
    ),
    ShapeRule(
        "did not come off", "event", rf"{_START}[^.!?]{{2,60}}\b(?:fell through|didn't work out|did not work out|didn't happen|was full|(?:was|got) (?:cut|cancell?ed)), (?:so )?(?:i|i'm|we|we're|it's|they)\b",
        plain=True,
        examples=("Peru fell through, we go to Crete instead.", "The 7:15 was cut, so I take the 6:50."), not_examples=("The bus was full.",),
    ),
    ShapeRule(
        "new age or count", "fact",
        rf"{_START}(?:i|he|she|{NAME}|(?:my|our) {KIN}(?: {NAME})?)(?:'ve| have|'s| has)?(?: just)? turned {NUMBER}\b|{_START}(?:i'm|im|i am|we're|we are|he's|she's|it's)(?: now)? (?:down|up) to {NUMBER}\b"
        rf"|\bso (?:there's |there are |we're |it's )?{NUMBER} (?:[a-z]+ )?(?:left|in all|in total|altogether)\b|{_START}(?:(?:my|the|his|her) )?{_PRICED}(?:'s| is| was| went)(?: now| up| down| from| to| at)* (?:[$€£] ?)?\d",
        plain=True,
        examples=("I turned 35 yesterday.", "I'm down to one coffee.", "We hired two more, so five in all.", "Blood pressure was 128 over 80 on Monday."), not_examples=("I turned round.",),
    ),
    ShapeRule(
        "turns out", "fact", rf"{_START}(?:it )?turn(?:s|ed) out,? (?:that )?(?:i'm|i am|we're|he's|she's|it's|my|our|the|{NAME}) ",
        plain=True,
        examples=("Turns out I'm not allergic to penicillin.",), not_examples=("It turned out fine.",),
    ),
    ShapeRule(
        "this term", "fact",
        rf"{_START}(?:(?:my|our|the) )?(?:[a-z]+ ){{1,3}}(?:is|are) (?:on )?{WEEKDAY}s?\b[^.!?]{{0,20}}\b(?:this (?:year|term|season|month)|now|these days)\b|{_START}(?:i|we) (?:take|use|drive|play|eat|drink|support|work|live|run|read|see|go|meet) [^.!?]{{2,40}} (?:these days|nowadays)\b"
        rf"|{_START}{_THING}(?:'s| is| are) (?:due|held|planned|set|scheduled) [^.!?]{{0,30}}(?:\d|{WEEKDAY}|{MONTH})",
        plain=True,
        examples=("Choir is Wednesdays this year.", "I support Hull these days.", "The report is due a week later, on the 21st."), not_examples=("I see it now.",),
    ),
    ShapeRule(
        "found or got one", "event",
        rf"{_START}(?:(?:i|we)(?:'ve| have)?(?: finally| just)? )?(?:found|got|bought|rented) (?:(?:myself|ourselves|my own|our own) ?)?(?:an? |our |my )?(?:(?:new|own|better|bigger|smaller|different) )?(?:room|flat|house|place|job|apartment|car|bike|phone|laptop|tenant|teacher|office|garage|stand|desk|doctor|landlord)\b",
        plain=True,
        examples=("I found a flat in Bonn.", "We got a better stand, number 2 in hall 1.", "I've got my own place since the spring."), not_examples=("I found it funny.", "I got the giggles."),
    ),
)  # fmt: skip
