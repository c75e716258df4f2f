"""The parts of the training that need no torch: data, pairs, figures, the report."""

import dataclasses
import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from holdfast_minilm import Encoded, MiniLM
from train import __main__ as command
from train import data, evaluate, pairs, report, words
from train.recipe import Recipe

MEMCHAT = Path(__file__).parents[2] / "data" / "memchat"


def space(texts: Sequence[str], questions: Sequence[data.Question] = ()) -> data.Space:
    turns = [
        data.Turn(f"S1:{number}", "S1", "Maya" if number % 2 else "Tom", text)
        for number, text in enumerate(texts, 1)
    ]
    return data.Space("two", "memchat", "friends", tuple(turns), tuple(questions))


TEA = space(
    [
        "What do you drink in the morning?",
        "Green tea, always.",
        "And the dog?",
        "He is called Biscuit.",
    ],
    [data.Question("What does Tom drink?", ("S1:2",), "single-hop")],
)


@pytest.mark.skipif(not MEMCHAT.is_dir(), reason="data/memchat is in the project's repository only")
def test_memchat_is_read_whole_and_split_by_kind() -> None:
    spaces = data.read_memchat(MEMCHAT)
    train, held = data.held_out(spaces, 4)
    assert len(spaces) == len(train) + len(held) == 44
    assert {each.kind for each in held} == {each.kind for each in train}
    asked = [each for space in spaces for each in space.questions]
    assert sum(each.category != "fact" for each in asked) == 1760
    for each in spaces:
        assert {turn for question in each.questions for turn in question.evidence} <= {
            turn.id for turn in each.turns
        }
    assert data.held_out(spaces, 0) == (spaces, [])


def test_friendsqa_scenes_of_a_season_are_one_space(tmp_path: Path) -> None:
    def scene(title: str) -> dict[str, object]:
        said = ["Breathe .", "You 're gon na kill me !"]
        answers = [{"utterance_id": 1}, {"utterance_id": 1}, {"utterance_id": 9}]
        utterances = [
            {"uid": uid, "speakers": ["Ross Geller"], "utterance": text}
            for uid, text in enumerate(said)
        ]
        asked = {"id": f"{title}_Who", "question": "Who is killed ?", "answers": answers}
        return {"title": title, "paragraphs": [{"utterances:": utterances, "qas": [asked]}]}

    file = tmp_path / "dev.json"
    file.write_text(json.dumps({"data": [scene("s01_e01_c01"), scene("s01_e02_c01")]}))
    [season] = data.read_friendsqa([file])
    assert [turn.session for turn in season.turns] == ["s01_e01_c01"] * 2 + ["s01_e02_c01"] * 2
    assert season.turns[1].text == "You're gon na kill me!"
    assert season.questions[0] == data.Question("Who is killed?", ("s01_e01_c01:1",), "who")


def test_qmsum_keeps_queries_with_little_evidence(tmp_path: Path) -> None:
    meeting = {
        "meeting_transcripts": [
            {"speaker": "Grad C", "content": f"Yeah , {{disfmarker}} point {n} ."}
            for n in range(40)
        ],
        "specific_query_list": [
            {"query": "What of point 3?", "relevant_text_span": [["3", "4"], ["7", "7"]]},
            {"query": "Summarise the meeting", "relevant_text_span": [["0", "30"]]},
        ],
    }
    (tmp_path / "m1.json").write_text(json.dumps(meeting))
    [read] = data.read_qmsum(tmp_path)
    assert read.turns[3].text == "Yeah, point 3."
    assert read.questions == (data.Question("What of point 3?", ("3", "4", "7"), "query"),)


@pytest.mark.parametrize("content", ["{", "[]", '{"data": [{}]}'])
def test_a_file_of_another_format_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "spaces").mkdir()
    file = tmp_path / "spaces" / "other.json"
    file.write_text(content)
    with pytest.raises(data.DataError, match=r"other\.json"):
        data.read_memchat(tmp_path)
    with pytest.raises(data.DataError, match=r"other\.json"):
        data.read_friendsqa([file])
    with pytest.raises(data.DataError, match=r"other\.json"):
        data.read_qmsum(tmp_path / "spaces")
    with pytest.raises(data.DataError, match="no spaces"):
        data.read_memchat(tmp_path / "none")


def test_speakers_are_taken_out_of_a_query_unless_little_is_left() -> None:
    assert words.without_names("What does Tom's sister drink?", TEA) == "What does sister drink?"
    assert words.without_names("Maya, Tom and tea", TEA) == ", and tea"
    assert words.without_names("tom tea", TEA) == "tom tea"


def test_words_find_the_turn_and_its_answer() -> None:
    found = words.Bm25(TEA.turns)
    assert found.best("mornings: drinks", 9)[0] == 0
    assert set(found.best("mornings: drinks", 9)) == {0, 1}  # the second is read after the first
    assert found.best("nothing of the kind?", 9)[:1] != [3]
    assert found.best("xylophone", 9) == []


