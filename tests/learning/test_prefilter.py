"""The pass over all rules at once leaves no message out in which a rule finds a slot."""

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.learning.rules.families import SLOTS
from holdfast.learning.rules.families.explicit import RULES as EXPLICIT
from holdfast.learning.rules.prefilter import may_fill_slot
from tests.learning.conversations import learned

FILLING = [text for rule in (*SLOTS, *EXPLICIT) for text, _ in rule.examples]
OTHER = [
    "The archive closes at noon.", "ok thanks!", "What is the weather?", "Dr. Weber called at 9.", "```\nI live in a fence\n```",
    "Correction:", "my password is hunter2", "Über allem: Café Müller…", "今日は", "- a list, and more", "Remember that",
]  # fmt: skip
messages = st.lists(
    st.tuples(
        st.sampled_from([*FILLING, *OTHER]),
        st.sampled_from([" ", "\n", ". ", ", ", "; and "]),
    ),
    min_size=1,
    max_size=4,
).map(lambda parts: "".join(text + joint for text, joint in parts))


@settings(max_examples=300, deadline=None)
@given(messages)
def test_no_message_that_fills_a_slot_is_left_out(text):
    if any(each.attribute for each in learned(text).candidates):
        assert may_fill_slot(text)


def test_every_example_passes_and_plain_talk_does_not():
    assert [text for text in FILLING if not may_fill_slot(text)] == []
    assert not any(may_fill_slot(text) for text in OTHER[:4])
