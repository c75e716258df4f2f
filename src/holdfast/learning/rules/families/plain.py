"""Plain lasting statements in the first person: short, complete, and kept whatever the rest of the message is worth.

"I have two kids, Ada and Ben." holds no month and no change, so the sum of cues would let it go; but nobody says it in passing.
"""

from holdfast.learning.rules.family import ShapeRule
from holdfast.learning.rules.lexicon import I_OR_WE, KIN, MONTH, NAME, NUMBER, WEEKDAY

_START = r"^(?:(?:also|and|so|btw|by the way|actually|oh|well|hi|hello|fyi)[,!]? )*"
_OFTEN = (
    rf"(?:every (?:day|morning|evening|night|week|weekend|month|summer|winter)|{NUMBER} (?:days?|times|hours?|nights?|mornings?) (?:a|per) (?:day|week|month|year)"
    r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|twice a (?:day|week|month|year)|once a (?:day|week|month|year)|part[- ]time|full[- ]time|remotely|from home|nights|shifts)"
)

_WHEN = rf"(?:tomorrow|next (?:week|weekend|month|year|spring|summer|autumn|winter|{WEEKDAY})|this (?:weekend|{WEEKDAY}|summer|winter|autumn|spring)|(?:on|by|until|from|every) (?:the )?(?:\d|{WEEKDAY}s?\b|{MONTH}\b)|in (?:{MONTH}\b|(?:the )?(?:spring|summer|autumn|winter)|{NUMBER} (?:days|weeks|months)))"

