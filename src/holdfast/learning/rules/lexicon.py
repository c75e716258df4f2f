"""Word lists that several families share, as pieces of RE2 patterns. General English, nothing of any one conversation."""


def word_list(text: str) -> list[str]:
    """A list of words, written as one text."""
    return text.split()


KIN = (
    r"(?:(?:step|half|great |grand|god)?-?(?:mother|father|mom|mum|mam|mama|mamma|mummy|dad|daddy|papa|brother"
    r"|bro|sister|sis|son|daughter"
    r"|child|parents?|uncle|aunt|auntie)(?:-in-law| in law)?|grand(?:ma|pa|child|kids?|parents?)|nan|nana"
    r"|gran|granny|grandad"
    r"|wife|husband|spouse|partner|girlfriend|boyfriend|fiancee?|ex(?:-wife|-husband)?|cousin|niece|nephew|twins?|kid|baby)"
)
"""Family, by blood, marriage or courtship."""

PEOPLE = (
    r"(?:(?:best |old |good )?friend|mate|colleague|co-?worker|neighbou?r|boss|manager|team lead|landlord"
    r"|landlady|room-?mate|flat-?mate"
    r"|housemate|teacher|tutor|coach|mentor|therapist|doctor|dentist|gp|physio|vet|lawyer|accountant|agent"
    r"|trainer|student|apprentice"
    r"|assistant|nanny|babysitter|godmother|godfather|supervisor|professor)"
)
"""People that somebody may have without being related to them."""

PETS = (
    r"(?:dog|puppy|pup|cat|kitten|rabbit|bunny|hamster|guinea pig|parrot|budgie|horse|pony|tortoise|turtle"
    r"|goldfish|fish|hen|goat"
    r"|ferret|snake|gecko|lizard|labrador|lab|terrier|greyhound|poodle|collie|spaniel)"
)

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?"
    r"|dec(?:ember)?)"
)
WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"

NUMBER = (
    r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen"
    r"|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|(?:a )?(?:hundred"
    r"|thousand|dozen))"
)

NAME = r"(?-i:(?:(?:Dr|Mr|Mrs|Ms|Prof|St)\.? )?(?:O')?[A-Z][a-z][a-zA-Z-]*(?: (?:O')?[A-Z][a-z][a-zA-Z-]*){0,2})"
"""A name as it is written with care: capitals. Rules that use it stay silent in messages without capitals."""

I_OR_WE = rf"(?:i|we|(?:(?:my|our) (?:{KIN}|{PEOPLE})(?: {NAME})?|{NAME}) and i)"
"""The user, alone or with somebody."""

NOT_NAMES = (
    r"^(?i:i|the|on|in|at|and|but|so|or|he|she|they|it|we|you|no|yes|not|is|was|has|what|who|when|if|oh|ok"
    rf"|god|{WEEKDAY}|{MONTH}|christmas|easter|new|english|german|french|spanish)\b"
)
"""Capitalised words that are nobody's name."""

JOB = (
    r"(?:[a-z]+ ){0,4}(?:[a-z]{2,}(?:eer|ist|ian|smith|wright|grapher|maker|keeper)|nurse|doctor|teacher"
    r"|lawyer|solicitor|judge|chef|cook"
    r"|baker|butcher|driver|mechanic|plumber|electrician|carpenter|engineer|developer|programmer|designer"
    r"|architect|writer|editor"
    r"|journalist|author|artist|musician|singer|actor|actress|farmer|fisherman|gardener|builder|welder|painter"
    r"|tailor|vet|priest"
    r"|vicar|pastor|imam|rabbi|monk|nun|professor|lecturer|researcher|scientist|student|apprentice|tutor"
    r"|coach|trainer|instructor"
    r"|consultant|analyst|accountant|auditor|banker|broker|manager|director|ceo|cto|founder|owner|freelancer"
    r"|contractor|paramedic"
    r"|midwife|surgeon|dentist|pharmacist|physio(?:therapist)?|therapist|counsellor|counselor|social worker"
    r"|carer|cleaner|waiter"
    r"|waitress|barista|bartender|porter|receptionist|secretary|clerk|librarian|translator|interpreter|pilot"
    r"|sailor|captain|soldier"
    r"|officer|firefighter|detective|guard|postman|courier|tuner|luthier|potter|weaver|sculptor|guide|agent"
    r"|salesman|saleswoman"
    r"|salesperson|seller|buyer|trader|cashier|widow|widower|pensioner|retiree|landlord)"
)
"""Occupations, by their usual endings and by name, with up to four words before ("a retired civil court judge")."""

