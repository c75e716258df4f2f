"""Properties of the user's things and of other people: "my car is a blue Golf", "Anke lives in Halle"."""

from holdfast.learning.rules.family import SlotRule
from holdfast.learning.rules.lexicon import ADVERBS, END, JOB, NAME, NUMBER, VALUE

_THING = r"(?P<slot>[a-z]+(?:'s)?(?: [a-z]+(?:'s)?){0,2})"
_NOT_THINGS = (
    r"(?:god|king|queen|bad|fault|point|question|problem|turn|pleasure|favou?rite|dear|love|friend|mouth"
    r"|feet|hands?|head|heart|brain|eyes|mind|mood|feeling|opinion|guess|plan|idea|dream|life|news|answer"
    r"|thinking|only|word|treat|kind|sort|way|day|week|weekend|morning|name|birthday|wife|husband|mother"
    r"|mum|mom|dad|father|sister|brother|son|daughter|boss|dog|cat|query|function|script|prompt|output|input|error|regex"
    r"|(?:first|second|last|next|main|other) (?:question|point|problem|thing|issue|idea|thought))"
)
_SOMEBODY = rf"(?:^|[^A-Za-z'])(?P<owner>{NAME})"

RULES: tuple[SlotRule, ...] = (
    SlotRule(
        "address", "identity", r"\b(?:my|our) (?:new |home |postal |current )*address is (?:now )?(?P<value>[^!?;:\n]{5,80}?)[.!]*$",
        "my:address", "{whose} address is {value}.", 0.85,
        examples=(("My address is 12 Elm Street, Leeds.", "12 Elm Street, Leeds"),),
    ),
    SlotRule(
        "my thing is", "fact",
            rf"^(?:also,? |and |so |btw,? |actually,? |by the way,? |no,? )*(?:my|our) (?:new )?{_THING} (?P<be>is|are) (?:now "
            rf"|actually |always |still )?(?P<value>(?:[^,;:!?()\"\n]|\d,\d){{1,60}}?)(?: now| these days)?[.!]*$",
        "my:{slot}", "{whose} {slot} {be} {value}.", 0.7, target="memory", rest=True,
        examples=(("My car is a blue Golf.", "a blue Golf"), ("our deploy day is Tuesday now", "Tuesday"), ("My mum's birthday is 4 June.", "4 June"), ("My shirt size is M.", "M")),
        not_examples=("My god is it late.", "my feet are dead", "My car is broken.", "My code is not working.", "My query is select * from users"),
    ),
    SlotRule(
        "somebody lives in", "fact",
            rf"{_SOMEBODY} (?:now |still )?(?:lives|is based|has moved|moved) (?:in|to|near|outside) (?P<value>{NAME})",
        "lives_in", "{owner} lives in {value}.", 0.75, target="node_item", subject="{owner}", related=("lives_in", "{value}"), passing=True,
        examples=(("Gonzalo lives in Valencia and could meet me", "Valencia"),),
    ),
    SlotRule(
        "somebody's job", "fact", rf"{_SOMEBODY}(?:'s| is| works as)(?: now| still| also)? (?:an? |the )(?P<value>{JOB})\b",
        "job", "{owner} is {a_value}.", 0.7, target="node_item", subject="{owner}", passing=True,
        examples=(("Camila is a student.", "student"),),
    ),
    SlotRule(
        "somebody's employer", "fact", rf"{_SOMEBODY} {ADVERBS}works (?:at|for|with) (?P<value>(?:the |a |an )?{NAME})",
        "employer", "{owner} works at {value}.", 0.75, target="node_item", subject="{owner}", related=("works_at", "{value}"), passing=True,
        examples=(("Elena works for Norland Keyes", "Norland Keyes"),),
    ),
    SlotRule(
        "somebody's allergy", "fact",
            rf"{_SOMEBODY}(?:'s| is)(?: very| severely| badly)? (?:allergic to|intolerant to) {VALUE}{END}",
        "allergic_to:{value}", "{owner} is allergic to {value}.", 0.85, target="node_item", subject="{owner}", passing=True,
        examples=(("Jonte is allergic to nuts, it's serious", "nuts"),),
    ),
    SlotRule(
        "somebody avoids", "preference",
            rf"{_SOMEBODY} (?:(?:also|still|really) )?(?:won't|doesn't|can't|never) (?:eats?|touch(?:es)?|drinks?"
            rf"|likes?) {VALUE}{END}|(?:^|[^A-Za-z'])(?P<owner2>{NAME})'s off (?P<value2>[a-z]+){END}",
        "avoids:{value}", "{owner} does not have {value}.", 0.8, target="memory", subject="{owner}",
        examples=(("Tadhg won't touch mushrooms, says they squeak.", "mushrooms"), ("Tadhg's off chicken.", "chicken")),
        not_examples=("I never eat at noon.",),
    ),
    SlotRule(
        "somebody's age", "fact",
            rf"{_SOMEBODY}(?:'s| is| turned| turns)(?: now| already)? (?P<value>{NUMBER})(?: years old| now|[.,;]"
            r"|$)",
        "age", "{owner} is {value} years old.", 0.7, target="node_item", subject="{owner}", passing=True,
        examples=(("Tadhg is thirteen.", "thirteen"),),
    ),
)  # fmt: skip

NOT_THINGS = (
    rf"^(?:(?:whole|poor|entire|own|only|little|old|left|right) )?{_NOT_THINGS}\b(?:[^']|$)"
)
"""Slots that are figures of speech ("my god is it late") or that another rule reads."""

STATES = (
    r"^(?:not |now |so |too |very |really |quite |a bit |still |all |almost )*(?:broken|slow|dead|down|frozen|stuck|late|wrong|gone|lost|fine|ok|okay|good|bad|great|nice|lovely|awful|terrible|hard|easy|boring|busy|tired|sick|ill"
    r"|sore|cold|hot|warm|empty|full|ready|done|over|closed|open|big|small|long|short|loud|dirty|clean|messy|expensive|cheap|weird|important|killing|driving|working|crashing|failing|running|returning|throwing|hanging|acting|being|getting|going"
    r"|doing|making|giving|asking|telling|coming|leaking|showing|complaining|sleeping|crying|visiting)\b"
)
"""Values that say how a thing is at the moment, not what it is: "my car is broken" does not replace "my car is a blue Golf"."""
PLACES = r"^(?:currently |now )?(?:at|in|with|under|behind|next to|on) (?:the|my|our|a) [a-z]"
"""Where a thing is: a slot of its own, beside what the thing is."""
