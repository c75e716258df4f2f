"""What people say of themselves first: health, status, what they have, do and care for.

Plain statements, kept whatever the rest of the message is worth, like those of `plain`.
"""

from holdfast.learning.rules.family import ShapeRule
from holdfast.learning.rules.lexicon import I_OR_WE, KIN, NAME, NUMBER, PETS

_START = r"^(?:(?:also|and|so|but|btw|by the way|actually|oh|well|hi|hello|hey|fyi|yes|no|sure|thanks|honestly|tbh|ps)[,:!]? )*"
_I = rf"{_START}i(?:'ve| have)?(?: also| just| still| now| currently| only| already| actually| always| usually| mostly)*"
_IM = rf"{_START}(?:i'm|i am)(?: also| just| still| now| currently| not| kind of| really)*"
_CONDITION = (
    r"(?:adhd|autism|asthma|(?:type (?:1|2|one|two) )?diabetes|migraines?|epilepsy|arthritis|eczema|psoriasis|anxiety|depression|insomnia|hypertension|tinnitus|hay fever|dyslexia|endometriosis|pcos"
    r"|ptsd|ocd|ibs|anaemia|anemia|cancer|celiac(?: disease)?|coeliac(?: disease)?|crohn'?s|(?:high|low) (?:blood pressure|cholesterol)|a (?:heart condition|pacemaker|stammer|stutter|slipped disc)"
    r"|an? (?:bad|weak|sore|stiff|broken|sprained|injured) (?:back|knee|hip|neck|shoulder|ankle|wrist|arm|leg|foot|toe|hand|heart))"
)
_DRUG = r"(?:insulin|medication|antidepressants|blood thinners|beta blockers|statins|antibiotics|the pill|steroids|[a-z]+(?:formin|sartan|statin|oxetine|traline|olol|azole|zepam|thyroxine|profen|mycin))"
_THING = (
    r"(?:car|van|truck|bike|bicycle|e-bike|motorcycle|motorbike|scooter|boat|caravan|house|flat|apartment|cottage|garden|allotment|farm|piano|guitar|violin|laptop|computer|phone|iphone|ipad|macbook|kindle"
    r"|tablet|camera|subscription|membership|licen[cs]e|degree|phd|masters?|business|company|shop|store|cafe|café|restaurant|bakery|startup|studio|tattoos?|air fryer|thermomix|greenhouse|holiday home)"
)
_SPORT = (
    r"(?:guitar|piano|violin|cello|drums|bass|flute|saxophone|ukulele|trumpet|harp|chess|football|soccer|tennis|squash|padel|badminton|golf|rugby|basketball|volleyball|hockey|cricket|handball|poker|darts|bridge"
    r"|video games|board games|minecraft|d&d)"
)
_LASTING = r"(?:learn|study|speak|run (?:a|the)|visit|travel|write (?:a|my)|retire|get (?:fit|into|better at|married)|lose (?:weight|\d)|become|buy an?|move to|start an?|save|quit|give up|stop (?:smoking|drinking|eating))"
_NOT_LASTING = r"\b(?:tests?|command|script|code|server|quer(?:y|ies)|app|program|function|errors?|file|it|this one|that one|prompt|model|example|build|container|process)[.!]*$"