DEMONYMS = r"(?:ish|ese|ian|ican|utch|ench)$"
"""Endings of nationalities, which stand where a name might: "I'm Irish, I cook"."""

NATIONALITY = (
    r"(?:afghan|albanian|algerian|american|argentin(?:ian|e)|armenian|australian|austrian|bangladeshi|belgian|bolivian|bosnian|brazilian|british|bulgarian|canadian|chilean|chinese|colombian|croatian|cuban|cypriot"
    r"|czech|danish|dutch|ecuadorian|egyptian|english|estonian|ethiopian|filipino|finnish|french|georgian|german|ghanaian|greek|hungarian|icelandic|indian|indonesian|iranian|iraqi|irish|israeli|italian|jamaican"
    r"|japanese|jordanian|kenyan|korean|kurdish|latvian|lebanese|lithuanian|malaysian|maltese|mexican|moroccan|nepal(?:i|ese)|nigerian|norwegian|pakistani|palestinian|peruvian|polish|portuguese|romanian|russian"
    r"|scottish|senegalese|serbian|singaporean|slovak|slovenian|somali|spanish|sri lankan|swedish|swiss|syrian|taiwanese|thai|tunisian|turkish|ugandan|ukrainian|uruguayan|venezuelan|vietnamese|welsh)"
)

LANGUAGE = (
    r"(?:arabic|armenian|bengali|bulgarian|cantonese|catalan|chinese|croatian|czech|danish|dutch|english|esperanto|estonian|farsi|finnish|french|gaelic|galician|georgian|german|greek|gujarati|hebrew|hindi|hungarian"
    r"|icelandic|indonesian|irish|italian|japanese|korean|kurdish|latvian|lithuanian|malay|mandarin|marathi|norwegian|persian|polish|portuguese|punjabi|romanian|russian|serbian|sign language|slovak|slovene|spanish"
    r"|swahili|swedish|swiss german|tagalog|tamil|telugu|thai|turkish|ukrainian|urdu|vietnamese|welsh|yoruba|zulu)"
)

NOT_INTRODUCED = (
    r"^(?:(?:half |part )?(?:brazilian|italian|canadian|australian|austrian|russian|norwegian|indian|belgian|hungarian|romanian|bulgarian|ukrainian|egyptian|nigerian|colombian|peruvian|iranian|syrian|croatian|serbian|albanian|armenian|asian"
    r"|german|french|spanish|greek|czech|swiss|thai|iraqi|israeli|pakistani|american|mexican|african|european|arab|muslim|christian|jewish|catholic|hindu|buddhist|sikh|protestant|atheist)"
    r"|ok|okay|fine|sure|sorry|here|there|done|back|ready|good|great|happy|sad|tired|busy|home|vegan|vegetarian|gay|straight|lost|confused|batman|superman|groot|god|jesus|santa|dead|in|out|on|off|at|from|not|also|now|just|still|very|too|deaf|blind"
    r"|autistic|pregnant|single|married|divorced|retired|unemployed|male|female|old|sick|late|free|open|alone|afraid|bored|hungry|curious)\b"
)
"""Words behind "I'm" that are written with a capital at times and are nobody's name."""

