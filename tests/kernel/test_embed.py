import asyncio

import pytest

from holdfast.kernel.embed import Embedder, EmbedderUnavailable, RemoteModel, open_embedder
from tests.kernel.recall.hashing import DIMENSIONS, HashingEmbedder


class Counting:
    """A model that says how it was asked."""

    name = "counting"

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def embed(self, texts, *, patience_s):
        self.batches.append(list(texts))
        return [[float(len(text)), 0.0] for text in texts]

    def close(self) -> None:
        pass


async def test_what_is_asked_for_at_once_is_embedded_together():
    model = Counting()
    embedder = Embedder(model, local=True)
    vectors = await asyncio.gather(*(embedder.embed([f"{'x' * n}"]) for n in range(1, 13)))
    assert [vector[0] for vector in vectors] == [f"[{n:.4f},0.0000]" for n in range(1, 13)]
    assert len(model.batches) < 12
    await embedder.embed(["xxx"])
    assert sum(len(batch) for batch in model.batches) == 12  # the last was at hand
    await embedder.close()


async def test_the_bundled_model_gives_unit_vectors_in_order():
    embedder = open_embedder("local")
    assert embedder is not None
    one, two = await embedder.embed(["This is an example sentence", "a cat"])
    numbers = [float(x) for x in one.strip("[]").split(",")]
    assert len(numbers) == 384
    assert abs(sum(x * x for x in numbers) - 1) < 0.01
    assert one != two
    await embedder.close()


async def test_a_remote_embedder_is_asked_by_the_openai_protocol_and_its_failures_are_told():
    server = HashingEmbedder()
    embedder = Embedder(RemoteModel(server.url, "key"), local=False)
    try:
        [vector] = await embedder.embed(["green tea"])
        assert len(vector.split(",")) == DIMENSIONS
        server.down = True
        with pytest.raises(EmbedderUnavailable):
            await embedder.embed(["black tea"])
        server.down, server.delay_s = False, 1.0
        with pytest.raises(EmbedderUnavailable):
            await embedder.embed(["white tea"], patience_s=0.1)
    finally:
        await embedder.close()
        server.close()


def test_none_is_no_embedder_and_nonsense_is_refused():
    assert open_embedder("none") is None
    with pytest.raises(EmbedderUnavailable):
        open_embedder("nonsense")
