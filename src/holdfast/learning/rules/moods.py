"""Which sentences state nothing: questions, hypotheticals, jokes, quotations, fiction, small talk, requests.

Each mood is a pattern over one sentence (or, for the last two, over the whole message) with examples beside it. A sentence in any
of these moods never becomes a fact, whatever else it says.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from holdfast.learning.rules.text import Sentence, compile_rule
from holdfast.learning.secrets import MASK


@dataclass(frozen=True)
class Mood:
    """A way of saying something without stating it."""

    name: str
    pattern: str
    examples: tuple[str, ...]
    not_examples: tuple[str, ...] = ()


SENTENCE_MOODS: tuple[Mood, ...] = (
    Mood(
        "question",
        r"\?[\"')\s]*$"
        r"|^(?:and |so |but |ok |oh |wait |now |also )*(?:what|what's|whats|who|who's|whos|where|where's|when's"
        r"|why|how|how's|hows|which|whose|is it|is that|are you|are u|are we|am i"
        r"|do you|do u|do we|do i|does|did you|did u|did he|did she|did they|can you|can u|can i|can we|could you"
        r"|will you|will u|would you|have you|has he|has she|any chance|any idea|any news"
        r"|would i|have i|had i|should i|shall i|could i|may i|might i|did i|was i|(?:is|are|was|does|did|has|can|will) my)\b[^.]*$",
        ("Would I like Berlin", "Have I told you that I work at Google", "Do oats count, by the way?", "who walks her now", "how was the trip", "are u telling your mum"),
        ("When I moved to Porto I sold the car.",),
    ),
    Mood(
        "hypothetical",
        r"\b(?:if|unless) (?:i|we|he|she|they|you|it|there|somebody|someone|that|this|only|ever|the \w+|my \w+"
        r"|[a-z]+) (?:ever |only )?(?:were|was|won|win|had|could|would|went|got|said|says|goes|stays?|comes?"
        r"|came|left|died|don't|doesn't|didn't|won't|isn't|ever|lost|sold|bought|did|made|lived|moved|took"
        r"|backs?|were to)\b"
        r"|\b(?:i|we|he|she|they|you|it|that|this|there)(?: would|'d| could| might| may)(?: (?:only|probably"
        r"|never|always|just|even|still|also|ever|really|not))* (?:be|have|need|want|do|get|go|take|make|say"
        r"|live|love|buy|hire|give|move|eat|look|end|die|kill|help|lose|sell|call|still|mean|cost|keep|stay|ask"
        r"|try|start|apply|work|pay|rather be)\b"
        r"|\b(?:we|you|one|or i) could \w+|\bwould(?:n't| not)? have\b|\bwere to\b|^(?:and |but |so |ok )?if\b"
        r"|^(?:suppose|supposing|assume|for (?:example|instance)|imagine|say|let's say|lets say|picture|what if|hypothetically|theoretically"
        r"|in theory|assuming|if only|pretend)\b"
        r"|\b(?:what if|i wish|wish i|in another life|one of these days|some ?day (?:i|we)|if i win|when i win"
        r"|hypothetical(?:ly)?|(?:was|am|i'm|im) thinking|thinking of|thinking about|thought about|toying with|tempted to|half a mind|would be (?:fun"
        r"|nice|great|lovely|funny)|dream(?:t|ed|ing)? (?:of|about|that))\b",
        ("If I won the lottery I'd hire a chef.", "I might ask to stay in it", "Suppose we had both of these in.", "i was thinking of flying home", "i was thinking RabbitMQ"),
        ("I'd like the invoices in PDF.", "We moved to Leeds."),
    ),
    Mood(
        "unsure",
        r"^h+m+\b|^(?:maybe|perhaps|possibly|probably|apparently|presumably|supposedly|allegedly|rumou?r)\b|\b(?:might"
        r"|(?-i:may)|maybe|perhaps) (?:\w+ ){0,2}(?:be|go|get|have|need|try|do|move|take|buy|apply|come|stay|end|keep"
        r"|just)\b"
        r"|\b(?:rumou?r|hearsay|not sure (?:if|whether|yet)|don't know (?:if|whether|yet)|dont know (?:if|whether"
        r"|yet)|undecided|nothing is decided|only talk|proposing|propose|how about|i mean\b|i meant|(?:had|was"
        r"|were) (?:planned|planning|going|supposed|meant|meaning) to|had (?:planned|thought|hoped|meant)|i (?:guess"
        r"|wonder|doubt|believe|suspect)|wonder(?:ing|ed) (?:if|whether|what|how)|no idea)\b",
        ("maybe we go to Greece", "I might just keep at it", "Not sure yet whether I'll take it.", "We had planned to go by train.", "Hmm."),
        ("I'm sure I'll take it.", "It is broken since May and we do it by hand."),
    ),
    Mood(
        "joke",
        r"\b(?:jk|j/k|just kidding|kidding|only joking|just joking|im joking|i'm joking|joke|lmao|lmfao|rofl)\b"
        r"|(?:^|\s)/s$|\b(?:lol|haha+|hahah\w*|hehe)[.! ]*$|[😂🤣😜😝🤪]\s*$"
        r"|\b(?:go to prison|going to prison|arrested|murder(?:ed)?|kill (?:me|him|her|you|them|us)|marry (?:me"
        r"|him|her|you)|die of|dying of|dropped dead|over my dead body|sell (?:a|my) kidney|nobel|world domination"
        r"|oscar goes|call the police|god help|lord help|heaven help)\b",
        ("i play with my left hand. jk", "if upstairs starts with the drums i go to prison", "She is a legend lol"),
        ("I joined a comedy class.",),
    ),
    Mood(
        "sarcasm",
        r"^(?:oh |yeah |ah |sure |wow )+(?:great|right|sure|because|brilliant|fantastic|lovely|perfect)\b|\b(?:yeah right"
        r"|sure, because|as if|my arse|my ass|what could (?:possibly )?go wrong|truly a genius|thanks for nothing"
        r"|how original|of course it (?:is|does|did)|obviously\.?$|living the dream|lucky me)\b(?:[.!]*$"
        r"|\W)|\bmy (?:absolute )?favou?rite[.!]*$",
        ("Oh great, another form.", "Yeah right, and I'm the queen of Spain.", "Living the dream."),
        ("Great Yarmouth is where I grew up.",),
    ),
    Mood(
        "quotation",
        r"^(?:>|\"[^\"]*\"[.!?]*$|'[^']*'[.!?]*$)|^\W*\"[^\"]{20,}\"\W*$|\b(?:says?|said|goes|asked|asks|told \w+"
        r"|writes|wrote|shouted|replied|answered)[,:]? [\"'][^\"']{8,}|\bquote\b|\b(?:says|claims|swears|reckons"
        r"|insists) (?:that )?(?:he|she|they|it|you|he's|she's|they're|it's|you're)\b",
        ('"Nineteen letters and not one kiss."', "> I moved to Rome in 2019", "The caretaker says 'you bathe a lot'", "he says he's in Norway"),
        ('My teacher calls it "the wall", and I use it too.',),
    ),
    Mood(
        "label",
        r"^(?:example|sample|test|input|output|prompt|sentence|text|user|the user|caption|title|lyrics?|transcript|translate|translation)(?: [a-z]+)?(?: says)?\s*:",
        ("Example input: my name is John", "The user says: my name is John."),
        ("I live in Porto: it rains.",),
    ),
    Mood(
        "said of the user",
        r"^(?:(?:why|but|because|and|so|since|as|when|no|hey)[, ]+)*(?:did |do |have |are )?you (?:just |also |always |once |keep |kept )*(?:said|say|saying|told me|think|thought|believe|believed|assume|assumed|claim|claimed|wrote)\b"
        r"|^according to\b|\bi (?:never|didn't|did not|didnt) (?:say|said|claim|claimed|mention|mentioned) (?:that )?(?:i|i'm|im|my)\b|\b(?:it's|it is|its|it isn't|isn't) (?:not true|false|wrong|untrue|true) that\b"
        r"|\b(?:people|everyone|everybody|someone|somebody|he|she|(?-i:[A-Z][a-z]+)|my (?:friends?|mum|mom|mother|dad|father|wife|husband|partner|brother|sister|kids|son|daughter)) (?:always |often |once )?(?:says?|said|thinks?|thought|told me|claims?|claimed|reckons?) (?:that )?(?:i'm|im|i am) (?:an?|too|so|very|allergic|like|just|really|not)\b",
        ("You said I live in Porto.", "I never said I like tea.", "Tom said I'm a bad cook.", "According to my wife I'm a bad driver."),
        ("You know I live in Porto.", "My doctor said I have asthma.", "They said I'm in."),
    ),
    Mood(
        "of the assistant",
        r"^(?:so |and |now |ok |from now on,? )*(?:you are|you're|your name is|i(?:'ll| will)? call you|let me call you) (?:now )?(?:an? |the |my |(?-i:[A-Z]))",
        ("You are a pirate and my name is Jack.", "You're Max, my assistant."),
        ("You're right, I live in Porto.",),
    ),
    Mood(
        "not to be kept",
        r"\b(?:don't|dont|do not|never|no need to|needn't|(?:don't|do not|dont) (?:need|have) to|shouldn't|should not) (?:ever |please )?(?:remember|save|store|memori[sz]e|keep|note|record|log|learn|add|write down) (?:this|that|it|any|the following|i|i'm|im|anything)\b",
        ("Don't remember that I like tea.", "You don't need to remember that I'm vegan."),
        ("Don't forget that I'm vegan.", "I never remember names."),
    ),
    Mood(
        "small talk",
        r"^(?:(?:thanks?|thank you|thx|ty|cheers|ta|congrat\w*|congrats|sorry|ok|okay|okey|k|sure|fine|yes|yep"
        r"|yup|yeah|yea|ya|no|nope|nah|ha|haha+|lol|oh|ah|aw+|wow|omg|great|nice|good|lovely|perfect|fair|enough"
        r"|deal|noted|agreed|right|exactly|true|same|wait|hmm+|legend|well|so|hi|hello|hey|hej|morning|night"
        r"|good ?night|good morning|good evening|bye|see you|love it|love you|miss you|of course|no worries|no problem"
        r"|never mind|got it|will do|sounds good|me too|you too|i know|i see|welcome|proud|happy (?:new year"
        r"|birthday|christmas|easter)|very|much|so|man|mate|bro|dude|dear|my|and|again|all|everyone|please|pls"
        r"|then|that|it|is|this|works?|done|cool|brilliant|amazing|grand|sweet|neat|awesome)\b[\s,.!'\-]*)+$",
        ("ok thanks!", "Good morning all", "ha, fair enough"),
        ("Good, small business it is.",),
    ),
    Mood(
        "secret",
        r"\[secret\]",
        (f"the door code is {MASK} again",),
    ),
)  # fmt: skip

REQUEST = Mood(
    "request",
    r"^(?:(?:ok|okay|right|good|great|perfect|fine|then|now|and|also|so|please|pls|just|well|yes|next|but"
    r"|first|second|oh|hey|could you|can you|would you|will you|kindly)[,:.!]? )*"
    r"(?:make|give|write|draft|send|check|tell (?:me|us)|explain|put|add|remind|draw|show|let's|lets|find"
    r"|book me|ask|look|help|list|say|use|go on|come|wait|try|log|set|read|pick|bring|leave|swap|fix|run"
    r"|remove|cut(?: (?:it|this|that|the|out))|pull|save|print|compare|calculate|translate|rewrite|shorten|summari[sz]e|suggest|recommend"
    r"|quiz|plan me|prepare|take|do|offer|quote|call)\b",
    ("Draft a demand letter, two pages.", "Now give me the numbers.", "please check the third one"),
    ("I draft the letters myself.", "Always give me amounts in grams."),
)
"""An order for this once. Standing ones ("always", "from now on") are the instruction family's and are read before this."""

