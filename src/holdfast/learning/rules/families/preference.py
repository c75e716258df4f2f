"""What the user likes, avoids and cannot have."""

from holdfast.learning.rules.family import SlotRule
from holdfast.learning.rules.lexicon import ADVERBS, END

_THING = (
    r"(?P<value>(?:(?:the|a|an|my|any|all|to|being|having) )?[a-z][a-z'-]*(?: (?:and|or|with|in|of|without"
    r"|from|for|by|the|a|my)?\s?[a-z][a-z'-]*){0,6}?)"
)
_NOT_A_THING = (
    r"(?:it|this|that|these|those|you|u|him|her|them|us|me|how|what|when|where|who|why|if|one|so|ya|ye|things?"
    r"|everyone|everybody|mine|yours|your|to (?:see|hear|be|know|have|think|say)|a (?:lot|bit|word)|the (?:idea"
    r"|sound|way|fact|look))"
)
_FOOD = r"(?P<verb>eat|drink|touch|wear|watch|cook with|listen to)"

RULES: tuple[SlotRule, ...] = (
    SlotRule(
        "favourite", "preference",
            rf"\bmy (?:all[- ]time )?favou?rite (?P<slot>[a-z]+(?: [a-z]+)?) (?:is|was|are|has always been) {_THING}{END}",
        "favourite:{slot}", "{whose} favourite {slot} is {value}.", 0.85,
        examples=(("My favourite colour is dark green.", "dark green"),),
    ),
    SlotRule(
        "prefers", "preference",
            rf"\bi(?:'d| would)? {ADVERBS}(?:much )?prefer {_THING}(?: (?:to|over|rather than|instead of) [^,.;!?]+)?{END}",
        "prefers:{value}", "{who} prefers {value}.", 0.8,
        examples=(("I prefer trains to planes.", "trains"), ("i prefer aisle seats.", "aisle seats")),
        not_examples=("I prefer it.", "I prefer to finish it at home."),
    ),
    SlotRule(
        "dislikes", "preference",
        rf"\bi {ADVERBS}(?:hate|dislike|detest|loathe|can't stand|cant stand|cannot stand|can't bear|(?:don't"
        rf"|dont|do not|never) (?:really )?(?:like|enjoy)) {_THING}{END}"
        rf"|\b(?:i'm|im|i am) (?:not|no) (?:really )?(?:an? )?(?:[a-z]+ )?fan of {_THING.replace('value', 'value2')}{END}",
        "likes:{value}", "{who} dislikes {value}.", 0.8, lists=True,
        examples=(("I can't stand coriander.", "coriander"), ("i don't like museums with queues.", "museums with queues"), ("I'm not a fan of horror movies.", "horror movies")),
        not_examples=("I don't like it.", "I hate you."),
    ),
    SlotRule(
        "likes", "preference", rf"\bi {ADVERBS}(?:love|like|enjoy|adore) (?:both )?{_THING}{END}"
        rf"|\b(?:i'm|im|i am) {ADVERBS}(?:very |really |big |a lot )?into {_THING.replace('value', 'value2')}{END}"
        rf"|\b(?:i'm|im|i am) {ADVERBS}an? (?:[a-z]+ )?fan of {_THING.replace('value', 'value3')}{END}",
        "likes:{value}", "{who} likes {value}.", 0.7, lists=True,
        examples=(("I love old maps.", "old maps"), ("I like workshops, cemeteries, and eating alone", "workshops"), ("I'm really into climbing.", "climbing"), ("I'm a big fan of black metal.", "black metal")),
        not_examples=("I love you.", "I like it.", "i love that for you", "I'm into my third week.", "I'm into it."),
    ),
    SlotRule(
        "allergy", "fact",
            rf"\b(?:i'm|im|i am) {ADVERBS}(?:(?:very|severely|deathly|badly) )?allergic to (?:both )?{_THING}{END}|\bi(?:'ve"
            r"| have)? (?:got )?(?:a |an )?(?:bad |severe |serious |mild |deadly )?(?P<value2>[a-z]+) allergy(?:\s*(?:[,.;:!?()\n]|[^\x00-\x7f]|$)| (?:and|but|so)\b)"
            rf"|\bi(?:'ve| have)? (?:got )?(?:an? )?(?:bad |severe |serious |mild |deadly )?allergy to {_THING.replace('value', 'value3')}{END}",
        "allergic_to:{value}", "{who} is allergic to {value}.", 0.9, lists=True,
        examples=(("I'm allergic to ibuprofen.", "ibuprofen"),),
        not_examples=("I'm allergic to Mondays lol",),
    ),
    SlotRule(
        "diet", "preference",
            r"\b(?:i'm|im|i am|i've been|i went|i've gone|tell \w+ i'm) (?:a |now |strictly |fully |mostly )*(?P<value>vegetarian"
            r"|vegan|pescatarian|pescetarian|coeliac|celiac|lactose[- ]intolerant|gluten[- ](?:free|intolerant)|teetotal"
            r"|diabetic|halal|kosher|keto|colou?r[- ]?blind|left-handed|dyslexic)\b",
        "is:{value}", "{who} is {value}.", 0.85,
        examples=(("Tell him I'm vegetarian.", "vegetarian"),),
        not_examples=("I'm not vegetarian.",),
    ),
    SlotRule(
        "diet ended", "preference",
            r"\b(?:i'm|im|i am) (?:not|no longer) (?:a |an )?(?P<value>vegetarian|vegan|pescatarian|pescetarian|teetotal"
            r"|keto)\b",
        "is:{value}", "{who} is not {value}.", 0.85, change="ends",
        examples=(("I'm not a vegetarian any more.", "vegetarian"),),
    ),
    SlotRule(
        "avoids", "preference", rf"\bi (?:don't|dont|do not|never|can't|cant|cannot|won't|wont) {_FOOD} {_THING}{END}",
        "avoids:{value}", "{who} does not {verb} {value}.", 0.75, lists=True,
        examples=(("I don't eat sesame, it sticks in my teeth", "sesame"),),
        not_examples=("I don't watch it.",),
    ),
    SlotRule(
        "has again", "preference", r"\bi(?:'ve| have)? (?:started (?:eating|drinking)|eat|drink) (?P<value>(?:red )?meat|fish|seafood|chicken|pork|beef|dairy|cheese|eggs|gluten|sugar|bread|nuts|alcohol|wine|beer|coffee|tea|caffeine|milk) (?:again|now|these days)\b",
        "avoids:{value}", "{who} has {value} again.", 0.75, change="replaces",
        examples=(("I eat meat again.", "meat"), ("I've started drinking wine again.", "wine")), not_examples=("I eat at noon now.", "I drink it now."),
    ),
    SlotRule(
        "does not", "preference", rf"\bi (?:don't|dont|do not|never) (?P<value>smoke|drink|drive|fly|gamble|vape){END}",
        "does_not:{value}", "{who} does not {value}.", 0.8,
        examples=(("i dont smoke so it stays dry", "smoke"),), not_examples=("I don't drive you mad.",),
    ),
    SlotRule(
        "fears", "preference",
            rf"\b(?:i'm|im|i am) {ADVERBS}(?:so |very )?(?:afraid|scared|terrified) of {_THING}(?: honestly)?{END}",
        "fears:{value}", "{who} is afraid of {value}.", 0.75, lists=True,
        examples=(("i am afraid of fish honestly.", "fish"),), not_examples=("I'm afraid of that.",),
    ),
    SlotRule(
        "gave up", "decision",
            rf"\bi(?:'ve| have)? {ADVERBS}(?:gave up|given up|quit|stopped) (?P<value>smoking|drinking|alcohol|sugar"
            r"|coffee|caffeine|meat|dairy|gluten|gambling|vaping|social media|chocolate)(?:\s*(?:[,.;:!?()\"\n]|[^\x00-\x7f]|$)|\s+(?:and|but|because|since|so|in|on|for|at|after|when|last|this|a|an|two|three|years?|years|completely|entirely|altogether|again|ago|now|around|\d+)\b)|\b(?:i'm|im|i am) off the (?P<value2>drink"
            r"|booze|cigarettes|sugar|coffee)\b",
        "gave_up:{value}", "{who} gave up {value}.", 0.85, change="ends",
        examples=(("I gave up smoking in May.", "smoking"), ("im off the drink since new years", "drink")),
        not_examples=("I stopped drinking coffee.",),
    ),
)  # fmt: skip

_OF_THIS_TALK = (
    r"(?:the |that |this )?(?:first|second|third|last|other|previous|next|latest|former|latter|new|old) (?:one|option|version|draft|answer|response|reply|suggestion|idea|paragraph|sentence|line|design|choice|example"
    r"|approach|title|name|picture|image|part|half)s?"
)
NOT_A_THING = rf"^(?:{_NOT_A_THING}|everything|nothing|anything|(?:my |this )?life|{_OF_THIS_TALK}|(?:option|version|draft) [a-z0-9]|(?:my|the|our|a) (?:first|second|third|fourth|fifth|last|final|next) [a-z]+)\b|\bit\b|\b(?:in|of|on|about|with|from) (?:this|that|these|those|them)\b"
"""Values that are no things: "I like it", "I love that you came"; or only what is being talked about: "I prefer the second draft"."""
NO_ALLERGENS = r"^(?:my |this )?(?:mondays?|mornings?|work|bullshit|people|stupid\w*|drama|nonsense|meetings?|fun|you)\b"
"""What people say they are allergic to in jest."""
