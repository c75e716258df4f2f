"""The strategies, as properties of any history."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from holdfast.conversations.budget import Budget
from holdfast.conversations.flush.plan import plan_flush, plan_summary, plan_trim, summary_room
from holdfast.conversations.model import LONG_TERM, SHORT_TERM, SYSTEM, MessageHead

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SHARES = {SHORT_TERM: 0.5, SYSTEM: 0.2, LONG_TERM: 0.1, "notes": 0.2}
STRATEGIES = st.sampled_from(["simple_fifo", "lru", "token_aware_lru"])


@st.composite
def histories(draw: st.DrawFn) -> list[MessageHead]:
    """Any run of messages: tool calls with results near and far, answered or not, a summary first, gaps in the places."""
    heads: list[MessageHead] = []
    open_calls: list[str] = []
    if draw(st.booleans()):
        heads.append(MessageHead(0, "system", draw(st.integers(4, 40)), LONG_TERM, NOON))
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
        heads.append(
            MessageHead(seq, role, draw(st.integers(3, 60)), share, accessed, calls, answers)
        )
    return heads


@st.composite
def budgets(draw: st.DrawFn) -> Budget:
    shares = draw(st.sampled_from([{}, SHARES]))
    tokens = draw(st.integers(10, 800))
    messages = draw(st.one_of(st.none(), st.integers(1, 40)))
    if not shares and draw(st.booleans()):
        return Budget(None, messages or 10)
    return Budget(tokens, messages, 0.8, shares)


def partners(heads: list[MessageHead]) -> list[set[int]]:
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


def question_of_newest(heads: list[MessageHead]) -> set[int]:
    """The units that may stay although less than all that is over half left: the newest, and its question."""
    newest = next(group for group in partners(heads) if heads[-1].seq in group)
    users = [head.seq for head in heads if head.role == "user"]
    if heads[-1].role == "user" or not users:
        return newest
    return newest | next(group for group in partners(heads) if users[-1] in group)


def check_beginning(heads: list[MessageHead], gone: set[int]) -> None:
    """The list does not begin with a message whose question was removed, unless it is the newest one's unit."""
    newest = next(group for group in partners(heads) if heads[-1].seq in group)
    left = [head for head in heads if head.seq not in gone and head.role != "system"]
    if not left or left[0].role == "user" or left[0].seq in newest:
        return
    users = [head.seq for head in heads if head.role == "user" and head.seq < left[0].seq]
    assert not users or users[-1] not in gone


def check_always(heads: list[MessageHead], gone: set[int]) -> None:
    assert gone <= {head.seq for head in heads}
    assert heads[-1].seq not in gone
    for group in partners(heads):
        assert group <= gone or not group & gone


@given(histories(), budgets(), STRATEGIES)
def test_after_a_flush_the_budget_holds_whatever_came_before(heads, budget, strategy):
    gone = set(plan_flush(heads, budget, strategy).removed)
    check_always(heads, gone)
    left = [head for head in heads if head.seq not in gone]
    check_beginning(heads, gone)
    newest = next(group for group in partners(heads) if heads[-1].seq in group)
    size = len(left), sum(head.tokens for head in left)
    if any(head.seq not in newest for head in left):
        assert not budget.is_over(*size)
    ordinary = [head for head in left if head.role != "system"]
    if any(head.seq not in question_of_newest(heads) for head in ordinary):
        assert not budget.half.is_over(*size)
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

    def is_ordinary(head: MessageHead) -> bool:
        group = next(g for g in groups if head.seq in g)
        return not any(h.role == "system" for h in heads if h.seq in group)

    others_left = [h for h in heads if h.seq not in gone | newest and is_ordinary(h)]
    assert not (systems_gone and others_left)


@given(histories(), budgets())
def test_fifo_takes_no_more_than_it_must(heads, budget):
    budget = Budget(budget.max_tokens, budget.max_messages)
    heads = [replace(h, role="user") if h.role != "system" else h for h in heads]  # turns of one
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
    check_beginning(heads, gone)
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
    heads = [MessageHead(n, "user", 5, SHORT_TERM, NOON) for n in range(10)]
    budget = Budget(1000)

    def taken(share: float) -> int:
        return len(plan_summary(heads, budget, oldest_share=share, summary_tokens=10).removed)

    assert [taken(0.3), taken(0.31), taken(0.01), taken(1.0)] == [3, 4, 1, 9]


def chat(*roles: str, tokens: int = 10) -> list[MessageHead]:
    return [MessageHead(n, role, tokens, SHORT_TERM, NOON) for n, role in enumerate(roles, 1)]


def test_a_flush_cuts_between_turns():
    heads = chat("user", "assistant", "user", "assistant", "user", "assistant", "user", "assistant")
    budget = Budget(None, 10)
    assert plan_flush(heads, budget, "simple_fifo").removed == (1, 2, 3, 4)
    summary = plan_summary(heads, budget, oldest_share=0.3, summary_tokens=5)
    assert summary.removed == (1, 2, 3, 4)


def test_in_one_long_turn_the_question_stays_and_the_oldest_steps_leave():
    heads = chat("user", *["assistant"] * 7)
    assert plan_flush(heads, Budget(None, 10), "simple_fifo").removed == (2, 3, 4)
    assert plan_summary(heads, Budget(None, 10), oldest_share=0.3, summary_tokens=5).removed == (
        2,
        3,
        4,
    )
    big = [replace(heads[0], tokens=90), *heads[1:]]  # over the limit itself, it has to go
    assert 1 in plan_flush(big, Budget(95), "simple_fifo").removed


def test_a_compaction_item_leaves_last_and_is_never_summarised():
    item = MessageHead(0, "assistant", 10, SHORT_TERM, NOON, type="compaction")
    heads = [item, *chat(*["user", "assistant"] * 4)]
    assert 0 not in plan_flush(heads, Budget(None, 10), "simple_fifo").removed
    plan = plan_summary(heads, Budget(None, 10), oldest_share=0.9, summary_tokens=5)
    assert plan.removed
    assert 0 not in plan.removed
    tight = plan_summary(heads, Budget(25), oldest_share=0.5, summary_tokens=20)
    assert 0 not in tight.summarised
