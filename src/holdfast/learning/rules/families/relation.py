"""People, animals and how they stand to the user or to each other."""

from holdfast.learning.rules.family import SlotRule
from holdfast.learning.rules.lexicon import KIN, NAME, PEOPLE, PETS

_ROLE = (
    r"(?:(?:new|current|dear|old) )?(?P<role>(?:(?:older|younger|elder|eldest|oldest|youngest|little|big"
    rf"|twin|late|other|second|first|best) )*(?:{KIN}|{PEOPLE}|{PETS}))"
)
_NAMED = rf"(?P<value>{NAME})"

RULES: tuple[SlotRule, ...] = (
    SlotRule(
        "my role is name", "relation",
            rf"\b(?:my|our) {_ROLE},? (?:is |is called |is named |called |named )(?:also |still )?{_NAMED}",
        "{role}", "{whose} {role} is {value}.", 0.9, target="node_item", related=("{role}", "{value}"),
        examples=(("our dog is called Biscuit", "Biscuit"), ("My boss is Petra Lang.", "Petra Lang")),
        not_examples=("my sister is nice",),
    ),
    SlotRule(
        "my role name", "relation", rf"\b(?:my|our) {_ROLE},? (?:- )?{_NAMED}",
        "{role}", "{whose} {role} is {value}.", 0.75, target="node_item", related=("{role}", "{value}"), passing=True,
        examples=(("My niece Raya will be seven in May.", "Raya"),), not_examples=("My brother On Friday",),
    ),
    SlotRule(
        "my role's name", "relation", rf"\b(?:my|our) {_ROLE}(?:'s (?:first |full )?name is|'s called) {_NAMED}",
        "{role}", "{whose} {role} is {value}.", 0.9, target="node_item", related=("{role}", "{value}"),
        examples=(("My son's name is Gonzalo.", "Gonzalo"), ("By the way, my sister's called Eva.", "Eva")),
    ),
    SlotRule(
        "my role's name, without capitals", "relation",
        rf"(?-i:^(?:[^A-Z]|\bI\b|^[A-Z])*)\b(?:my|our) {_ROLE}(?:'s name is| is called| is named|,? called|,? named) (?P<value>[a-z][a-z'-]+)(?:\s*(?:[,.;!()]|[^\x00-\x7f]|$)| (?:and|but|who|is|lives|works)\b)",
        "{role}", "{whose} {role} is {value}.", 0.85, target="node_item", related=("{role}", "{value}"), small=True,
        examples=(("my wife's name is sofia", "sofia"), ("our dog is called biscuit and he is two", "biscuit")), not_examples=("my wife is pregnant", "my boss is called away"),
    ),
    SlotRule(
        "reports to", "relation", rf"\bi (?:now |currently )?report to {_NAMED}",
        "manager", "{whose} manager is {value}.", 0.8, target="node_item", related=("manager", "{value}"),
        examples=(("I report to Maria.", "Maria"),), not_examples=("I report to work at six.",),
    ),
    SlotRule(
        "name is my role", "relation", rf"(?:^|[^A-Za-z']){_NAMED}(?:,| is| was|'s)(?: also| still| actually)? my {_ROLE}\b",
        "{role}", "{whose} {role} is {value}.", 0.85, target="node_item", related=("{role}", "{value}"),
        examples=(("Joana, my girlfriend, she stays until June", "Joana"), ("Inés is my daughter.", "Inés")),
    ),
    SlotRule(
        "has a role", "relation",
            rf"\b(?:i|we)(?:'ve| have)? (?:have|got|adopted|own|keep|hired) (?:an? |the |two |three )?(?:[a-z]+[ -]){{0,2}}?{_ROLE}(?:,? (?:called|named|by the name of)|, (?:(?:her|his|their|its|the) name is |(?:she's|he's|she is|he is) (?:called )?)?| - |:) ?{_NAMED}",
        "{role}", "{whose} {role} is {value}.", 0.9, target="node_item", related=("{role}", "{value}"),
        examples=(("I have a tortoise named Código.", "Código"), ("I have a new boss, her name is Eva.", "Eva"), ("I have a daughter, Mia.", "Mia")),
        not_examples=("I have two cats.",),
    ),
    SlotRule(
        "another pet", "relation",
            rf"(?:,| and| plus) (?:an? |the |my |our )(?:[a-z]+[ -]){{0,2}}(?P<role>{PETS}),? (?:called|named) {_NAMED}",
        "{role}", "{whose} {role} is {value}.", 0.85, target="node_item", related=("{role}", "{value}"), passing=True,
        examples=(("I have two kids and a dog called Rex.", "Rex"),), not_examples=("She has a cat called Mo.",),
    ),
    SlotRule(
        "somebody's role name", "relation",
            rf"(?:^|[^A-Za-z'])(?P<owner>{NAME})'s {_ROLE},? (?:is |is called |is named |called |named )?{_NAMED}",
        "{role}", "{owner}'s {role} is {value}.", 0.75, target="node_item", subject="{owner}", passing=True, related=("{role}", "{value}"),
        examples=(("Problem: Anke's son Jonte is allergic to nuts", "Jonte"),),
    ),
    SlotRule(
        "married", "relation", rf"\b(?:i'm|im|i am|i got|we got|i was|i've been) (?:married|engaged) to {_NAMED}",
        "spouse", "{who} is married or engaged to {value}.", 0.85, target="node_item", related=("spouse", "{value}"),
        examples=(("I'm engaged to Solveig.", "Solveig"),),
    ),
)  # fmt: skip
