"""What fits into a number of results and of tokens."""

import pytest

from holdfast.kernel import tokens
from holdfast.kernel.recall.budget import fitting

RANKED = ["green tea in the morning", "black coffee " * 50, "white tea", "water"]


@pytest.mark.parametrize("limit", [0, 1, 3, 9])
def test_without_a_budget_the_best_are_taken(limit):
    taken, used = fitting(RANKED, str, limit=limit, max_tokens=None)
    assert taken == RANKED[:limit]
    assert used == sum(map(tokens.count, taken))


def test_one_that_is_too_long_makes_room_for_shorter_ones():
    short = [text for text in RANKED if text != RANKED[1]]
    enough = sum(map(tokens.count, short))
    assert fitting(RANKED, str, limit=10, max_tokens=enough) == (short, enough)
    taken, used = fitting(RANKED, str, limit=10, max_tokens=enough - 1)
    assert taken == short[:-1]
    assert used < enough
    assert fitting(RANKED, str, limit=10, max_tokens=0) == ([], 0)
    assert fitting(RANKED, str, limit=2, max_tokens=enough)[0] == short[:2]
