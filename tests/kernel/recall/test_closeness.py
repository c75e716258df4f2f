"""Close reading against the plain definition, token by token."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.embedding_models import LocalModel, Said
from holdfast.kernel.recall.closeness import closeness

tokens = st.integers(1, 6).flatmap(lambda n: st.binary(min_size=8 * n, max_size=8 * n))


def alike(one: bytes, other: bytes) -> float:
    apart = sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True))
    return 1 - apart / 32


def rows(held: bytes) -> list[bytes]:
    return [held[at : at + 8] for at in range(0, len(held), 8)]


@given(tokens, st.lists(st.none() | tokens, min_size=1, max_size=8))
def test_each_token_of_the_query_counts_by_its_best_token_of_the_passage(query, passages):
    found = closeness(query, passages)
    if not any(passages):
        assert found is None
        return
    for held, close in zip(passages, found, strict=True):
        if held is None:
            assert math.isnan(close)
        else:
            best = [max(alike(asked, each) for each in rows(held)) for asked in rows(query)]
            assert abs(close - sum(best) / len(best)) < 1e-9


def test_bits_order_passages_as_full_vectors_do():
    model = LocalModel()
    asked = "What does Ana drink in the morning?"
    said = [
        "Ana has green tea at breakfast.",
        "The train to Lisbon was late again.",
        "I take my coffee black.",
        "The museum opens at nine.",
    ]
    query, *passages = model.embed([Said(asked), *map(Said, said)], patience_s=1)
    bits = closeness(query.tokens, [each.tokens for each in passages])
    full = model._model.encode([asked, *said]).tokens
    exact = [float((full[0] @ each.T).max(axis=1).mean()) for each in full[1:]]
    assert bits is not None
    assert np.argsort(bits).tolist() == np.argsort(exact).tolist()
