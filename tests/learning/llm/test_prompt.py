"""What a settle sends to a model: the earlier messages are a small part of it, whatever people write."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.learning.llm.extractor import _cut, _prompt
from holdfast.learning.model import CONTEXT_MESSAGES, Message, Speaker

AT = datetime(2026, 3, 2, tzinfo=UTC)
SETTLES, EACH = 10, 40


def sent(messages: list[Message], context: list[Message]) -> int:
    """How many characters of a prompt are messages."""
    by_id = {f"m{number}": _cut(each) for number, each in enumerate(messages, 1)}
    earlier = [_cut(each, as_context=True) for each in context]
    return len(_prompt(by_id, earlier, Speaker())) - len(_prompt({}, [], Speaker()))


lengths = st.lists(st.sampled_from([1, 3, 40, 300, 2_000, 9_000]), min_size=EACH, max_size=EACH)
roles = st.lists(st.sampled_from(["user", "assistant", "tool"]), min_size=EACH, max_size=EACH)


@settings(max_examples=60, deadline=None)
@given(lengths=lengths, roles=roles)
def test_ten_settles_cost_at_most_one_and_a_half_times_one(lengths, roles):
    """Each of the ten parts has the same shape, so that long messages may stand where every part takes its context from."""
    part = [
        Message(f"m{n}", role, "a" * length, AT)
        for n, (length, role) in enumerate(zip(lengths, roles, strict=True))
    ]
    in_parts = sent(part, []) + (SETTLES - 1) * sent(part, part[-CONTEXT_MESSAGES:])
    assert in_parts <= 1.5 * sent(part * SETTLES, [])


def test_a_single_short_message_still_has_its_context():
    before = [Message(f"c{n}", "assistant", f"earlier {n}", AT) for n in range(10)]
    shown = _prompt({"m1": Message("m1", "user", "yes", AT)}, before, Speaker())
    assert [f"earlier {n}" in shown for n in range(10)] == [True] * 10


def test_the_oldest_context_is_left_out_first():
    before = [Message(f"c{n}", "assistant", f"earlier {n} " + "a" * 600, AT) for n in range(3)]
    shown = _prompt({"m1": Message("m1", "user", "yes", AT)}, before, Speaker())
    assert [f"earlier {n}" in shown for n in range(3)] == [False, False, True]
