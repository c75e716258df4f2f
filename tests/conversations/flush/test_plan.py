"""The strategies, as properties of any history."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from holdfast.conversations.budget import Budget
from holdfast.conversations.flush.plan import plan_flush, plan_summary, plan_trim, summary_room
from holdfast.conversations.model import LONG_TERM, SHORT_TERM, SYSTEM, Head

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SHARES = {SHORT_TERM: 0.5, SYSTEM: 0.2, LONG_TERM: 0.1, "notes": 0.2}
STRATEGIES = st.sampled_from(["simple_fifo", "lru", "token_aware_lru"])


@st.composite
def histories(draw: st.DrawFn) -> list[Head]:
    """Any run of messages: tool calls with results near and far, answered or not, a summary first, gaps in the places."""
    heads: list[Head] = []
    open_calls: list[str] = []
    if draw(st.booleans()):
        heads.append(Head(0, "system", draw(st.integers(4, 40)), LONG_TERM, NOON))
    seq = 1
    for number in range(draw(st.integers(1, 40))):
        seq += draw(st.integers(1, 3))
        role = draw(st.sampled_from(["user", "user", "assistant", "system", "tool"]))
        share = (
            SYSTEM if role == "system" else draw(st.sampled_from([SHORT_TERM, SHORT_TERM, "notes"]))
        )
        calls: tuple[str, ...] = ()
        answers = None
        if role == "assistant" and draw(st.booleans()):
            calls = tuple(f"c{number}.{n % 2}" for n in range(draw(st.integers(1, 2))))
            open_calls += calls
        if role == "tool" and open_calls:
            answers = draw(st.sampled_from(open_calls))
        accessed = NOON + timedelta(seconds=draw(st.integers(0, 5)))
        heads.append(Head(seq, role, draw(st.integers(3, 60)), share, accessed, calls, answers))
    return heads


@st.composite
def budgets(draw: st.DrawFn) -> Budget:
    shares = draw(st.sampled_from([{}, SHARES]))
    tokens = draw(st.integers(10, 800))
    messages = draw(st.one_of(st.none(), st.integers(1, 40)))
    if not shares and draw(st.booleans()):
        return Budget(None, messages or 10)
    return Budget(tokens, messages, 0.8, shares)


def partners(heads: list[Head]) -> list[set[int]]:
    """What may not be parted, found without the planner: each result with the nearest call before it, and so on."""
    groups: list[set[int]] = []
    for index, head in enumerate(heads):
        home = next(
            (
                each
                for each in reversed(heads[:index])
                if head.answers is not None and head.answers in each.calls
            ),
            None,
        )
        group = next((g for g in groups if home is not None and home.seq in g), None)
        if group is None:
            groups.append({head.seq})
        else:
            group.add(head.seq)
    return groups


def check_always(heads: list[Head], gone: set[int]) -> None:
    assert gone <= {head.seq for head in heads}
    assert heads[-1].seq not in gone
    for group in partners(heads):
        assert group <= gone or not group & gone


@given(histories(), budgets(), STRATEGIES)
def test_after_a_flush_the_budget_holds_whatever_came_before(heads, budget, strategy):
    gone = set(plan_flush(heads, budget, strategy).removed)
    check_always(heads, gone)
    left = [head for head in heads if head.seq not in gone]
    newest = next(group for group in partners(heads) if heads[-1].seq in group)
    half = budget.half
    if any(head.seq not in newest for head in left):
        assert not half.is_over(len(left), sum(head.tokens for head in left))
    for share in SHARES if budget.shares else ():
        there = [head for head in left if head.share == share and head.seq not in newest]
        used = sum(head.tokens for head in left if head.share == share)
        assert not there or used <= budget.cap(share)


@given(histories(), budgets(), STRATEGIES)
def test_system_messages_leave_last(heads, budget, strategy):
    budget = Budget(
        budget.max_tokens, budget.max_messages
    )  # caps may take a system message before others
    gone = set(plan_flush(heads, budget, strategy).removed)
    newest = next(group for group in partners(heads) if heads[-1].seq in group)
    systems_gone = [h for h in heads if h.seq in gone and h.role == "system" and not h.is_summary]
    groups = partners(heads)

    def is_ordinary(head: Head) -> bool:
        group = next(g for g in groups if head.seq in g)
        return not any(h.role == "system" for h in heads if h.seq in group)

    others_left = [h for h in heads if h.seq not in gone | newest and is_ordinary(h)]
    assert not (systems_gone and others_left)


@given(histories(), budgets())
def test_fifo_takes_no_more_than_it_must(heads, budget):
    budget = Budget(budget.max_tokens, budget.max_messages)
    plan = plan_flush(heads, budget, "simple_fifo")
    if not plan.removed:
        return
    groups = [g for g in partners(heads) if g <= set(plan.removed)]
    # One unit less would have been too little: bring any last-leaving unit back and the budget no longer holds.
    left = [head for head in heads if head.seq not in plan.removed]
    assert any(
        budget.half.is_over(
            len(left) + len(group),
            sum(h.tokens for h in left) + sum(h.tokens for h in heads if h.seq in group),
        )
        for group in groups
    )


@given(histories(), budgets())
def test_a_buffer_is_within_its_limits(heads, budget):
    budget = Budget(budget.max_tokens, budget.max_messages)
    gone = set(plan_trim(heads, budget))
    check_always(heads, gone)
    left = [head for head in heads if head.seq not in gone]
    newest = next(group for group in partners(heads) if heads[-1].seq in group)
    if any(head.seq not in newest for head in left):
        assert not budget.is_over(len(left), sum(head.tokens for head in left))


@given(histories(), budgets(), st.floats(0.05, 1), st.integers(1, 200))
def test_after_a_summary_the_limits_hold_and_earlier_ones_are_folded_in(
    heads, budget, share, tokens
):
    room = summary_room(budget, tokens)
    plan = plan_summary(heads, budget, oldest_share=share, summary_tokens=room)
    if plan.is_empty:
        return
    gone = set(plan.removed)
    check_always(heads, gone)
    assert {h.seq for h in heads if h.is_summary} <= gone
    assert set(plan.summarised) == {h.seq for h in heads if h.seq in gone and not h.is_summary}
    left = [head for head in heads if head.seq not in gone]
    newest = next(group for group in partners(heads) if heads[-1].seq in group)
    if any(head.seq not in newest for head in left):
        assert not budget.is_over(len(left) + 1, sum(head.tokens for head in left) + room)
    for name in SHARES if budget.shares else ():
        there = [head for head in left if head.share == name and head.seq not in newest]
        assert not there or sum(h.tokens for h in left if h.share == name) <= budget.cap(name)


def test_the_oldest_share_is_rounded_up_and_takes_one_at_least():
    heads = [Head(n, "user", 5, SHORT_TERM, NOON) for n in range(10)]
    budget = Budget(1000)

    def taken(share: float) -> int:
        return len(plan_summary(heads, budget, oldest_share=share, summary_tokens=10).removed)

    assert [taken(0.3), taken(0.31), taken(0.01), taken(1.0)] == [3, 4, 1, 9]
