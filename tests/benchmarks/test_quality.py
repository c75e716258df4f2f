"""The measures, on answers that can be counted by hand."""

import gzip
import json
import math

import pytest
from bench.quality import Figures, Space, read, steps

SPACE = Space(
    "two days",
    units=[
        {"id": "a1", "session": "A"},
        {"id": "a2", "session": "A"},
        {"id": "b1", "session": "B"},
        *({"id": f"c{n}", "session": f"C{n}"} for n in range(60)),
    ],
    questions=[],
)
NOISE = [f"c{n}" for n in range(60)]


def counted(found, gold=("a1", "b1"), gold_sessions=("A", "B")):
    figures = Figures()
    question = {"gold": list(gold), "gold_sessions": list(gold_sessions), "category": "any"}
    figures.count(SPACE, question, found)
    return {name: figures.mean(name) for name in figures.values}


def test_recall_is_the_share_of_the_gold_that_is_among_the_first():
    found = [*NOISE[:4], "a1", *NOISE[4:9], "b1"]
    assert counted(found)["R@5"] == 0.5
    assert counted(found)["R@10"] == 0.5
    assert counted(found)["R@50"] == 1.0


def test_what_stands_past_a_depth_does_not_count_for_it():
    assert counted([*NOISE[:5], "a1", "b1"])["R@5"] == 0
    assert counted([*NOISE[:50], "a1", "b1"])["R@50"] == 0


def test_a_session_stands_where_its_best_unit_does_and_is_counted_once():
    measures = counted(["a2", "a1", *NOISE[:4], "b1"])
    assert measures["session R@5"] == 0.5  # A, four others; B is the sixth session
    assert measures["session R@10"] == 1.0


def test_rank_measures_look_at_places():
    measures = counted([NOISE[0], "a1", NOISE[1], "b1"])
    assert measures["MRR"] == 0.5
    ideal = 1 / math.log2(2) + 1 / math.log2(3)
    assert measures["nDCG@10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)
    assert counted(["b1", "a1"])["nDCG@10"] == 1.0


def test_finding_nothing_is_zero_everywhere():
    assert set(counted([]).values()) == {0.0}


def test_figures_are_means_over_questions_and_categories_keep_their_own():
    figures = Figures()
    for category, found in (("easy", ["a1"]), ("hard", []), ("hard", ["a1"])):
        question = {"gold": ["a1"], "gold_sessions": ["A"], "category": category}
        figures.count(SPACE, question, found)
    assert figures.mean("R@10") == pytest.approx(2 / 3)
    assert figures.by_category == {"easy": [1.0], "hard": [0.0, 1.0]}


def test_speeds_are_a_rate_and_a_median():
    figures = Figures(add_s=[0.01, 0.03], search_s=[0.001, 0.002, 0.9])
    assert figures.adds_per_s == pytest.approx(50)
    assert figures.search_p50_ms == pytest.approx(2)


def test_a_question_without_an_answer_is_not_asked(tmp_path):
    questions = [{"q": "asked", "gold": ["a1"]}, {"q": "not asked", "gold": []}]
    file = tmp_path / "set.json.gz"
    with gzip.open(file, "wt") as out:
        json.dump([{"name": "one", "units": SPACE.units, "questions": questions}], out)
    spaces = read(file)
    assert [q["q"] for q in spaces[0].questions] == ["asked"]
    assert steps(spaces) == len(SPACE.units) + 1


def test_scores_are_counted_by_the_tenth_they_lie_in():
    figures = Figures()
    figures.count_scores({"gold": ["a", "d"]}, [("a", 0.91), ("b", 0.95), ("c", 0.3), ("d", 1.0)])
    assert figures.by_score == {0.9: [True, False, True], 0.3: [False]}
