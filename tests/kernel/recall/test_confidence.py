"""How sure it is that something answers a query."""

from dataclasses import replace

import pytest

from holdfast.kernel.recall.confidence import MOST, Evidence, confidence, is_first_person

SOME = Evidence(
    similarity=0.4,
    closeness=0.4,
    lexical=0.2,
    scope_size=500,
    names_a_speaker=False,
    first_person=False,
)


@pytest.mark.parametrize(
    "better",
    [
        {"similarity": 0.5},
        {"closeness": 0.5},
        {"lexical": 0.3},
        {"scope_size": 100},  # among fewer, the best looks as good by chance less often
        {"names_a_speaker": True},
        {"first_person": True},
    ],
)
def test_better_evidence_makes_it_surer(better):
    assert confidence(SOME) < confidence(replace(SOME, **better)) <= MOST


def test_it_stays_between_nothing_and_the_most():
    nothing = replace(SOME, similarity=0.0, closeness=-0.2, lexical=0.0, scope_size=1e7)
    everything = replace(SOME, similarity=1.0, closeness=1.0, lexical=1.0, scope_size=1)
    assert 0.0 <= confidence(nothing) < 0.001
    assert 0.9 < confidence(everything) <= MOST
    # A handful of passages is no smaller than ten.
    assert confidence(replace(SOME, scope_size=1)) == confidence(replace(SOME, scope_size=10))


@pytest.mark.parametrize(
    ("query", "asks_about_itself"),
    [
        ("What did I say?", True),
        ("was MY sister there", True),
        ("Wo habe ich das gelassen?", True),
        ("où est mon vélo", True),
        ("我喜欢什么茶", True),  # its pronouns are not known
        ("What did Ana say?", False),
        ("Imagine a mine", True),  # the word is also a pronoun
        ("the iris opens", False),
    ],
)
def test_a_query_about_the_one_who_asks(query, asks_about_itself):
    assert is_first_person(query) is asks_about_itself
