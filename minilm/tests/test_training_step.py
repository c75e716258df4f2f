"""The training itself, on a model of random weights; skipped where torch is not installed."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

pytest.importorskip("torch", reason="torch is in the extra `train` only")

from holdfast_minilm import MiniLM, files
from holdfast_minilm.builder import delta
from holdfast_minilm.builder.graph import HIDDEN, LAYERS, encoder
from holdfast_minilm.builder.source import Weights
from train import data, model
from train.model import Encoder
from train.recipe import Recipe
from train.training import rate_at, train

TEXTS = ["green tea", "He is called Biscuit.", "tea " * 40]
BEFORE = ["What do you drink?", "", "And the rest?"]


@pytest.fixture(scope="module")
def weights() -> Weights:
    chance = np.random.default_rng(3)

    def drawn(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return chance.normal(0, 0.05, shape).astype(np.float32)

    made = {
        "embeddings.word_embeddings.weight": drawn(30_522, HIDDEN),
        "embeddings.position_embeddings.weight": drawn(512, HIDDEN),
        "embeddings.token_type_embeddings.weight": drawn(2, HIDDEN),
    }
    shapes = {
        "attention.self.query": (HIDDEN, HIDDEN), "attention.self.key": (HIDDEN, HIDDEN),
        "attention.self.value": (HIDDEN, HIDDEN), "attention.output.dense": (HIDDEN, HIDDEN),
        "intermediate.dense": (4 * HIDDEN, HIDDEN), "output.dense": (HIDDEN, 4 * HIDDEN),
    }  # fmt: skip
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        norms += [f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm"]
        for name, shape in shapes.items():
            made[f"{at}{name}.weight"], made[f"{at}{name}.bias"] = drawn(*shape), drawn(shape[0])
    for name in norms:
        made[f"{name}.weight"], made[f"{name}.bias"] = 1 + drawn(HIDDEN), drawn(HIDDEN)
    return made


@pytest.fixture(scope="module")
def tokenizer() -> bytes:
    return (files.MODEL_DIR / files.TOKENIZER).read_bytes()


def make(weights: Weights, tokenizer: bytes) -> Encoder:
    return Encoder(weights, tokenizer, rank=32, seed=1, device="cpu")


def test_torch_and_the_builders_graph_give_the_same(
    weights: Weights, tokenizer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "TEXTS_PER_PASS", 2)  # the texts go through in two parts
    ours = make(weights, tokenizer).load(delta.FILE).encode(TEXTS, BEFORE)
    change = delta.read()
    merged = encoder(delta.merge(weights, change), delta.projection(change))
    theirs = MiniLM.from_bytes(merged, tokenizer).encode(TEXTS, BEFORE)
    assert np.abs(ours.vectors - theirs.vectors).max() < 1e-4
    for one, other in zip(ours.tokens, theirs.tokens, strict=True):
        assert one.shape == other.shape
        assert np.abs(one - other).max() < 1e-3


def test_a_few_steps_lower_the_loss_and_export_what_the_builder_reads(
    weights: Weights, tokenizer: bytes, tmp_path: Path
) -> None:
    turns = tuple(
        data.Turn(f"S1:{n}", "S1", "Maya", f"{word} is what we had on day {n}")
        for n, word in enumerate(("tea", "soup", "rice", "bread", "cake", "fish"))
    )
    asked = tuple(
        data.Question(f"when was there {turn.text.split()[0]}", (turn.id,), "single-hop")
        for turn in turns
    )
    space = data.Space("meals", "memchat", "friends", turns, asked)
    recipe = Recipe(steps=12, questions=4, passages=4, warmup=0.2, signs=0.5, facts=True)
    changed = make(weights, tokenizer)
    said: list[str] = []
    losses = train(changed, [space], recipe, said.append)
    assert np.mean(losses[-3:]) < np.mean(losses[:3])
    assert said[0].startswith("6 questions")

    again = train(make(weights, tokenizer), [space], recipe, said.append)
    assert again == pytest.approx(losses, rel=1e-3)

    changed.save(tmp_path / "delta.safetensors")
    written = {
        name: value.astype(np.float32)
        for name, value in safetensors.numpy.load_file(tmp_path / "delta.safetensors").items()
    }
    committed = delta.read()
    assert {name: value.shape for name, value in written.items()} == {
        name: value.shape for name, value in committed.items()
    }
    merged = delta.merge(weights, written)
    moved = [name for name in weights if not np.array_equal(weights[name], merged[name])]
    assert len(moved) == 6 * LAYERS


def test_the_rate_rises_then_falls_to_nothing() -> None:
    recipe = Recipe(steps=100, warmup=0.1)
    rates = [rate_at(step, recipe) for step in range(101)]
    assert rates[0] == pytest.approx(0.1)
    assert max(rates) == rates[9] == 1
    assert rates[100] == 0
    assert all(one >= other for one, other in pairwise(rates[10:]))
