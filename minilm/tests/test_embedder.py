import threading

import numpy as np
import pytest

from holdfast_minilm import MiniLM, as_bits
from holdfast_minilm.builder.check import SENTENCES
from holdfast_minilm.embedder import Vectors

# Summation order is all that may differ between a text alone and the same text in company.
SAME = 1e-6


def _cosine(model: MiniLM, one: str, other: str) -> float:
    left, right = model.embed([one, other])
    return float(left @ right)


def _alone(model: MiniLM, texts: list[str]) -> Vectors:
    return np.concatenate([model.embed([text]) for text in texts])


def test_vectors_are_float32_rows_of_unit_length(model: MiniLM) -> None:
    vectors = model.embed(SENTENCES)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(SENTENCES), model.dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_vector_does_not_depend_on_the_texts_beside_it(model: MiniLM) -> None:
    alone = _alone(model, SENTENCES)
    twice = SENTENCES + SENTENCES[::-1]
    together = model.embed(twice)
    assert np.abs(together - np.concatenate([alone, alone[::-1]])).max() <= SAME


def test_a_run_of_one_length_is_split_and_keeps_its_order(model: MiniLM) -> None:
    texts = [f"room number {number} is free" for number in range(100, 400)]
    some = [0, 51, 127, 299]
    assert np.abs(model.embed(texts)[some] - _alone(model, [texts[i] for i in some])).max() <= SAME


def test_no_texts_give_no_rows(model: MiniLM) -> None:
    assert model.embed([]).shape == (0, model.dimensions)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\0", "\ud83d", "\udc00\ud800", "\ufffe", "​"])
def test_a_text_without_words_still_has_a_vector(model: MiniLM, text: str) -> None:
    assert np.linalg.norm(model.embed([text])) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("text", ["green\0 tea", "green \ud800 tea", "\udfffgreen tea"])
def test_a_stray_character_does_not_change_the_words_around_it(model: MiniLM, text: str) -> None:
    assert _cosine(model, text, "green tea") > 0.999


def test_halves_of_a_surrogate_pair_are_one_character(model: MiniLM) -> None:
    assert _cosine(model, "well done \ud83d\ude04", "well done 😄") > 0.999


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("What does she drink?", "Ana has green tea at breakfast.", "The train is late."),
        ("Why did the release fail?", "The deployment broke on a lock.", "We had soup for lunch."),
        ("Which pets does he have?", "His dog is called Biscuit.", "His flat is near the river."),
        ("How do I undo a commit?", "git revert takes a change back.", "The museum opens at nine."),
    ],
)  # fmt: skip
def test_what_is_close_in_meaning_is_close(model: MiniLM, query: str, near: str, far: str) -> None:
    assert _cosine(model, query, near) > _cosine(model, query, far) + 0.1


def test_case_and_accents_do_not_matter(model: MiniLM) -> None:
    assert _cosine(model, "CRÈME BRÛLÉE", "creme brulee") > 0.999


def test_text_past_the_token_limit_is_ignored(model: MiniLM) -> None:
    kept = "tea " * (model.max_tokens - 2)  # two tokens mark the start and the end
    assert np.abs(model.embed([kept]) - model.embed([kept + "coffee " * 90_000])).max() <= SAME
    assert np.abs(model.embed([kept]) - model.embed(["coffee " + kept])).max() > SAME


def test_threads_share_a_model_and_get_the_same_vectors(model: MiniLM) -> None:
    expected = model.embed(SENTENCES)
    wrong: list[float] = []

    def work(turn: int) -> None:
        order = np.roll(np.arange(len(SENTENCES)), turn * 7)
        found = model.embed([SENTENCES[at] for at in order])
        wrong.append(float(np.abs(found - expected[order]).max()))

    threads = [threading.Thread(target=work, args=(turn,)) for turn in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wrong) == 8
    assert max(wrong) <= SAME


def test_more_threads_for_one_call_give_the_same_vectors(model: MiniLM) -> None:
    assert np.abs(MiniLM(threads=2).embed(SENTENCES) - model.embed(SENTENCES)).max() <= 1e-5


def test_every_token_has_a_vector_of_its_own_and_marks_have_none(model: MiniLM) -> None:
    encoded = model.encode(["green tea", ""])
    assert [each.shape for each in encoded.tokens] == [(2, 64), (0, 64)]
    assert np.linalg.norm(encoded.tokens[0], axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(encoded.vectors, model.embed(["green tea", ""]))


def test_what_was_said_before_is_read_along_and_has_no_vectors(model: MiniLM) -> None:
    alone, after, long = (
        model.encode(["Yes, last May"], [before])
        for before in ("", "Did you move to Oslo?", "filler " * 400 + "Did you move to Oslo?")
    )
    assert alone.tokens[0].shape == after.tokens[0].shape == long.tokens[0].shape
    assert np.abs(alone.vectors - after.vectors).max() > 0.01
    oslo = model.embed(["moving to Oslo"])[0]
    assert after.vectors[0] @ oslo > alone.vectors[0] @ oslo + 0.1
    assert long.vectors[0] @ oslo > alone.vectors[0] @ oslo + 0.1  # its last words count


def test_tokens_become_bits_of_at_most_so_many_rows(model: MiniLM) -> None:
    [tokens] = model.encode(["tea " * 100]).tokens
    assert tokens.shape == (100, 64)
    assert as_bits(tokens, 48).shape == (48, 8)
    assert as_bits(tokens, 100).shape == (100, 8)
    whole = np.unpackbits(as_bits(tokens, 200), axis=1)
    assert np.array_equal(whole.astype(bool), tokens > 0)
