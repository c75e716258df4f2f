"""What fits a budget: the properties, over any prices."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.context.budget import RECENT_MESSAGES, Priced, Purse, fill
from holdfast.context.model import ContextMessage

prices = st.integers(0, 40)


@st.composite
def conversations(draw):
    """Messages oldest first: system ones, tool calls with their results, and plain ones."""
    messages = []
    for number in range(draw(st.integers(0, 14))):
        kind = draw(st.sampled_from(["user", "assistant", "system", "tool"]))
        if kind != "tool":
            messages.append(message(f"m{number}", kind, draw(prices)))
            continue
        calls = [{"id": f"call{number}.{n}"} for n in range(draw(st.integers(1, 2)))]
        messages.append(message(f"m{number}", "assistant", draw(prices), tool_calls=calls))
        for call in calls:
            name = f"r{call['id']}"
            messages.append(message(name, "tool", draw(prices), tool_call_id=call["id"]))
    return messages


def message(name, role, tokens, **more):
    return ContextMessage(id=name, role=role, content="x", tokens=tokens, **more)


def filled(max_tokens, reminders, entries, messages, recalled=()):
    purse = Purse(max_tokens)
    fill(
        purse,
        reminders=[Priced("system_reminders", f"{i}", n, i) for i, n in enumerate(reminders)],
        recalled=[Priced("recalled", f"{i}", n, i) for i, n in enumerate(recalled)],
        entries=[
            (Priced("entries", f"{i}", n, i), category) for i, (n, category) in enumerate(entries)
        ],
        messages=[(Priced("messages", m.id, m.tokens, i), m) for i, m in enumerate(messages)],
    )
    return purse


budgets = st.one_of(st.none(), st.integers(0, 400))
asked = (
    budgets,
    st.lists(prices, max_size=8),
    st.lists(st.tuples(prices, st.sampled_from(["core", "daily", "CORE"])), max_size=12),
    conversations(),
    st.lists(prices, max_size=8),
)


@given(*asked)
def test_the_budget_is_never_exceeded_and_everything_is_kept_or_accounted_for(
    max_tokens, reminders, entries, messages, recalled
):
    purse = filled(max_tokens, reminders, entries, messages, recalled)
    total = sum(each.tokens for each in purse.kept)
    assert max_tokens is None or total <= max_tokens
    dropped = {each.part: each for each in purse.account()}
    for part, prices_of in (
        ("system_reminders", reminders),
        ("recalled", recalled),
        ("entries", [n for n, _ in entries]),
        ("messages", [m.tokens for m in messages]),
    ):
        kept = purse.places(part)
        left_out = dropped.get(part)
        assert len(kept) + (left_out.count if left_out else 0) == len(prices_of)
        assert purse.tokens(part) + (left_out.tokens if left_out else 0) == sum(prices_of)
        assert left_out is None or (left_out.count == len(left_out.ids) > 0)
    if max_tokens is None or max_tokens >= 48 * 60:
        assert dropped == {}


@given(*asked)
def test_the_most_valuable_stay_and_nobody_jumps_the_queue(
    max_tokens, reminders, entries, messages, recalled
):
    purse = filled(max_tokens, reminders, entries, messages, recalled)
    kept = set(purse.places("system_reminders"))
    assert kept == set(range(len(kept)))  # the best ones
    recalled_kept = purse.places("recalled")
    assert recalled_kept == [*range(len(recalled_kept))]
    for is_core in (True, False):
        tier = [i for i, (_, category) in enumerate(entries) if (category == "core") == is_core]
        kept_of_tier = [i for i in tier if i in purse.places("entries")]
        assert kept_of_tier == tier[: len(kept_of_tier)]  # the newest ones


@given(*asked)
def test_a_conversation_has_no_holes_and_no_half_tool_calls(
    max_tokens, reminders, entries, messages, recalled
):
    purse = filled(max_tokens, reminders, entries, messages, recalled)
    kept = [messages[i] for i in purse.places("messages")]
    said = [m for m in messages if m.role != "system"]
    kept_said = [m for m in kept if m.role != "system"]
    assert kept_said == said[len(said) - len(kept_said) :]
    calls = {call["id"] for m in kept for call in m.tool_calls or []}
    results = {m.tool_call_id for m in kept if m.tool_call_id}
    assert calls == results


def test_after_a_message_that_does_not_fit_nothing_said_before_it_is_kept():
    sizes = (
        [1] * 5 + [50] + [1] * (RECENT_MESSAGES - 1)
    )  # the large one is the oldest of the recent
    messages = [message(f"m{n}", "user", size) for n, size in enumerate(sizes)]
    purse = filled(30, [], [], messages)
    assert purse.places("messages") == [*range(6, len(messages))]
    [dropped] = purse.account()
    assert (dropped.part, dropped.count, dropped.tokens) == ("messages", 6, 55)


def test_ten_messages_are_recent():
    messages = [message(f"m{n}", "user", 1) for n in range(15)]
    purse = filled(11, [1, 1], [], messages)
    assert purse.places("messages") == [*range(5, 15)]
    assert purse.places("system_reminders") == [0]


def test_what_was_said_last_outranks_reminders_and_entries_and_what_was_said_before_does_not():
    messages = [message(f"m{n}", "user", 1) for n in range(RECENT_MESSAGES + 5)]
    purse = filled(RECENT_MESSAGES + 3, [1], [(1, "core"), (1, "daily")], messages, [1])
    assert len(purse.places("messages")) == RECENT_MESSAGES
    assert purse.places("system_reminders") == purse.places("recalled") == [0]
    assert purse.places("entries") == [0]