NOT_SMALL_NAMES = (
    r"^(?:not|no|on|in|at|an?|the|my|your|his|her|hard|difficult|easy|spelled|spelt|pronounced|already|still|now|also|never|too|very|so|really|kind|mud|secret|wrong|right|common|rare|unique|boring|long|short|something|nothing|irrelevant"
    r"|none|being|going|different|important|listed|there|here|up|what|same|misspelled|written|registered|misspelt|unusual|old|new|missing|private|of|for|from|it|that|this|away|out|back|off|up|to|into|upon|by)\b"
)
"""Words behind "my name is" that are nobody's name."""

NOT_SMALL_PLACES = (
    r"^(?:an?|the|my|your|his|her|it|here|there|that|this|these|those|very|too|quite|such|some|something|somewhere|what|same|different|old|both|all|each|me|us|you|hope|town|constant|fear|denial|squalor|peace|comfort|exile|poverty|luxury|style|jeans|sin|pain|shared|rented|social|downtown|uptown"
    r"|paradise|hell|silence|harmony|separate|student|hotels?|tents?|vans?|sheltered|temporary|public|our|their|one|two|central|rural|suburbia)\b"
)
"""Words behind "i live in" that are no place of that name."""

NOT_SMALL_EMPLOYERS = (
    r"^(?:an?|the|my|your|his|her|our|their|it|this|that|these|those|here|there|home|work|school|college|uni|university|sea|night|nights|dawn|noon|midnight|weekends?|free|fun|money|peanuts|food|tips|pay|cash|myself|yourself|us|them|him|me|you|all|both|each|some|one|two|three|several|different"
    r"|multiple|various|many|most|least|big|small|large|once|hours?|days?|weeks?|months|minutes|ages|long|short|half|full|best|what|whoever|everyone|somebody|someone|nobody|people|clients|customers|companies|other|others|being|getting|making|another|any|height|scale|speed|reduced|minimum)\b"
)
"""Words behind "i work at" that are no employer's name."""

NOT_JOBS = (
    r"\b(?:vegetarian|pedestrian|(?-i:[A-Z]\w+)|optimist|pessimist|realist|perfectionist|purist|tourist|feminist"
    r"|guardian|mess)$|^(?:bad|good|terrible|horrible|awful|lousy|decent|better|worse|big|huge|total|real|proper|crazy|lazy|slow|fast) "
)
"""Words with the ending of an occupation that are none ("a vegetarian", "a Bulgarian")."""

VALUE = r"(?P<value>[^,.;:!?()\"\n]{1,80}?)"
END = (
    r"(?:\s*(?:[,.;:!?()\"\n]|[^\x00-\x7f]|$)|\s+-\s|\s+(?:and|but|because|cos|cause|since|so|which|who|while|though|although|when|if|as|"
    r"where|until|till|til|then|now|btw|by the way|too|either|more|better|best|most|especially|except|unless|anymore|any more|please|pls|tbh|lol|haha)\b)"
)
"""What closes a value: punctuation, the end, or a word that opens another clause."""

ADVERBS = (
    r"(?:(?:really|absolutely|just|also|still|now|currently|always|usually|actually|only|already|finally"
    r"|recently|both|all|kind of|mostly|secretly|honestly) )*"
)

GENERIC_STEMS = frozenset(
    word_list(
        "km kg kilo mile metre meter mg ml percent degre gram euro pound dollar cost price pay paid month week day year hour minut time morn night start end begin new old first last next"
        " today tomorrow yesterday januari februari march april may june juli august septemb octob novemb decemb monday tuesday wednesday thursday"
        " friday saturday sunday instead still alway never everi anymor"
    )
)
"""Stems that say when or how much, not what about."""
STOP_WORDS = frozenset(
    word_list(
        "a an the and or but so if then than that this these those it its it's he she they we i you me him her them us my your his our their mine who whom"
        " which what when where why how is am are was were be been being do does did done have has had having will would shall should can could may might must"
        " to of in on at by for from with about as into over under up down out off not no yes just also too very really still now there here all any some"
        " user user's said says say asked remember get got gets go goes going went make made one thing things lot bit im ive dont ok oh well like"
    )
)
"""Words that say nothing by themselves."""