def test_an_example_has_hard_negatives_and_no_evidence_among_them() -> None:
    made = pairs.example(TEA, 0, TEA.questions[0], [[1, 0, 2], [3, 1]], 3)
    assert made.query == "What does drink?"
    assert made.right == (1,)
    assert made.wrong == (3, 0, 2)


def test_steps_repeat_for_a_seed_and_put_the_right_turn_first() -> None:
    examples = [
        pairs.Example(0, f"q{n}", f"q{n}", (n, n + 1), tuple({*range(9)} - {n, n + 1}))
        for n in range(5)
    ]
    recipe = Recipe(steps=4, questions=3, passages=6)
    once, again = (list(pairs.steps(examples, [2, 1, 1, 1, 1], [9], recipe)) for _ in range(2))
    other = list(pairs.steps(examples, [2, 1, 1, 1, 1], [9], dataclasses.replace(recipe, seed=1)))
    assert once == again != other
    assert [len(step) for step in once] == [3] * 4
    for drawn in itertools.chain(*once):
        right = set(drawn.example.right)
        assert drawn.turns[0] in right
        assert len(set(drawn.turns)) == 6
        assert right.isdisjoint(drawn.turns[1:])
    first_round = [drawn.example.query for step in once[:2] for drawn in step]
    assert sorted(first_round) == ["q0", "q0", "q1", "q2", "q3", "q4"]


def test_a_space_that_is_all_evidence_is_refused() -> None:
    lonely = pairs.Example(0, "q", "q", (0,), ())
    with pytest.raises(ValueError, match="no turn that is not evidence"):
        list(pairs.steps([lonely], [1], [1], Recipe(steps=1, questions=1)))


class _ByPlace:
    """Texts that start with the same letter have the same vector and tokens."""

    def encode(self, texts: Sequence[str], before: Sequence[str] = ()) -> Encoded:
        vectors = np.zeros((len(texts), 384), np.float32)
        tokens = []
        for row, text in enumerate(texts):
            letter = ord(text.rsplit(": ")[-1][0].lower())
            vectors[row, letter] = 1
            signs = np.random.default_rng(letter).choice([-1.0, 1.0], (1, 64))
            tokens.append(signs.astype(np.float32))
        return Encoded(vectors, tokens)


def test_figures_count_the_share_of_evidence_found() -> None:
    texts = [*"bcdefghijklmn", "as it was", "also"]
    asked = [
        data.Question("a", ("S1:14", "S1:15"), "multi-hop"),
        data.Question("z", ("S1:14",), "single-hop"),
        data.Question("a fact, not measured", ("S1:1",), "fact"),
    ]
    figures = evaluate.measure(_ByPlace(), [space(texts, asked)])
    assert set(figures) == {"all", "multi-hop", "single-hop", "in friends"}
    assert figures["multi-hop"]["vector R@5"] == figures["multi-hop"]["tokens R@5"] == 1
    assert figures["single-hop"]["vector R@5"] == 0
    assert figures["all"]["vector R@10"] == 0.5


def test_closeness_on_bits_is_the_mean_of_the_best() -> None:
    query = np.array([[0xFF] * 8, [0x00] * 8], np.uint8)
    same, half = query.copy(), np.array([[0x0F] * 8], np.uint8)
    found = evaluate.closeness(query, [same, half, query[:1], np.zeros((0, 8), np.uint8)])
    assert found == pytest.approx([1.0, 0.0, 0.0, 0.0])


def test_the_installed_model_finds_the_turn(model: MiniLM) -> None:
    assert evaluate.measure(model, [TEA])["all"]["fused R@5"] == 1


def test_the_report_says_what_went_in_and_what_came_out(tmp_path: Path) -> None:
    delta = tmp_path / "memory-delta.safetensors"
    delta.write_bytes(b"numbers")
    made = report.describe(
        delta=delta, recipe=Recipe(steps=3), data={"memchat": [delta]}, train=[TEA], held=[TEA],
        losses=[3.0, 2.0, 1.0], figures={"this delta": {"all": {"fused R@10": 1.0}}}, device="CPU",
        seconds=1.6,
    )  # fmt: skip
    report.write(made, tmp_path / "report.json")
    read = json.loads((tmp_path / "report.json").read_text())
    assert read["recipe"]["steps"] == 3
    assert read["data"]["memchat"]["questions"] == 1
    assert read["held_out"] == ["two"]
    assert read["loss"] == {"first_50": 2.0, "last_50": 2.0}
    assert read["sha256"] == data.digest([delta]) != data.digest([delta, delta])
    assert read["versions"]["numpy"] == np.__version__


def test_every_number_of_the_recipe_is_an_option() -> None:
    options = command.arguments(["--steps", "9", "--no-facts", "--rate", "0.001"])
    assert command.recipe_of(options) == Recipe(steps=9, facts=False, rate=0.001)
    assert command.recipe_of(command.arguments([])) == Recipe()
