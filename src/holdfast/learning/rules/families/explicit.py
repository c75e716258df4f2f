"""What the user asks to remember in so many words: English, and the same request in nine other languages.

Other languages are not read beyond this: their value is kept in the user's own words.
"""

from dataclasses import dataclass

from holdfast.learning.rules.lexicon import NAME

_REST = r"(?P<value>[^\n]{3,500})"
_BEFORE = r"(?:^|[.!?,;:-] |\b(?:please|pls|and|so|also|ok|but|just|(?:could|can|would|will) you) )(?:please |pls |just |always |do |also )*"
_STORE = (
    r"(?:save|store|record|log|learn|keep|write|jot|note|add|put)(?: (?:this|it|the following))(?: down)?(?: (?:in|to|into) (?:your |my |the )?(?:memory|notes|mind|head))?(?: for (?:later|me))?\s*:\s*"
    r"|(?:save|store|record|keep in memory|save to memory) that "
)
_VERB = r"(?:is|are|was|has|have|likes|loves|hates|lives|works|studies|starts|ends|closes|opens|costs|prefers|needs|wants|comes|goes|takes|leaves|can't|can|doesn't|don't|will|must|turns|speaks|moved|owns|drives|plays)"
_OTHERS = rf"(?P<value2>(?:(?:the|a|an|his|her|their|our) (?:[a-z0-9'-]+ ){{1,4}}?|{NAME}(?:'s)? (?:[a-z'-]+ ){{0,3}}?|(?:she|he|they|it) ){_VERB}\b[^\n]{{1,400}})"
"""Behind "remember" without "that": what somebody or something else is or does."""
_LINE = r"(?P<value>[^\n。！？]{2,300}?)"


@dataclass(frozen=True)
class ExplicitRule:
    """A way of asking for something to be remembered; `value` is what."""

    language: str
    pattern: str
    examples: tuple[tuple[str, str], ...]
    not_examples: tuple[str, ...] = ()


