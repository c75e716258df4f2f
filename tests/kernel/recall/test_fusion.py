from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.recall.fusion import Asked, Weights, fuse
from holdfast.kernel.recall.model import Candidate
from holdfast.kernel.recall.times import named_in

NOW = datetime(2026, 3, 1, tzinfo=UTC)

candidates = st.builds(
    Candidate,
    passage_id=st.integers(1, 10**9),
    kind=st.just("memory"),
    object_id=st.sampled_from("abcdef"),
    number=st.integers(0, 3),
    starts=st.just(0),
    ends=st.just(10),
    session_id=st.sampled_from(["s", "t", None]),
    actor=st.sampled_from(["Ana", "user", None]),
    at=st.datetimes(datetime(2020, 1, 1), datetime(2026, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    updated_at=st.datetimes(datetime(2020, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    importance=st.integers(1, 10),
    pinned=st.booleans(),
    lexical=st.floats(0, 200),
    rank=st.floats(0, 50),
    similarity=st.none() | st.floats(-1, 1),
    terms=st.sampled_from([[], ["tea"]]),
    whole=st.booleans(),
    embedded=st.booleans(),
)
weights = st.builds(Weights, *[st.floats(0, 1) for _ in range(9)])


@given(
    st.lists(candidates, max_size=12),
    st.sampled_from(["hybrid", "lexical", "semantic"]),
    weights,
    st.booleans(),
)
def test_parts_add_up_to_the_score_exactly_and_scores_lie_in_0_to_1(found, mode, weights, semantic):
    asked = Asked(mode, NOW, named_in("in May 2023", NOW), {"ana"}, semantic)
    result = fuse(found, asked, weights)
    for hit in result.hits + result.faint:
        assert sum(hit.parts.values()) == hit.score
        assert sum(reversed(list(hit.parts.values()))) == hit.score
        assert 0.0 <= hit.score <= 1.0
    ids = [hit.object_id for hit in result.hits + result.faint]
    assert len(ids) == len(set(ids)) == len({each.object_id for each in found})
    if mode != "lexical":
        scores = [hit.score for hit in result.hits]
        assert scores == sorted(scores, reverse=True)


def test_a_time_that_is_named_lifts_what_was_so_then():
    def at(days_ago: int) -> float:
        return named_in("what happened two weeks ago?", NOW).fit(NOW - timedelta(days=days_ago))

    assert at(14) == 1.0
    assert at(90) == 0.0
    may = named_in("What did she do in May 2023?", NOW)
    assert may.fit(datetime(2023, 5, 8, tzinfo=UTC)) == 1.0
    assert may.fit(datetime(2022, 5, 8, tzinfo=UTC)) < may.fit(datetime(2023, 5, 8, tzinfo=UTC))
    assert may.fit(datetime(2023, 7, 8, tzinfo=UTC)) < 0.5
    assert not named_in("I may march on", NOW)
    assert named_in("on 2024-02-03", NOW).fit(datetime(2024, 2, 3, 12, tzinfo=UTC)) == 1.0
    assert named_in("yesterday", NOW).fit(NOW - timedelta(hours=3)) == 1.0


@given(st.text(max_size=200))
def test_any_query_can_be_read_for_times(text):
    times = named_in(text, NOW)
    assert 0.0 <= times.fit(NOW) <= 1.0