RULES: tuple[ShapeRule, ...] = (
    ShapeRule(
        "family and animals", "relation",
        rf"{_START}{I_OR_WE}(?:'ve| have)?(?: got| have)? (?:an? |{NUMBER} )(?:[a-z]+ ){{0,2}}(?:{KIN}|kids|children|sons|daughters|brothers|sisters|dogs?|cats?|horses?|rabbits?)\b",
        plain=True,
        examples=("I have two kids, Ada and Ben.", "We've got a dog."), not_examples=("I have two questions.",),
    ),
    ShapeRule(
        "somebody of the family", "relation",
        rf"{_START}(?:my|our) (?:(?:older|younger|little|big|twin) )?{KIN},?(?: {NAME},?)? (?:(?:is|was) (?:an? |the |from |in |at |{NUMBER}\b|allergic|called|named|born|married|pregnant|vegetarian|vegan)|lives|works|studies|teaches|plays|died|turns|turned|has (?:an? |two |three )|got (?:married|engaged))\b",
        plain=True,
        examples=("My sister Anna lives in Oslo.", "my dad is a retired baker"), not_examples=("My mother is right.", "my brother laughed"),
    ),
    ShapeRule(
        "habit", "fact", rf"{_START}(?:i|we) (?:usually |always |normally )?(?:work|run|swim|train|cycle|walk|teach|play|study|commute|volunteer|meditate|practise|practice)\b[^.!?]*\b{_OFTEN}",
        plain=True,
        examples=("I work four days a week.", "I run every morning."), not_examples=("I work too much.",),
    ),
    ShapeRule(
        "learning or building", "fact",
        r"^(?:i'm|im|i am|i've been) (?:currently |now )?(?:learning|studying|training (?:for|as|to)|building|writing (?:a|my)|working on (?:a|an|my|our|the)) [a-z]",
        plain=True,
        examples=("I'm learning Spanish.", "I'm writing a book about bees."), not_examples=("I'm learning.",),
    ),
    ShapeRule(
        "turning point", "event",
        rf"{_START}{I_OR_WE}(?:'ve| have)? (?:just |finally |recently )?(?:got (?:married|engaged|divorced|promoted|hired|a new job|the job)|bought (?:an? |our |my )[a-z]+|sold (?:the|our|my) [a-z]+|adopted (?:an? )|graduated|retired|quit my job|had a (?:baby|son|daughter)|started (?:a new|my new|at {NAME}))|{_START}{I_OR_WE}(?:'ve| have)? (?:just |finally )?had (?:the|our|my) (?:baby|twins|(?:first|second|third) (?:child|baby|kid))\b|{_START}(?:we're|we are|i'm|i am) expecting (?:a (?:baby|boy|girl|child)|our|my|twins)\b",
        plain=True,
        examples=("We got married in May.", "I bought a house in Leeds.", "We're expecting a baby in July.", "We just had our third kid!"), not_examples=("I got the giggles.",),
    ),
    ShapeRule(
        "dated plan", "plan",
        rf"{_START}(?:(?:i|we)(?:'m|'re| am| are)?|(?:my|our) {KIN}(?: [A-Z][a-z]+)?(?:'s| is)?) (?:will be |going to |planning to |plan to )?(?:start(?:s|ing)?|fly(?:ing)?|flies|travel(?:s|ling|ing)?|mov(?:e|es|ing)|visit(?:s|ing)?|get(?:s|ting)? married|graduat(?:e|es|ing)|leav(?:e|es|ing))\b[^.!?]*\b(?:in|on|from|next|this) (?:the )?(?:\d|{MONTH}\b|week|month|year|spring|summer|autumn|winter)",
        plain=True,
        examples=("Our daughter starts school in September.", "We're planning to visit Japan in May."), not_examples=("I start to see it.",),
    ),
    ShapeRule(
        "appointment", "plan",
        rf"{_START}(?:i|we)(?:'ve| have)? (?:have|got|booked|scheduled) (?:an? |my |our |the )?(?:[a-z0-9'-]+ ){{0,3}}?(?:appointment|appt|interview|meeting|stand-?ups?|call|exam|test|flight|trip|date|party|wedding|concert|surgery|operation|scan|check-?up|presentation|deadline|reservation|lessons?|class|therapy|physio|choir|rehearsals?|yoga|race|marathon|tickets?)\b[^.!?]*\b(?:{_WHEN}|{NUMBER} ?(?:am|pm)|at \d)"
        rf"|{_START}(?:(?:i|we)(?:'m|'re| am| are)|(?:my|our) {KIN}(?: [A-Z][a-z]+)?(?:'s| is)) (?:going to {NAME}|flying|travell?ing|launching|moving to|getting married|going on (?:holiday|vacation|leave|a trip))\b[^.!?]*\b{_WHEN}|{_START}i'll be (?:on (?:holiday|vacation|leave|a trip)|away|out of office|in {NAME})\b[^.!?]*\b{_WHEN}|{_START}(?:i'm|i am|im) (?:on (?:holiday|vacation|leave)|away|out of office|off (?:work )?on)\b[^.!?]*\b(?:{_WHEN}|{WEEKDAY}s?\b)|{_START}(?:i|we) start (?:my|our|a) new job\b",
        plain=True, unless=r"\b(?:to bed|to sleep|home|now|right away)[.!]*$",
        examples=("I have a dentist appointment on Tuesday at 3pm.", "I'm flying to Tokyo next Friday.", "We're going to Italy in August.", "I'll be on vacation next week.", "I start my new job on Monday.", "We're launching on 5 May.", "I have a job interview at Stripe on Thursday.", "I'll be in London next week.", "I'm on vacation until the 15th.", "I have therapy every Wednesday."),
        not_examples=("I have a question about Friday's code.", "I'm going to bed."),
    ),
    ShapeRule(
        "decision", "decision",
        rf"{_START}(?:i|we)(?:'ve| have)? (?:just |finally |now )?(?:decided (?:to|on|against|not to)|chose|settled on|switched to|agreed to) [a-z]",
        plain=True, unless=r"\b(?:app|server|tab|branch|table|window|(?:the|this) job|build|process|container|program|page|session|file|database|db|task|download|query|request)[.!]*$",
        examples=("We decided to use Postgres.", "I switched to Emacs."), not_examples=("I haven't decided.",),
    ),
    ShapeRule(
        "tools", "preference", r"^i (?:always |mostly |mainly |only )?(?:use|drive|ride|code in|write in) (?:an? |the )?(?-i:[A-Z][a-zA-Z]+|vim|emacs|zsh|bash)\b",
        plain=True,
        examples=("I use Arch Linux.", "I drive a Skoda."), not_examples=("I use it a lot.",),
    ),
)  # fmt: skip