RULES: tuple[ExplicitRule, ...] = (
    ExplicitRule(
        "en",
        rf"{_BEFORE}(?:"
        r"(?:(?:remember|memori[sz]e|don't forget|dont forget|do not forget|never forget|keep in mind|bear in mind"
        r"|note|take note|make a note|make a mental note|keep a note|note down|write down|jot down|save to memory|store in memory"
        r"|add to (?:your )?memory)"
        r"(?: of (?:this|the following)| this| the following| (?:these|a few|some) (?:things?|facts?|points?)(?: about me)?| for (?:later|next time|me|the future))?(?:,? that "
        r"|\s*:\s*|,? (?:i|i'm|im|i've|ive|my|we|our|we're) ?)"
        rf"|{_STORE}|for (?:future reference|the record|your (?:records|notes|information|memory))\s*[,:]? (?:that )?|(?:fyi|note to self)[,:]? (?:that )?){_REST}"
        rf"|(?:remember|memori[sz]e|don't forget|dont forget|keep in mind|note) {_OTHERS})",
        (
            ("Remember that I park on level 3.", "I park on level 3."),
            ("Please note: the archive closes at noon.", "the archive closes at noon."),
            ("For the record, we dropped the second phase.", "we dropped the second phase."),
            ("don't forget my sister is vegan", "my sister is vegan"),
            ("Can you remember that I like tea?", "I like tea"),
            ("Save this: my seat is 14C.", "my seat is 14C."),
            ("Add this to your memory: I like tea.", "I like tea."),
            ("Remember Sofia likes orchids.", "Sofia likes orchids."),
            ("remember the gate closes at ten", "the gate closes at ten"),
        ),
        ("Do you remember that I asked?", "I remember that day.", "Remember when we sailed?", "Note the irony.", "Can you remember my name?", "remember my birthday", "Don't remember that I like tea.",
         "Do you remember that I like tea?", "Save the file.", "Remember the milk."),
    ),
    ExplicitRule(
        "de",
        r"\b(?:merk(?:e|en sie)? (?:dir|sich)|denk(?:e)? (?:bitte )?daran|vergiss (?:bitte )?nicht|notier(?:e)? (?:dir )?"
        r"|behalte (?:bitte )?(?:im kopf|in erinnerung)|erinnere dich (?:bitte )?(?:daran)?)(?: bitte)?\s*(?:,? dass "
        r"|[:,] )" + _REST,
        (("Merk dir bitte, dass ich dienstags nicht kann.", "ich dienstags nicht kann."),),
        ("Ich merke mir das.",),
    ),
    ExplicitRule(
        "fr",
        r"\b(?:retiens|retenez|souviens-toi|souvenez-vous|n'oublie pas|n'oubliez pas|rappelle-toi|rappelez-vous"
        r"|note(?:z)?(?: bien)?|garde en memoire|gardez en memoire)(?: s'il te plait| s'il vous plait)?,? (?:que "
        r"|qu'|: ?)" + _REST,
        (("Souviens-toi que je suis allergique aux noix.", "je suis allergique aux noix."),),
        ("Je me souviens de toi.",),
    ),
    ExplicitRule(
        "es",
        r"\b(?:recuerda|recuerde|acuerdate|no olvides|no te olvides|no olvide|ten en cuenta|tenga en cuenta|apunta"
        r"|anota|anote)(?: por favor)?,?(?: de)? (?:que |: ?)" + _REST,
        (("Recuerda que vivo en Cádiz.", "vivo en Cádiz."),),
        ("No recuerdo eso.",),
    ),
    ExplicitRule(
        "it",
        r"\b(?:ricorda(?:ti)?|si ricordi|non dimenticare|tieni (?:presente|a mente)|annota|memorizza)(?: per favore)?,? (?:che "
        r"|: ?)" + _REST,
        (("Ricordati che il lunedì lavoro da casa.", "il lunedì lavoro da casa."),),
        ("Mi ricordo di lui.",),
    ),
    ExplicitRule(
        "pt",
        r"\b(?:lembra(?:-te)?|lembre(?:-se)?|nao (?:te )?esquecas?|nao se esqueca|nao esqueca|anota|anote|guarda"
        r"|guarde|memoriza|memorize)(?: por favor)?,?(?: de)? (?:que |: ?)" + _REST,
        (("Lembre-se de que não como carne.", "não como carne."),),
        ("Eu lembro disso.",),
    ),
    ExplicitRule(
        "nl",
        r"\b(?:onthoud|onthou|vergeet (?:alsjeblieft )?niet|denk eraan|noteer)(?: alsjeblieft| graag)?,? (?:dat "
        r"|: ?)" + _REST,
        (("Onthoud dat ik op woensdag vrij ben.", "ik op woensdag vrij ben."),),
        ("Ik onthoud dat wel.",),
    ),
    ExplicitRule(
        "ja",
        _LINE +
            r"(?:という)?(?:こと)?(?:を|は|、)?(?:覚えておいて|覚えといて|覚えて(?:ください|下さい|ね)|記憶して|忘れないで)|(?:覚えておいて|覚えて)(?:ください|下さい|ね)?[:：、](?P<value2>[^\n。]{2,300})",
        (("私は猫アレルギーだということを覚えておいて", "私は猫アレルギーだ"),),
        ("昨日のことを覚えていますか",),
    ),
    ExplicitRule(
        "zh",
        r"(?:^|[。，！？,.!? ]|请|請|麻烦你|麻煩你)(?:帮我|幫我)?(?:记住|記住|记得|記得|记下|記下|别忘了|別忘了|不要忘记|不要忘記)[,，:： ]*(?P<value>[^\n。！？?!]{2,300})",
        (("请记住我对花生过敏。", "我对花生过敏"),),
        ("我不记得了。",),
    ),
    ExplicitRule(
        "ko",
        _LINE + r"(?:다는 것을|라는 것을|다는 걸|라는 걸|는 것을|는 걸|고|을|를)? ?(?:기억해 ?(?:줘|주세요|둬|두세요)|잊지 ?(?:마|말아)[가-힣]*)",
        (("나는 땅콩 알레르기가 있다는 것을 기억해 줘", "나는 땅콩 알레르기가 있"),),
        ("기억이 안 나.",),
    ),
)  # fmt: skip
