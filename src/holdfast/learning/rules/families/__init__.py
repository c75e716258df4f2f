"""The families of patterns, one file each. Every rule carries its own examples; tests/learning/test_families.py runs them."""

from holdfast.learning.rules.families.change import RULES as CHANGE
from holdfast.learning.rules.families.decision import RULES as DECISION
from holdfast.learning.rules.families.event import RULES as EVENT
from holdfast.learning.rules.families.identity import RULES as IDENTITY
from holdfast.learning.rules.families.instruction import RULES as INSTRUCTION
from holdfast.learning.rules.families.person import RULES as PERSON
from holdfast.learning.rules.families.plain import RULES as PLAIN
from holdfast.learning.rules.families.plan import RULES as PLAN
from holdfast.learning.rules.families.preference import RULES as PREFERENCE
from holdfast.learning.rules.families.property import RULES as PROPERTY
from holdfast.learning.rules.families.relation import RULES as RELATION
from holdfast.learning.rules.families.replaced import RULES as REPLACED
from holdfast.learning.rules.families.state import RULES as STATE
from holdfast.learning.rules.family import ShapeRule, SlotRule

SLOTS: tuple[SlotRule, ...] = (*IDENTITY, *PREFERENCE, *RELATION, *PROPERTY)
"""Rules that find the value of a slot."""

SHAPES: tuple[ShapeRule, ...] = (
    *INSTRUCTION,
    *PLAIN,
    *DECISION,
    *PLAN,
    *EVENT,
    *CHANGE,
    *STATE,
    *REPLACED,
    *PERSON,
)
"""Rules that tell which kind a whole statement is, in the order they are asked."""