RULES: tuple[ShapeRule, ...] = (
    ShapeRule(
        "health", "fact",
        rf"{_I} (?:have|got|suffer from|was diagnosed with|got diagnosed with|live with) (?:a bit of |mild |severe |chronic |bad )?{_CONDITION}\b"
        rf"|{_I} (?:take|use) (?:\d+ ?(?:mg|ml) (?:of )?)?{_DRUG}\b|{_IM} on {_DRUG}\b|{_IM} (?:\d+ weeks )?(?:pregnant|expecting|deaf|blind|autistic|neurodivergent|hard of hearing|recovering from)\b"
        r"|\bi (?:broke|sprained|tore|fractured|dislocated|injured) my (?:left |right )?(?:arm|leg|wrist|ankle|foot|hand|finger|toe|nose|back|collarbone|shoulder|knee|hip|elbow|rib|thumb|neck|jaw|hamstring|acl|meniscus)s?\b|\bi had (?:an? )?(?:[a-z]+ )?(?:surgery|operation|heart attack|stroke|miscarriage|c-section)\b|\bi (?:wear|need) (?:glasses|contacts|contact lenses|hearing aids?|braces|a wheelchair|size )",
        plain=True, alone=True,
        examples=("I have asthma.", "I have type 1 diabetes.", "I take metformin.", "I'm on antidepressants.", "I'm pregnant, due in August.", "I broke my arm last week.", "I wear glasses."),
        not_examples=("I have a headache.", "I take it back.", "I broke my promise."),
    ),
    ShapeRule(
        "status", "identity",
        rf"{_IM} (?:single|married|divorced|widowed|engaged|separated|dating|gay|lesbian|bisexual|trans|non-?binary|queer|muslim|jewish|catholic|hindu|buddhist|sikh|atheist|unemployed|self-employed|semi-retired|getting (?:divorced|married)"
        rf"|an? (?:only child|introvert|extrovert|twin|immigrant|refugee|veteran|widow(?:er)?|night owl|early (?:bird|riser)|(?:single |stay-at-home |working |foster |new )?(?:mom|mum|mother|dad|father|parent)|grandmother|grandfather|grandparent|beginner|novice|woman|man))\b"
        rf"|{_IM} {NUMBER}(?:[.,]\d+)? ?(?:m|cm|metres|meters|feet|foot)\b(?: \d+)? ?tall|{_I} (?:will be|turn|'ll be) \d{{2}} (?:in|on|next|this)\b|{_START}my english (?:is|isn't) ",
        plain=True, alone=True,
        examples=("I'm married with two kids.", "I'm a mother of two.", "I'm an introvert.", "I'm 1.82 m tall.", "I'm a beginner."), not_examples=("I'm a mess.",),
    ),
    ShapeRule(
        "has a thing", "fact",
        rf"{_START}{I_OR_WE}(?:'ve| have)?(?: also| still| now)* (?:have|own|got|drive|ride|rent|run|share|co-own) (?:an? |my own |our own |two |three )(?:[a-z0-9'-]+ ){{0,3}}?(?:{_THING}|{PETS})s?\b"
        rf"|{_I} (?:have|own|drive|ride|play) an? (?:[a-z]+ )?(?-i:(?:i[A-Z]|[A-Z])[A-Za-z0-9-]+)\b|{_I} (?:drive|ride) an? [a-z]",
        plain=True, alone=True, unless=_NOT_LASTING,
        examples=("I have a car.", "I run a bakery.", "We have a house in Faro.", "I own a Canon EOS R6.", "I have an iPhone 15.", "i drive a red vw golf"),
        not_examples=("I have a question.", "I have a csv file.", "I run the app."),
    ),
    ShapeRule(
        "occupation", "fact",
        rf"{_I} work (?:in|for|at) (?:an? |the |my )?(?:[a-z]+ ){{0,2}}(?:finance|marketing|sales|it|tech|hr|retail|logistics|education|healthcare|insurance|construction|hospitality|advertising|publishing|research|law|media|government|banking"
        r"|company|council|startup|start-up|school|hospital|university|bank|agency|charity|ngo|lab|firm|hotel|shop|store|restaurant|factory|office|museum|library|ministry|studio|clinic|nights|shifts)\b"
        rf"|{_I} (?:teach|study) (?:maths?|english|history|physics|chemistry|biology|music|art|law|medicine|economics|engineering|psychology|philosophy|computer science|nursing|design|architecture|literature|yoga|kids|children|languages?|(?-i:[A-Z][a-z]+))\b|{_I} (?:lead|manage|founded|co-?founded|head|supervise) (?:an? |the |my )[a-z]+|{_I} do [a-z ]{{3,40}} for a living\b|{_IM} (?:between jobs|on (?:parental|maternity|paternity|sick) leave|now at {NAME}|studying [a-z]|the (?:ceo|cto|cfo|head|owner|founder|director) of)"
        rf"|{_I} (?:started|start)(?: working)? (?:at|for|with) {NAME}|{_I} (?:got|was) laid off\b|{_I} joined {NAME}",
        plain=True, alone=True, unless=_NOT_LASTING,
        examples=("I work in finance.", "I work for a small startup in Berlin.", "I teach maths at a school.", "I lead a team of five.", "I'm now at Stripe.", "I do data analysis for a living."),
        not_examples=("I work hard.", "I work on it.", "I lead."),
    ),
    ShapeRule(
        "living", "fact",
        rf"{_START}{I_OR_WE}(?: currently| now| still)* (?:live|are living) (?:alone|by myself|with (?:my|our|two|three|some|an?)|(?:in|on|near|by|next to) (?:an? |the (?:[a-z]+ )?(?:countryside|suburbs|city|centre|center|mountains|coast|sea|beach|river|\w+ floor)))\b"
        rf"|{_IM} (?:staying|living) (?:in|at|with) [^.!?]{{2,30}}\b(?:until|till|for (?:an?|the|{NUMBER}))\b|{_START}home is {NAME}|{_START}{I_OR_WE}(?:'ve| have)?(?: just| recently)* moved (?:to the (?:countryside|suburbs|city|coast|sea)|in with|house|into an?)",
        plain=True, alone=True,
        examples=("I live alone.", "I live with my parents.", "I live in a small village in Wales.", "We moved to the countryside.", "I'm staying in Madrid until June."),
        not_examples=("I live in hope.", "I live for this."),
    ),
    ShapeRule(
        "pastime", "preference",
        rf"{_I} (?:play|practise|practice) (?:the |a bit of |a lot of )?{_SPORT}\b|{_I} (?:do|practise|practice) (?:yoga|pilates|judo|karate|crossfit|ballet|boxing|jiu-jitsu|athletics|gymnastics|ceramics|pottery)\b|{_I} go (?:to the gym|climbing|running|swimming|hiking|cycling|surfing|skiing|sailing|dancing)\b"
        rf"|{_I} (?:collect|support|sing in|volunteer (?:at|for|with)|coach|breed|grow) [a-z]{{3,}}|{_I} (?:read|listen to|watch|bake|cook) a lot of [a-z]|{_START}in my (?:free|spare) time,? i |{_START}[a-z]+(?:ing| [a-z]+)? is (?:one of )?my (?:hobby|hobbies|passion)\b|\bas a hobby\b",
        plain=True, alone=True,
        examples=("I play the guitar.", "I do yoga every morning.", "I go to the gym three times a week.", "I collect stamps.", "In my free time I paint.", "Gardening is my hobby."),
        not_examples=("I play with fire.", "I go to work."),
    ),
    ShapeRule(
        "how one does it", "preference",
        rf"{_START}i (?:usually|normally|typically|always) (?:have|eat|drink|take|fly|travel|order|wear|buy|sit|sleep|wake|get up|go to bed|carry|shop|pay|read|listen|watch|cook|start) [^.!?]{{3,}}|{_I} (?:drink|take|have) my (?:coffee|tea|eggs|steak) [a-z]"
        r"|\bi (?:don't|do not) (?:drink|eat|have) [a-z]+ (?:after|before) \d",
        plain=True, alone=True,
        examples=("I usually have porridge for breakfast.", "I usually fly with KLM.", "I take my coffee with oat milk.", "I don't drink coffee after 4pm"), not_examples=("I usually do.",),
    ),
    ShapeRule(
        "goal", "plan",
        rf"{_START}(?:i|we)(?:'d| would)? (?:want|plan|hope|intend|aim|like|am planning|'m planning) to {_LASTING}\b|{_START}(?:i'm|i am|we're|we are) (?:planning|organi[sz]ing|preparing|training) (?:for )?(?:an?|our|my|the) [a-z]|{_IM} trying to (?:lose|gain|quit|get|eat|sleep|learn|save|stop|become)\b",
        plain=True, alone=True, unless=_NOT_LASTING,
        examples=("I want to learn Japanese.", "I'd like to learn Japanese this year.", "I plan to run a marathon in autumn.", "I'm planning a trip to Japan.", "I'm trying to lose weight."),
        not_examples=("I want to see the code.", "I want to run the tests."),
    ),
    ShapeRule(
        "those close to the user", "relation",
        rf"{_START}(?:my|our) (?:(?:older|younger|little|big|twin|new) )?(?:{KIN}|{PETS}|kids|children|parents|team|boss|manager|best friend|colleague|neighbou?r)s?,?(?: {NAME},?)? (?:is (?:an?|{NUMBER}|allergic|vegan|vegetarian|diabetic|pregnant|from|in)|loves?|hates?|likes?|prefers?|uses?|speaks?|can't (?:eat|stand|have)|doesn't (?:eat|like|drink)|started|goes to|sits|died|was born|turns|turned|lives?|works?|has (?:an?|{NUMBER}))\b",
        plain=True, unless=r"\b(?:it|this|that|you|him|her|them|us)[.!]*$",
        examples=("My kids love Lego.", "My wife hates cilantro.", "My dog Rex is a labrador.", "My cat Luna is 12 now", "My son Leo started school this year.", "My colleague Sara sits next to me."),
        not_examples=("My wife loves it.", "my dog is tired"),
    ),
    ShapeRule(
        "what a team uses", "fact",
        rf"{_START}(?:my|our) team uses (?-i:[A-Z][A-Za-z0-9.+#]+)\b|{_START}(?:i'm|we're|we are|i am) using (?-i:[A-Z][A-Za-z0-9.+#]+)\b|{_START}(?:we'll|we will|let's|lets|we're going to|we are (?:not )?going to) (?:use|go with|stick with) (?-i:[A-Z][A-Za-z0-9.+#]+)\b"
        rf"|{_START}decision: [a-z]",
        plain=True, alone=True,
        examples=("My team uses Slack.", "I'm using Postgres 16.", "We'll use Stripe for payments.", "Decision: we ship on Friday."), not_examples=("We use it.",),
    ),
)  # fmt: skip