FICTION = Mood(
    "fiction",
    r"\b(?:in (?:my|the|his|her|our) (?:novel|story|book|script|screenplay|chapter|campaign|game|dream|play"
    r"|film|movie)|my (?:character|protagonist|villain|wizard|paladin|rogue|avatar)|(?:role ?play|roleplaying"
    r"|pretend (?:you|i|to)|let's play|act as|you are (?:a|the) (?:bored|angry|grumpy|old|strict)|once upon a time"
    r"|in character|fan ?fic(?:tion)?|d&d|dnd|short story|fairy ?tale|the (?:hero|heroine|narrator|protagonist)"
    r"|chapter \w+|the scene|scene \w+|subtitles?|dialogue|stanza|lyrics?|song goes|the poem)\b)",
    ("In my novel I'm a spy who lives in Cairo.", "My character is allergic to silver.", "Roleplay: you are a bored pharmacist."),
    ("I finished the novel on Sunday.",),
)  # fmt: skip
"""Read over the whole message: a message about a story states nothing about the user."""

PRIVATE = Mood(
    "private",
    r"\boff the record\b|\b(?:don't|dont|do not|never) (?:ever |please )?(?:remember|save|store|memori[sz]e|keep|note|record|learn) (?:this|the following|any of (?:this|the following))\b"
    r"|\b(?:keep|this is|stays?) (?:this |it )?(?:strictly )?(?:between (?:us|you and me)|confidential)\b|\b(?:no need to|needn't|don't need to|don't have to) (?:remember|save|store|keep|note) this\b",
    (
        "Off the record, I hate my boss.",
        "Don't save this: I live in Porto.",
        "Keep this between us: I quit.",
    ),
    ("I keep a record of this.",),
)
"""Read over the whole message: nothing of it is kept."""

