"""Limits of an instance at their edges: when a flush is due, what it goes down to, what each share may hold."""

from datetime import UTC, datetime

import pytest

from holdfast.conversations.budget import Budget, at_least, at_most, share_of, used_by
from holdfast.conversations.model import LONG_TERM, SHORT_TERM, SYSTEM, MessageHead

SHARES = {SHORT_TERM: 0.5, SYSTEM: 0.2, LONG_TERM: 0.1, "notes": 0.2}
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_a_share_of_a_limit_is_what_people_mean_by_it():
    assert [at_least(30, 0.1), at_least(10, 0.8), at_least(9, 0.8), at_least(7, 0.5)] == [
        3,
        8,
        8,
        4,
    ]
    assert [at_most(30, 0.1), at_most(10, 0.7), at_most(9, 0.8), at_most(7, 0.5)] == [3, 7, 7, 3]


@pytest.mark.parametrize(
    ("budget", "messages", "tokens", "due", "over"),
    [
        (Budget(max_messages=10), 7, 10**6, False, False),
        (Budget(max_messages=10), 8, 0, True, False),
        (Budget(max_messages=10), 10, 0, True, False),
        (Budget(max_messages=10), 11, 0, True, True),
        (Budget(max_tokens=100), 10**6, 79, False, False),
        (Budget(max_tokens=100), 0, 80, True, False),
        (Budget(max_tokens=100), 0, 101, True, True),
        (Budget(max_tokens=100, max_messages=10), 8, 1, True, False),
        (Budget(max_tokens=100, max_messages=10), 1, 101, True, True),
        (Budget(max_messages=1, threshold=0.1), 0, 0, False, False),
        (Budget(max_messages=1, threshold=0.1), 1, 0, True, False),
        (Budget(max_tokens=3, threshold=0.1), 0, 0, False, False),
        (Budget(), 10**6, 10**6, False, False),
    ],
)
def test_a_flush_is_due_at_the_threshold_and_a_limit_is_passed_beyond_itself(
    budget, messages, tokens, due, over
):
    assert budget.is_due(messages, tokens) is due
    assert budget.is_over(messages, tokens) is over


def test_half_of_an_odd_limit_is_the_smaller_half_and_the_shares_stay_of_the_whole():
    whole = Budget(max_tokens=101, max_messages=7, threshold=0.6, shares=SHARES)
    half = whole.half
    assert (half.max_tokens, half.max_messages, half.threshold) == (50, 3, 0.6)
    assert not half.is_over(3, 50)
    assert half.is_over(4, 0)
    assert half.is_over(0, 51)
    assert [half.cap(name) for name in SHARES] == [whole.cap(name) for name in SHARES]
    assert whole.cap(SHORT_TERM) == 50
    assert (Budget().half.max_tokens, Budget().half.max_messages) == (None, None)


def test_what_has_no_share_or_no_tokens_to_share_is_not_capped():
    assert Budget(max_tokens=100, shares=SHARES).cap("notes") == 20
    assert Budget(max_tokens=100, shares=SHARES).cap("unknown") is None
    assert Budget(max_tokens=100).cap(SYSTEM) is None
    assert Budget(max_messages=10, shares=SHARES).cap(SYSTEM) is None


def test_how_much_is_left_and_how_full_it_is():
    budget = Budget(max_tokens=100, max_messages=10)
    assert [budget.tokens_until_flush(tokens) for tokens in (0, 79, 80, 200)] == [80, 1, 0, 0]
    assert Budget(max_messages=10).tokens_until_flush(5) is None
    assert budget.fullness(5, 20) == 0.5
    assert budget.fullness(2, 130) == 1.3
    assert Budget().fullness(9, 9) == 0.0


@pytest.mark.parametrize(
    ("role", "named", "share"),
    [
        ("user", None, SHORT_TERM),
        ("user", "notes", "notes"),
        ("system", "notes", "notes"),
        ("system", None, SYSTEM),
        # The shares of the service's own are not chosen by a message, and what is no share is none.
        ("user", LONG_TERM, SHORT_TERM),
        ("user", SYSTEM, SHORT_TERM),
        ("system", SHORT_TERM, SYSTEM),
        ("user", "unknown", SHORT_TERM),
        ("user", 7, SHORT_TERM),
    ],
)
def test_a_message_counts_to_the_share_that_it_names_or_its_roles(role, named, share):
    assert share_of(role, named, SHARES) == share


def test_tokens_are_added_up_by_share():
    heads = [
        MessageHead(1, "user", 3, SHORT_TERM, NOON),
        MessageHead(2, "user", 4, SHORT_TERM, NOON),
        MessageHead(3, "system", 5, SYSTEM, NOON),
    ]
    assert used_by(heads) == {SHORT_TERM: 7, SYSTEM: 5}
    assert used_by([]) == {}
