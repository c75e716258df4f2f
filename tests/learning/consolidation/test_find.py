"""What is wrong with rows, found without a database."""

from datetime import UTC, datetime, timedelta

import pytest

from holdfast.learning.consolidation import find
from holdfast.learning.consolidation.stored import StoredRow

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def row(content: str, number: int = 1, **more) -> StoredRow:
    at = NOW - timedelta(days=200 - number)
    given = {
        "place": "memory", "id": f"memory_{number:032x}", "content": content, "version": 1, "created_at": at, "said_at": at,
        "pinned": False, "expires_at": None, "is_superseded": False, "is_over": False, "is_learned": False, "has_source": True,
        "kind": "fact", "trust": "user", "subject": "", "attribute": "", "value": "", "is_relation": False, "given_at": None,
    }  # fmt: skip
    return StoredRow(**{**given, **more})


def contents(pairs) -> list[tuple[str, str]]:
    return [(pair.stays.content, pair.goes.content) for pair in pairs]


def test_the_same_in_other_order_and_endings_is_a_duplicate_and_the_older_stays():
    rows = [row("Swims on Tuesdays at the Westbad", 1), row("At the Westbad, swims on Tuesday.", 2)]
    assert contents(find.duplicates(rows)) == [(rows[0].content, rows[1].content)]


def test_what_a_person_wrote_stays_and_what_is_pinned_is_left_alone():
    learned, written = row("Parks on level 3", 1, is_learned=True), row("parks on level 3", 2)
    assert contents(find.duplicates([learned, written])) == [(written.content, learned.content)]
    assert (
        find.duplicates(
            [row("Parks on level 3", 1, pinned=True), row("parks on level 3", 2, pinned=True)]
        )
        == []
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Parks on level 3", "Parks on level 4"),
        ("Likes tea", "Does not like tea"),
        ("The staging database runs Postgres 16", "The staging database runs Postgres 17"),
    ],
)
def test_another_figure_or_a_no_is_not_a_duplicate(one, other):
    assert find.duplicates([row(one, 1), row(other, 2)]) == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Porto.", "I live in Lisbon."),
        ("The user lives in Porto.", "The user lives in Lisbon."),
        ("The user's name is Ana.", "The user's name is Anna Maria."),
        ("I like coffee.", "I don't like coffee."),
        ("I live in Berlin.", "I no longer live in Berlin."),
    ],
)
def test_one_property_with_two_values_is_a_contradiction_and_the_newer_stays(older, newer):
    rows = find.with_slots([row(newer, 5), row(older, 1)])
    if "Ana" in older:
        rows = [*rows]
    assert contents(find.contradictions(rows)) == [(newer, older)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like coffee.", "I like tea."),
        ("My sister is called Desi.", "My sister is called Mila."),
        ("I live in Porto.", "I work at Acme."),
        ("I live in Porto.", "I no longer live in Berlin."),
        ("I no longer live in Bern.", "I no longer live in Berlin."),
        ("I speak French.", "I speak German."),
        ("I live in Porto.", "I live in Porto, by the river."),
    ],
)
def test_two_things_that_are_both_true_are_none(one, other):
    assert find.contradictions(find.with_slots([row(one, 1), row(other, 2)])) == []


def test_what_is_over_is_not_looked_at():
    rows = find.with_slots([row("I live in Porto.", 1, is_over=True), row("I live in Lisbon.", 2)])
    assert find.contradictions(rows) == []
    assert find.duplicates(find.with_slots([row("x y", 1, is_over=True), row("x y", 2)])) == []


def test_expired_unused_and_misplaced():
    past = row("The sale ends in May", 1, expires_at=NOW - timedelta(days=1))
    assert find.expired(
        [past, row("stays", 2), row("later", 3, expires_at=NOW + timedelta(days=1))], NOW
    ) == [past]
    old = row("Saw a heron", 1, is_learned=True)
    spared = [
        row("By a person", 2),
        row("Recalled", 3, is_learned=True, given_at=NOW - timedelta(days=2)),
        row("New", 199, is_learned=True),
        row("Pinned", 5, is_learned=True, pinned=True),
        row("Name", 6, is_learned=True, kind="identity"),
    ]
    assert find.unused([old, *spared], NOW) == [old]
    line = row(
        "Flies to Oslo on 3 May", 1, place="line", block_type="core", is_learned=True, kind="plan"
    )
    kept = [
        row("By a person", 2, place="line", block_type="core", kind="plan"),
        row("Likes tea", 3, place="line", block_type="core", is_learned=True, kind="preference"),
    ]
    assert find.misplaced([line, *kept]) == [line]
