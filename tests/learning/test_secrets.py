"""The built-in scan for secrets."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.learning.secrets import MASK, PATTERNS, find_secrets, mask_secrets


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda each: each.name)
def test_every_sort_of_secret_is_masked_inside_a_sentence(pattern):
    masked = mask_secrets(f"so {pattern.example} please")
    assert MASK in masked
    assert masked.startswith("so ")
    assert masked.endswith(" please")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("my card is 4111 1111 1111 1111, thanks", f"my card is {MASK}, thanks"),
        ("pay GB82 WEST 1234 5698 7654 32 now", f"pay {MASK} now"),
        ("the alarm code was changed to 5510", f"the alarm code was changed to {MASK}"),
        ("admin / Vq7-brass-otter on port 80", f"admin / {MASK} on port 80"),
        ("My password is hunter2!", f"My password is {MASK}"),
    ],
)
def test_what_only_a_check_sum_or_a_word_gives_away_is_masked(text, masked):
    assert mask_secrets(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "order 1234567890123456",  # sixteen digits, but no card: the check digit is wrong
        "0000 0000 0000 0000",
        "the token expires in 2 hours",
        "Secret Santa is on 12 December",
        "pin the date to 14 May",
        "call me on 0351 123 456",
        "version 2.18.0 of the password manager",
    ],
)
def test_what_only_looks_like_a_secret_stays(text):
    assert mask_secrets(text) == text


@settings(deadline=None)
@given(st.text())
def test_masking_is_stable_and_touches_nothing_else(text):
    masked = mask_secrets(text)
    assert mask_secrets(masked) == masked
    kept = masked.split(MASK) if MASK not in text else []
    assert all(piece in text for piece in kept)


@settings(deadline=None)
@given(st.lists(st.sampled_from([pattern.example for pattern in PATTERNS]), max_size=4))
def test_secrets_are_found_in_order_and_do_not_overlap(examples):
    found = find_secrets(" and ".join(examples))
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert len(found) >= len(examples)
