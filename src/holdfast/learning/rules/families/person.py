"""What people say of themselves first: health, status, what they have, do and care for.

Plain statements, kept whatever the rest of the message is worth, like those of `plain`.
"""

from holdfast.learning.rules.family import ShapeRule
from holdfast.learning.rules.lexicon import I_OR_WE, KIN, NAME, NUMBER, PETS

_START = r"^(?:(?:also|and|so|but|btw|by the way|actually|oh|well|hi|hello|hey|fyi|yes|no|sure|thanks|honestly|tbh|ps|just so you know|for context|for the record|heads up)[,:!]? )*"
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
        rf"|{_I} (?:take|use) (?:\d+ ?(?:mg|ml) (?:of )?)?{_DRUG}\b|{_I} get (?:migraines|seasick|carsick|airsick|hay fever|panic attacks|eczema|cold sores)\b|{_I} use (?:a (?:wheelchair|walker|cane|cpap)|crutches|an inhaler)\b|{_IM} in a wheelchair\b|{_IM} on (?:{_DRUG}|an? (?:[a-z-]+ ){{0,2}}diet)\b|{_IM} (?:\d+ weeks )?(?:pregnant|expecting|deaf|blind|autistic|neurodivergent|hard of hearing|recovering from)\b"
        r"|\bi (?:broke|sprained|tore|fractured|dislocated|injured) my (?:left |right )?(?:arm|leg|wrist|ankle|foot|hand|finger|toe|nose|back|collarbone|shoulder|knee|hip|elbow|rib|thumb|neck|jaw|hamstring|acl|meniscus)s?\b|\bi had (?:an? )?(?:[a-z]+ )?(?:surgery|operation|heart attack|stroke|miscarriage|c-section)\b|\bi (?:wear|need) (?:glasses|contacts|contact lenses|hearing aids?|braces|a wheelchair|size )",
        plain=True, alone=True,
        examples=("I have asthma.", "I have type 1 diabetes.", "I take metformin.", "I'm on antidepressants.", "I'm on a keto diet.", "I'm pregnant, due in August.", "I broke my arm last week.", "I wear glasses.", "I get migraines.", "Just so you know, I'm in a wheelchair."),
        not_examples=("I have a headache.", "I take it back.", "I broke my promise."),
    ),
    ShapeRule(
        "status", "identity",
        rf"{_IM} (?:single|married|divorced|widowed|engaged|separated|dating|gay|lesbian|bisexual|trans|non-?binary|queer|muslim|jewish|catholic|hindu|buddhist|sikh|atheist|unemployed|self-employed|semi-retired|getting (?:divorced|married)"
        rf"|an? (?:only child|introvert|extrovert|twin|immigrant|refugee|veteran|widow(?:er)?|night owl|early (?:bird|riser)|(?:morning|night|cat|dog) person|(?:single |stay-at-home |working |foster |new )?(?:mom|mum|mother|dad|father|parent)|grandmother|grandfather|grandparent|beginner|novice|woman|man))\b"
        rf"|{_IM} {NUMBER}(?:[.,]\d+)? ?(?:m|cm|metres|meters|feet|foot)\b(?: \d+)? ?tall|{_I} (?:will be|turn|'ll be) \d{{2}} (?:in|on|next|this)\b|{_START}my english (?:is|isn't) ",
        plain=True, alone=True,
        examples=("I'm married with two kids.", "I'm a mother of two.", "I'm an introvert.", "I'm 1.82 m tall.", "I'm a beginner.", "I'm a morning person."), not_examples=("I'm a mess.",),
    ),
    ShapeRule(
        "has a thing", "fact",
        rf"{_START}{I_OR_WE}(?:'ve| have)?(?: also| still| now)* (?:have|own|got|drive|ride|rent|run|share|co-own) (?:an? |my own |our own |two |three )(?:[a-z0-9'-]+ ){{0,3}}?(?:{_THING}|{PETS})s?\b"
        rf"|{_START}{I_OR_WE} (?:don't|dont|do not) (?:have|own) (?:an? |any )?(?:car|licen[cs]e|driving licen[cs]e|tv|television|smartphone|garden|kids|children|siblings|pets|partner|credit card|dishwasher|freezer|oven)(?:[.,;!]| (?:and|but|so)\b|$)"
        rf"|{_I} (?:have|own|drive|ride|play) an? (?:[a-z]+ )?(?-i:(?:i[A-Z]|[A-Z])[A-Za-z0-9-]+)\b|{_I} (?:drive|ride) an? [a-z]",
        plain=True, alone=True, unless=_NOT_LASTING,
        examples=("I have a car.", "I run a bakery.", "We have a house in Faro.", "I own a Canon EOS R6.", "I have an iPhone 15.", "i drive a red vw golf", "I don't have a car."),
        not_examples=("I have a question.", "I have a csv file.", "I run the app."),
    ),
    ShapeRule(
        "occupation", "fact",
        rf"{_I} work (?:in|for|at) (?:an? |the |my )?(?:[a-z]+ ){{0,2}}(?:finance|marketing|sales|it|tech|hr|retail|logistics|education|healthcare|insurance|construction|hospitality|advertising|publishing|research|law|media|government|banking"
        r"|company|council|startup|start-up|school|hospital|university|bank|agency|charity|ngo|lab|firm|hotel|shop|store|restaurant|factory|office|museum|library|ministry|studio|clinic|bakery|brewery|farm|garage|hospice|warehouse|supermarket|call cent(?:er|re)|salon|gym|consultancy|nonprofit|non-profit|publisher|theat(?:er|re)|nights|shifts)\b"
        rf"|{_I} (?:teach|study) (?:maths?|english|history|physics|chemistry|biology|music|art|law|medicine|economics|engineering|psychology|philosophy|computer science|nursing|design|architecture|literature|yoga|kids|children|languages?|(?-i:[A-Z][a-z]+))\b|{_I} (?:lead|manage|founded|co-?founded|head|supervise) (?:an? |the |my )[a-z]+|{_I} do [a-z ]{{3,40}} for a living\b|{_IM} (?:between jobs|on (?:parental|maternity|paternity|sick) leave|now at {NAME}|studying [a-z]|the (?:ceo|cto|cfo|head|owner|founder|director) of)"
        rf"|{_I} (?:started|start)(?: working)? (?:at|for|with) {NAME}|{_I} (?:got|was)(?: just| recently)? (?:laid off|fired|made redundant|let go)(?:[.,;!]|$| (?:at|last|in|because|and|so|yesterday|today|this|by|from|two|three|after)\b)|{_I} (?:quit|lost|left) my (?:old )?job(?:[.,;!]|$| (?:at|last|in|because|and|so|yesterday|today|this|to|two|three|after)\b)|{_I} joined {NAME}",
        plain=True, alone=True, unless=_NOT_LASTING,
        examples=("I work in finance.", "I work for a small startup in Berlin.", "I teach maths at a school.", "I lead a team of five.", "I'm now at Stripe.", "I do data analysis for a living.", "I work for a small bakery.", "I lost my job."),
        not_examples=("I work hard.", "I work on it.", "I lead.", "I left my job running.", "I was let go of the idea."),
    ),
    ShapeRule(
        "education and career", "fact",
        rf"{_I} (?:went to|attended|graduated from|dropped out of) (?:(?:the )?university of|(?:law|med(?:ical)?|art|culinary|boarding) school|(?-i:[A-Z][a-z]+ (?:University|College|School|Academy|High)|Oxford|Cambridge|Harvard|Yale|Stanford|Princeton|MIT|UCLA|NYU|LSE|UCL|ETH)\b)|{_I} (?:majored|minored) in [a-z]|{_I} studied [a-z ]{{3,30}} (?:at|in) (?-i:[A-Z])|{_IM} in my (?:first|second|third|fourth|fifth|final|last) (?:year|semester|term)\b"
        rf"|{_I} used to (?:work|teach|study|live|play|be an?) |{_I} worked (?:at|for) {NAME} (?:since|for)\b|{_I} work the [a-z]+ shift\b|{_IM} working (?:from home|remotely|part[- ]time|full[- ]time|nights)\b|{_I} (?:started|launched) (?:an?|my|my own) (?:[a-z-]+ )?(?:company|business|startup|start-up|blog|podcast|charity|shop|channel|newsletter)\b",
        plain=True, alone=True,
        examples=("I studied physics at Oxford.", "I majored in economics.", "I went to MIT.", "I used to work at IBM.", "I'm working from home on Fridays.", "I started a company called Nimbus.", "I've worked at Siemens since 2012."),
        not_examples=("I went to the shop.", "I went to IKEA.", "I used to it.", "I started a server."),
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
        rf"|{_I} run (?:(?:half[- ])?marathons?|ultras?|ultramarathons?|10ks?)\b|{_I} (?:can't|cannot|cant|can not) (?:swim|drive|cook|dance|sing|ski|whistle|ride a bike|read music)(?:[.,;!]|$| (?:and|but|so|at all|because)\b)|{_I} (?:watch|follow|listen to) (?:formula (?:1|one)|f1|football|soccer|tennis|basketball|baseball|cricket|rugby|anime|podcasts|audiobooks|jazz|opera|techno|metal|classical music)\b"
        rf"|{_I} (?:collect|support|sing in|volunteer (?:at|for|with)|coach|breed|grow) [a-z]{{3,}}|{_I} (?:read|listen to|watch|bake|cook) a lot of [a-z]|{_START}in my (?:free|spare) time,? i |{_START}[a-z]+(?:ing| [a-z]+)? is (?:one of )?my (?:hobby|hobbies|passion)\b|\bas a hobby\b",
        plain=True, alone=True,
        examples=("I play the guitar.", "I do yoga every morning.", "I go to the gym three times a week.", "I collect stamps.", "I run marathons.", "I can't swim.", "I listen to podcasts on my commute.", "In my free time I paint.", "Gardening is my hobby."),
        not_examples=("I play with fire.", "I go to work."),
    ),
    ShapeRule(
        "how one does it", "preference",
        rf"{_START}(?:i (?:only|mostly) (?:book|buy|eat|drink|wear|fly)|i (?:usually|normally|typically|always) (?:book|bring|stay in|have|eat|drink|take|fly|travel|order|wear|buy|sit|sleep|wake|get up|go to bed|carry|shop|pay|read|listen|watch|cook|start)) [^.!?]{{3,}}|{_I} (?:wake up|get up|go to bed|start work|finish work|have (?:breakfast|lunch|dinner)) (?:(?:at|around|by|before|after) (?:about |around )?(?:{NUMBER}|noon|dawn|midnight|sunrise)|early|late)\b|{_I} (?:take the (?:bus|train|tram|metro|subway|underground|tube|ferry)|(?:cycle|bike|walk|drive|commute)(?: by [a-z]+)?) to (?:work|school|uni|university|the office|college)(?:[.,;!]|$| (?:every|each|most|now|these|and|but|so|in|on|by|with|when)\b)|{_I} follow an? (?:[a-z-]+ ){{1,2}}diet\b"
        rf"|{_I} try to (?:avoid|eat|drink|limit|cut down on) (?:more |less |only |mostly )?(?:sugar|meat|red meat|fish|dairy|gluten|carbs|salt|caffeine|coffee|alcohol|vegetables|fruit|water|healthy|healthily|sweets|processed food|screens)\b|{_I} drink {NUMBER} [a-z ]{{3,20}} (?:a|per) (?:day|week)\b|{_I} (?:can't|cant|cannot) have (?:gluten|dairy|lactose|nuts|peanuts|sugar|alcohol|caffeine|shellfish|eggs|soy|wheat|pork|fish|meat)\b|{_I} (?:drink|take|have) my (?:coffee|tea|eggs|steak) [a-z]"
        r"|\bi (?:don't|do not) (?:drink|eat|have) [a-z]+ (?:after|before) \d",
        plain=True, alone=True,
        examples=("I usually have porridge for breakfast.", "I usually fly with KLM.", "I take my coffee with oat milk.", "I don't drink coffee after 4pm", "I always book aisle seats.", "I wake up at 5:30.", "I cycle to work.", "I can't have gluten.", "I drink two coffees a day."), not_examples=("I usually do.", "I go to bed now.", "I only have five minutes."),
    ),
    ShapeRule(
        "owed, lent or kept", "fact",
        rf"{_START}(?:i|{NAME}|my (?:{KIN})) (?:still )?owes? (?:me|us|{NAME}|my [a-z]+|the [a-z]+) (?:[$€£] ?)?{NUMBER}\b|{_START}i(?:'ve| have)? (?:lent|borrowed) [^.!?]{{2,40}} (?:to|from) (?:my [a-z]+|{NAME})|{_START}(?:i|we) (?:keep|hide|store) (?:my|our|the) [^.!?]{{2,40}} (?:(?:under|behind|above|next to|on top of) (?:my|our|the|a)|(?:in|on) (?:my|our|the|a) (?:[a-z]+ )?(?:drawer|garage|shed|cellar|basement|attic|kitchen|fridge|freezer|car|office|wardrobe|closet|cupboard|safe|hall(?:way)?|bag|desk|shelf|hook))\b|{_START}i park(?:ed)? (?:on|in|at|near|behind|outside|next to) (?:level|floor|row|bay|lot|spot|the|my|our|{NAME})\b",
        plain=True, alone=True, unless=_NOT_LASTING,
        examples=("I owe Tom 50 euros.", "I lent my drill to Sam.", "I keep the spare key under the mat.", "I parked on level 2."), not_examples=("I keep the value in a variable.", "I parked the issue for now."),
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
        rf"{_START}we (?:mostly |mainly )?(?:use|host on|run on|write in) (?-i:[A-Z][A-Za-z0-9.+#]+)(?: (?:at work|here|internally|in the team))?(?:[.,;!]|$)|{_IM} on (?:macos|windows|linux|ubuntu|debian|android|ios)(?:[.,;!]|$| (?:and|but|so)\b)|{_I} code (?:mostly|mainly|only) in (?-i:[A-Z])|{_START}(?:my|our|the) (?:[a-z]+ )?(?:server|repo|database|network|branch|project|channel|printer|service|cluster|bucket|app|bot|team|company|boat|blog) is (?:called|named) [a-z]"
        rf"|{_START}(?:my|our) team uses (?-i:[A-Z][A-Za-z0-9.+#]+)\b|{_START}(?:i'm|we're|we are|i am) using (?-i:[A-Z][A-Za-z0-9.+#]+)\b|{_START}(?:we'll|we will|let's|lets|we're going to|we are (?:not )?going to) (?:use|go with|stick with) (?-i:[A-Z][A-Za-z0-9.+#]+)\b"
        rf"|{_START}decision: [a-z]",
        plain=True, alone=True, unless=r"\bcalled (?:when|whenever|twice|once|again|by|from|on|in|at|with|every|each|for|before|after|first|last|if|and|but)\b",
        examples=("My team uses Slack.", "I'm using Postgres 16.", "We'll use Stripe for payments.", "Decision: we ship on Friday.", "We use Slack at work.", "I'm on macOS.", "The staging server is called hydra."), not_examples=("We use it.", "The service is called twice."),
    ),
)  # fmt: skip
