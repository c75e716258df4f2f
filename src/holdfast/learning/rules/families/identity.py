"""Who the user is: name, age, origin, home, work, languages."""

from holdfast.learning.rules.family import SlotRule
from holdfast.learning.rules.lexicon import (
    ADVERBS,
    END,
    JOB,
    LANGUAGE,
    MONTH,
    NAME,
    NATIONALITY,
    VALUE,
)

_IM = r"\b(?:i'm|im|i am) "
_WORD_AGE = r"(?:thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?)"
_ZONE = r"(?:pacific|mountain|central|eastern|atlantic|central european|eastern european|western european|greenwich mean|indian|japan)(?: standard| daylight| summer)?"
_PLACE = rf"(?P<value>(?:the |a |an )?{NAME}(?:(?:, | in | near ){NAME})?)"

RULES: tuple[SlotRule, ...] = (
    SlotRule(
        "name", "identity",
        rf"\b(?:my (?:full )?name is|my name's|i'm called|people call me|everyone calls me) (?P<value>{NAME})",
        "name", "{whose} name is {value}.", 0.95,
        examples=(("Hi, my name is Teodora Ilieva.", "Teodora Ilieva"),),
        not_examples=("My name is mud.",),
    ),
    SlotRule(
        "called", "identity",
        rf"\b(?:i go by|call me|address me as|i(?:'d)? (?:prefer|like|want) to be called) (?P<value>{NAME})(?:,? (?:please|instead|from now on|for short))*[.!]*$",
        "called", "{who} wants to be called {value}.", 0.95,
        examples=(("Please call me Sam.", "Sam"), ("You can call me Annie", "Annie"), ("Just call me Sam, please.", "Sam"), ("I prefer to be called Sam.", "Sam")),
        not_examples=("Call me when you land.", "Call me an Uber.", "Call me Ishmael is how it begins."),
    ),
    SlotRule(
        "name without capitals", "identity",
        r"(?-i:^(?:[^A-Z]|\bI\b|^[A-Z])*)\bmy name(?:'s| is) (?P<value>[a-z][a-z'-]+(?: [a-z][a-z'-]+)?)(?:\s*(?:[,.;!?()]|[^\x00-\x7f]|$)| (?:and|but|so|from)\b)",
        "name", "{whose} name is {value}.", 0.85, small=True,
        examples=(("hi my name is ana and i live in porto", "ana"), ("my name is ana sousa", "ana sousa")),
        not_examples=("my name is not important", "My name is mud.", "my name is on the list", "my name is hard to spell"),
    ),
    SlotRule(
        "introduces", "identity",
        r"(?:^|[,:;!] )(?:(?:hi|hello|hey|good \w+|right|so|yes|sure|well|btw)[,.!]* )?(?-i:I am|I'm) (?:(?P<value>(?-i:[A-Z][a-z]+ [A-Z][a-z]+))\b"
        r"|(?P<value2>(?-i:[A-Z][a-z]+))(?:(?: from| here|, i|, i'[a-z]+| and i|, your|, the|, an?|, my| and my|, \d+)\b| ?\(|\s*[.!]*$|\s*[^\x00-\x7f]))"
        r"|^(?:hi|hello|hey|good (?:morning|afternoon|evening))[,!.]* (?P<value3>(?-i:[A-Z][a-z]+)) here\b",
        "name", "{whose} name is {value}.", 0.8,
        examples=(("I am Aurelio Ferrando; my brother got the Battista.", "Aurelio Ferrando"), ("Hi, I'm Sam, I live in Leeds.", "Sam"), ("I'm Ana.", "Ana"), ("Nice to meet you, I'm Ana, a nurse", "Ana"), ("Hi, Alex here.", "Alex")),
        not_examples=("I'm Irish.", "I am here.", "I'm Irish, I cook.", "I'm Ok.", "I'm Muslim.", "I'm From the support team.", "I'm Brazilian."),
    ),
    SlotRule(
        "age", "identity", rf"{_IM}(?:now |already |almost )?(?:an? )?(?P<value>\d{{1,3}}|{_WORD_AGE})(?:[- ]years?[- ](?:old|of age)| yrs? old| ?yo\b| now\b|\s*(?:,| and\b|[.!](?:\s|$)|[^\x00-\x7f]|$))",
        "age", "{who} is {value} years old.", 0.75,
        examples=(("I am seventy-four years of age, a retired judge", "seventy-four"), ("i'm 38 years old", "38"), ("I am 29.", "29"), ("I'm a 34 year old nurse", "34")),
        not_examples=("I'm 20 minutes late.", "I'm 1.82 m tall.", "I'm one of them.", "When I'm ninety.", "I'll stop when I'm 40."),
    ),
    SlotRule(
        "new age", "identity",
        rf"\bi(?:'ve| have)? {ADVERBS}turned (?P<value>\d{{2}}|{_WORD_AGE})(?:\s*(?:[,.!;]|[^\x00-\x7f]|$)| (?:and|but|so|on|in|last|this|yesterday|today|years?)\b)",
        "age", "{who} is {value} years old.", 0.85, change="replaces",
        examples=(("I turned 35 yesterday.", "35"), ("I just turned forty!", "forty")), not_examples=("I turned 20 pages.", "I turned round."),
    ),
    SlotRule(
        "nationality", "identity", rf"{_IM}(?:originally |half |part |a |an )?(?P<value>{NATIONALITY})(?: citizen| national)?{END}",
        "nationality:{value}", "{who} is {value}.", 0.85,
        examples=(("I'm Portuguese.", "Portuguese"), ("im brazilian but live in leeds", "brazilian"), ("I'm a Swiss citizen.", "Swiss")),
        not_examples=("I'm English teacher of the year.", "I'm in a Spanish class."),
    ),
    SlotRule(
        "born", "identity",
            rf"\bi was born (?:and raised )?(?P<where>in|on|near) {VALUE}{END}", "born", "{who} was born {where} {value}.", 0.9,
        examples=(("I was born in Belém.", "Belém"), ("I was born on 3 May 1990.", "3 May 1990")),
    ),
    SlotRule(
        "origin", "identity", rf"(?:{_IM}(?:originally )?(?:{NAME}, )?(?:an? (?:[a-z0-9-]+ ){{0,4}}?{JOB} )?from|\bi (?:grew up|was raised) (?:in|on|near)|\bi come from) {_PLACE}",
        "from", "{who} is from {value}.", 0.85,
        examples=(("I'm originally from Sassello", "Sassello"), ("I grew up in Great Yarmouth.", "Great Yarmouth")),
        not_examples=("I'm from work directly.",),
    ),
    SlotRule(
        "moved", "identity",
        rf"\b(?:i|i've|ive|we|we've) (?:have )?{ADVERBS}(?:moved|relocated) (?:house |home |flat )?(?:from (?P<old>{NAME}) )?(?:back "
        rf"|over |out |up |down )?to {_PLACE}",
        "lives_in", "{who} lives in {value}.", 0.85, change="replaces",
        examples=(("I just moved from Porto to Gothenburg.", "Gothenburg"), ("We've moved to Leeds", "Leeds")),
        not_examples=("We moved to a new broker.",),
    ),
    SlotRule(
        "lives", "identity",
            rf"(?:\b(?:i|we) {ADVERBS}live|\b(?:i've|ive|i have|we've|we have) been living|{_IM}(?:now |currently |an? [^,.;!?]{{2,40}}? )?(?:based|living)) (?P<where>in|at|on|near|outside|just outside) (?P<value>(?:the |a |an )?(?:\d+[a-z]? )?{NAME}(?:(?:, | in | near ){NAME})?)",
        "lives_in", "{who} lives {where} {value}.", 0.85,
        examples=(("I live in Pocitos, on the fifth floor", "Pocitos"), ("I'm living in Berlin.", "Berlin"), ("I've been living in Tokyo since May.", "Tokyo"), ("I live at 12 Elm Street.", "12 Elm Street")),
        not_examples=("I live in hope.",),
    ),
    SlotRule(
        "lives there for years", "identity", rf"\b(?:i've|ive|i have|we've|we have) lived (?P<where>in|at|near) {_PLACE} (?:for (?:\d|[a-z]+ years)|since|all my life)\b",
        "lives_in", "{who} lives {where} {value}.", 0.85,
        examples=(("I've lived in Tokyo for ten years.", "Tokyo"),), not_examples=("I've lived in Rome, Paris and Oslo.", "I've lived in Rome before."),
    ),
    SlotRule(
        "left the place", "identity",
        rf"\b(?:i|we)(?:'ve| have)? (?:no longer live|(?:don't|dont|do not) live) in (?P<value>(?:the )?{NAME})(?: any ?more| any longer)?",
        "lives_in", "{who} no longer lives in {value}.", 0.85, change="ends",
        examples=(("I no longer live in Berlin.", "Berlin"), ("We don't live in Leeds anymore.", "Leeds")), not_examples=("I don't live in fear.",),
    ),
    SlotRule(
        "lives, without capitals", "identity",
        r"(?-i:^(?:[^A-Z]|\bI\b|^[A-Z])*)\b(?:i|we) (?:now |currently )?live (?P<where>in) (?P<value>[a-z][a-z'-]+(?: [a-z][a-z'-]+)??)(?:\s*(?:[,.;!()]|[^\x00-\x7f]|$)| (?:and|but|so|now|with|since|for|near|at|by|again|alone|together)\b)",
        "lives_in", "{who} lives {where} {value}.", 0.75, small=True,
        examples=(("i live in porto", "porto"), ("hi, i live in new york and work nights", "new york"), ("i live in porto for now", "porto")),
        not_examples=("i live in hope", "i live in a flat", "i live in constant fear", "i live in town", "i live in the city", "i live in my car", "i live in jeans"),
    ),
    SlotRule(
        "job", "identity",
            rf"(?:{_IM}(?:now |currently |still )?(?:{NAME}, )?(?:an? |the )(?:\d{{1,3}}[- ]years?[- ]old )?|\bi work(?:ed)? as (?:an? |the )){'(?P<value>' + JOB + ')'}\b",
        "job", "{who} is {a_value}.", 0.8,
        examples=(("I'm a mechanic not a gas guy", "mechanic"), ("I work as a night nurse.", "night nurse")),
        not_examples=("I'm a mess.", "I'm an idiot."),
    ),
    SlotRule(
        "job for years", "identity", rf"\b(?:i've|ive|i have) been an? (?P<value>{JOB}) (?:for (?:\d|[a-z]+ years)|since|all my life)\b",
        "job", "{who} is {a_value}.", 0.8,
        examples=(("I've been a teacher for twelve years.", "teacher"),), not_examples=("I've been a teacher, a cook and a driver.",),
    ),
    SlotRule(
        "became", "identity",
            r"\bi (?:became|have become|'ve become|got promoted to|was promoted to|am now) (?:an? |the )?(?P<value>self-employed"
            rf"|freelance|{JOB})\b",
        "job", "{who} is now {a_value}.", 0.8, change="replaces",
        examples=(("In January I became a team manager.", "team manager"),),
    ),
    SlotRule(
        "employer", "identity",
        rf"\b(?:i(?:'m| am)? {ADVERBS}(?:work(?:ing)?|employed)|(?:i've|ive|i have) been working) (?:at|for) (?P<value>(?:the |a |an )?{NAME})",
        "employer", "{who} works at {value}.", 0.8,
        examples=(("I work at Harlow Electrical these days", "Harlow Electrical"),),
        not_examples=("I work for free.", "I work with Sara and Tim."),
    ),
    SlotRule(
        "employer, without capitals", "identity",
        r"(?-i:^(?:[^A-Z]|\bI\b|^[A-Z])*)\bi (?:now |currently )?work (?:at|for) (?P<value>[a-z][a-z0-9&'-]+)(?:\s*(?:[,.;!()]|[^\x00-\x7f]|$)| (?:and|but|so|now|as|in|since|these days|full time|part time)\b)",
        "employer", "{who} works at {value}.", 0.7, small=True,
        examples=(("i work at google", "google"), ("hey, i work for siemens in munich", "siemens")),
        not_examples=("i work at night", "i work for a bank", "i work for hours", "i work at home and love it"),
    ),
    SlotRule(
        "new employer", "identity",
        rf"\bi(?:'ve| have)? {ADVERBS}(?:started(?: work(?:ing)?)?|(?:started|got|found|landed|have) (?:a|my|the) (?:new )?(?:job|position|role)|got hired) (?:at|by|with) (?P<value>(?:the )?{NAME})",
        "employer", "{who} works at {value}.", 0.8, change="replaces",
        examples=(("I just started a new job at Netflix.", "Netflix"), ("I started at Stripe on Monday.", "Stripe")), not_examples=("I started at noon.",),
    ),
    SlotRule(
        "left the employer", "identity",
        rf"\bi(?:'ve| have)? (?:no longer work (?:at|for)|(?:don't|dont) work (?:at|for)|(?:just )?(?:quit|left)(?: my job (?:at|with))?) (?P<value>(?:the )?{NAME})",
        "employer", "{who} no longer works at {value}.", 0.8, change="ends",
        examples=(("I no longer work at Acme.", "Acme"), ("I quit my job at Acme last Friday.", "Acme")), not_examples=("I left Friday.",),
    ),
    SlotRule(
        "job at", "identity", rf"{_IM}(?:now |currently |still )?(?:an? |the ){JOB} (?:at|for|with) (?P<value>(?:the |a |an )?{NAME})",
        "employer", "{who} works at {value}.", 0.8,
        examples=(("I am a data scientist at Spotify in Stockholm.", "Spotify"),),
    ),
    SlotRule(
        "language", "identity",
        r"\b(?:my (?:native|first|mother) (?:language|tongue) is|i(?:'m| am) a native) (?P<value>(?-i:[A-Z][a-z]+))",
        "native_language", "{whose} first language is {value}.", 0.9,
        examples=(("My mother tongue is Bulgarian.", "Bulgarian"),),
    ),
    SlotRule(
        "speaks", "identity", rf"\bi (?:also |can |can also )?speak (?:both |fluent |some |good |basic |decent |a little |a bit of )?(?P<value>{LANGUAGE})\b",
        "speaks:{value}", "{who} speaks {value}.", 0.85, lists=True,
        examples=(("I speak French.", "French"), ("i speak some polish and german", "polish")), not_examples=("I don't speak French.", "I speak from experience."),
    ),
    SlotRule(
        "reply language", "instruction",
        r"\b(?:reply|answer|write|speak|talk)(?: to me)? (?:always |only )?in (?P<value>(?-i:[A-Z][a-z]{3,}))(?:,? (?:please"
        r"|from now on|always|only))+[.!]*$|\b(?:please|always) (?:reply|answer|write|speak|talk)(?: to me)? in (?P<value2>(?-i:[A-Z][a-z]{3,}))\b(?:,? (?:please|from now on|always|only))*"
        rf"|^(?:please )?(?:reply|speak|talk|write) to me in (?P<value3>{LANGUAGE})[.!]*$",
        "reply_language", "{who} wants replies in {value}.", 0.8,
        examples=(("Please answer in German from now on.", "German"), ("Speak to me in Spanish.", "Spanish")),
        not_examples=("Write in the margin.",),
    ),
    SlotRule(
        "pronouns", "identity",
            r"\bmy pronouns are (?P<value>[a-z]+(?: ?/ ?[a-z]+){1,2})", "pronouns", "{whose} pronouns are {value}.", 0.95,
        examples=(("My pronouns are they/them.", "they/them"),),
    ),
    SlotRule(
        "birthday", "identity",
            rf"\bmy birthday(?: is|'s| was) (?:on )?(?P<value>(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)?(?: {MONTH})?"
            rf"|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?)\b", "birthday", "{whose} birthday is {value}.", 0.85,
        examples=(("My birthday is 19 February.", "19 February"),),
        not_examples=("My birthday was awful!",),
    ),
    SlotRule(
        "time zone", "identity", rf"\bmy time ?zone is (?P<value>[A-Za-z/+:\d-]+){END}",
        "time_zone", "{whose} time zone is {value}.", 0.8,
        examples=(("My time zone is Europe/Berlin.", "Europe/Berlin"),),
    ),
    SlotRule(
        "in a time zone", "identity",
        rf"{_IM}(?:in|on) (?:the )?(?:(?P<value>{_ZONE}) time(?: ?zone)?|(?P<value2>(?-i:CES?T|E[SD]T|P[SD]T|M[SD]T|C[SD]T|GMT|BST|IST|JST|AEST|EEST?|UTC(?: ?[+-]\d{{1,2}})?))(?: time(?: ?zone)?)?){END}",
        "time_zone", "{whose} time zone is {value}.", 0.8,
        examples=(("I'm in the Pacific time zone.", "Pacific"), ("I'm on CET, so after lunch.", "CET")), not_examples=("I'm in central London.", "I'm on time."),
    ),
)  # fmt: skip
