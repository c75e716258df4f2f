from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.recall.fusion import Asked, Weights, fuse
from holdfast.kernel.recall.model import Candidate
from holdfast.kernel.recall.times import named_in

NOW = datetime(2026, 3, 1, tzinfo=UTC)

candidates = st.builds(
    Candidate,
    kind=st.just("memory"),
    object_id=st.sampled_from("abcdef"),
    starts=st.just(0),
    ends=st.just(10),
    session_id=st.sampled_from(["s", "t", None]),
    actor=st.sampled_from(["Ana", "user", None]),
    at=st.datetimes(datetime(2020, 1, 1), datetime(2026, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    updated_s=st.floats(1.5e9, 1.8e9),
    importance=st.integers(1, 10),
    pinned=st.booleans(),
    lexical=st.floats(0, 200),
    rank=st.floats(0, 50),
    similarity=st.none() | st.floats(-1, 1),
    terms=st.sampled_from([[], ["tea"]]),
    whole=st.booleans(),
    embedded=st.booleans(),
    tokens=st.none() | st.binary(min_size=8, max_size=8) | st.binary(min_size=24, max_size=24),
    scope_size=st.just(100.0),
)
weights = st.builds(Weights, *[st.floats(0, 1) for _ in range(10)])


@given(
    st.lists(candidates, max_size=12),
    st.sampled_from(["hybrid", "lexical", "semantic"]),
    weights,
    st.booleans(),
    st.none() | st.binary(min_size=16, max_size=16),
)
def test_parts_add_up_to_the_score_exactly_and_scores_lie_in_0_to_1(
    found, mode, weights, semantic, tokens
):
    asked = Asked(
        mode, NOW, named_in("in May 2023", NOW), frozenset({"ana"}), semantic,
        identifiers=frozenset({"tea"}), tokens=tokens,
    )  # fmt: skip
    result = fuse(found, asked, weights)
    for hit in [*result.hits, *result.faint]:
        assert sum(hit.parts.values()) == hit.score
        assert sum(reversed(list(hit.parts.values()))) == hit.score
        assert 0.0 <= hit.score <= 1.0
    ids = [hit.object_id for hit in [*result.hits, *result.faint]]
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


def candidate(object_id="a", **fields):
    given = {
        "kind": "memory", "object_id": object_id, "starts": 0, "ends": 10,
        "session_id": None, "actor": None, "at": NOW, "updated_s": NOW.timestamp(), "importance": 5, "pinned": False,
        "lexical": 0.0, "rank": 0.0, "similarity": 0.3, "terms": [], "whole": False, "embedded": True,
        "tokens": None, "scope_size": 100.0,
    }  # fmt: skip
    return Candidate(**(given | fields))


QUERY = bytes(range(16))
NEAR = QUERY  # every token of the query is there
FAR = bytes(255 - each for each in QUERY)


def test_close_reading_decides_between_passages_that_are_alike_otherwise():
    found = fuse(
        [candidate("far", tokens=FAR), candidate("near", tokens=NEAR)],
        Asked("hybrid", NOW, tokens=QUERY),
        Weights(),
    )
    ranked = [*found.hits, *found.faint]
    assert [hit.object_id for hit in ranked] == ["near", "far"]
    assert ranked[0].parts["close_reading"] > 0
    assert ranked[1].parts["close_reading"] < 0  # every bit differs


def test_what_was_said_in_the_session_of_a_close_passage_gains_by_it():
    alike = {"tokens": FAR, "similarity": 0.3}
    found = fuse(
        [
            candidate("elsewhere", session_id="t", **alike),
            candidate("beside", session_id="s", **alike),
            candidate("close", session_id="s", tokens=NEAR),
        ],
        Asked("hybrid", NOW, tokens=QUERY),
        Weights(),
    )
    ranked = {hit.object_id: hit for hit in [*found.hits, *found.faint]}
    assert list(ranked) == ["close", "beside", "elsewhere"]
    assert ranked["beside"].parts["session"] == ranked["close"].parts["session"] > 0
    assert "session" not in ranked["elsewhere"].parts


def test_passages_outside_of_sessions_do_not_lose_to_the_others_and_gain_nothing_by_them():
    found = fuse(
        [
            candidate("second", tokens=NEAR, similarity=0.3),
            candidate("first", tokens=NEAR, similarity=0.31),
            candidate("far", tokens=FAR, similarity=0.9),
            candidate("in a session", tokens=NEAR, similarity=0.29, session_id="s"),
        ],
        Asked("hybrid", NOW, tokens=QUERY),
        Weights(),
    )
    ranked = [*found.hits, *found.faint]
    assert [hit.object_id for hit in ranked] == ["first", "second", "in a session", "far"]
    assert len({hit.parts["session"] for hit in ranked[:3]}) == 1
    assert "session" not in ranked[3].parts


def test_without_tokens_recall_goes_on_without_close_reading():
    for asked, tokens in ((QUERY, None), (None, NEAR)):
        found = fuse(
            [candidate(tokens=tokens, lexical=10.0, whole=True)],
            Asked("hybrid", NOW, tokens=asked),
            Weights(),
        )
        assert "close_reading" not in found.hits[0].parts
        assert abs(found.hits[0].parts["semantic"] - 0.5 * 0.3) < 2**-20


def test_the_words_of_a_passage_without_a_vector_speak_for_the_rest():
    same = {"lexical": 18.0, "terms": ["x"], "whole": True}
    found = fuse(
        [
            candidate("new", embedded=False, similarity=None, **same),
            candidate("old", similarity=0.2, tokens=FAR, **same),
        ],
        Asked("hybrid", NOW, tokens=QUERY),
        Weights(),
    )
    assert [hit.object_id for hit in found.hits] == ["new", "old"]


def test_the_best_of_an_answer_scores_the_confidence_and_more_evidence_gives_more():
    def best(**fields):
        asked = Asked("hybrid", NOW, tokens=QUERY)
        found = fuse([candidate(tokens=NEAR, **fields), candidate("b")], asked, Weights())
        return max(hit.score for hit in [*found.hits, *found.faint])

    assert (
        best(similarity=0.1) < best(similarity=0.4) < best(similarity=0.4, lexical=20, whole=True)
    )
    assert best(similarity=0.2, scope_size=100_000.0) < best(similarity=0.2, scope_size=100.0)