_SENTENCE = tuple((mood.name, compile_rule(mood.pattern)) for mood in SENTENCE_MOODS)
_REQUEST: Any = compile_rule(REQUEST.pattern)
_ADDRESS: Any = compile_rule(
    r"\b(?:call me|address me as) (?-i:[A-Z][a-z'-]+)(?: (?-i:[A-Z][a-z'-]+))?(?:,? (?:please|instead|from now on|for short))*[.!]*$"
)
_FICTION: Any = compile_rule(FICTION.pattern)
_PRIVATE: Any = compile_rule(PRIVATE.pattern)


def mood_of(sentence: Sentence) -> str | None:
    """The mood that keeps a sentence from being a statement; None where it states something."""
    return next((name for name, pattern in _SENTENCE if pattern.search(sentence.folded)), None)


def is_request(sentence: Sentence) -> bool:
    """Whether it asks for something to be done this once: "call me tomorrow", but not "call me Annie"."""
    return bool(_REQUEST.search(sentence.folded)) and not _ADDRESS.search(sentence.folded)


def is_fiction(folded: str) -> bool:
    """Whether a whole message speaks of a story, a game or a role."""
    return bool(_FICTION.search(folded))


def is_private(folded: str) -> bool:
    """Whether a message says of itself that it is not to be kept."""
    return bool(_PRIVATE.search(folded))


def matcher(mood: Mood) -> Callable[[str], bool]:
    """For the tests: whether a mood's pattern finds itself in a text."""
    compiled = compile_rule(mood.pattern)
    return lambda text: bool(compiled.search(text))
