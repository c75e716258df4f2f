import asyncio
import threading

import pytest

from holdfast.kernel.embed import SHORT_CHARS, Embedder, Embedders, open_embedder
from holdfast.kernel.embedding_models import (
    MAX_TOKEN_ROWS,
    EmbedderUnavailable,
    Embedding,
    LocalModel,
    RemoteModel,
    Said,
)
from holdfast.kernel.half_vectors import HalfVector
from tests.kernel.recall.hashing import DIMENSIONS, HashingEmbedder


class Counting:
    """A model that says how it was asked."""

    name = "counting"

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def embed(self, said, *, patience_s):
        self.batches.append(list(said))
        return [Embedding(HalfVector.of([float(len(each.text)), 0.0]), None) for each in said]

    def close(self) -> None:
        pass


async def test_what_is_asked_for_at_once_is_embedded_together():
    model = Counting()
    embedder = Embedder(model, local=True)
    vectors = await asyncio.gather(*(embedder.embed([Said("x" * n)]) for n in range(1, 13)))
    assert [made.vector.numbers.tolist() for [made] in vectors] == [[n, 0] for n in range(1, 13)]
    assert len(model.batches) < 12
    await embedder.embed([Said("xxx")])
    assert sum(len(batch) for batch in model.batches) == 12  # the last was at hand
    await embedder.close()


class Elsewhere(Counting):
    """A model that notes in which thread it was asked, and may fail."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: list[bool] = []
        self.fails = False

    def embed(self, said, *, patience_s):
        self.threads.append(threading.current_thread() is threading.main_thread())
        if self.fails:
            raise MemoryError
        return super().embed(said, patience_s=patience_s)


async def test_a_short_query_that_is_alone_is_embedded_without_a_thread():
    model = Elsewhere()
    embedder = Embedder(model, local=True)
    alone = await embedder.embed_query("green tea", alone=True)
    assert await embedder.embed_query("green tea", alone=True) == alone  # was at hand
    assert await embedder.embed_query("green tea", alone=False) == alone
    await embedder.embed_query("black tea", alone=False)
    await embedder.embed_query("x" * (SHORT_CHARS + 1), alone=True)
    assert model.threads == [True, False, False]
    model.fails = True
    with pytest.raises(EmbedderUnavailable):
        await embedder.embed_query("white tea", alone=True)
    await embedder.close()


async def test_a_remote_model_and_a_busy_one_are_never_waited_for_in_the_event_loop():
    remote = Embedder(Elsewhere(), local=False)
    await remote.embed_query("green tea", alone=True)
    busy = Embedder(Elsewhere(), local=True)
    coming = busy.start([Said("a passage that is being embedded")])
    await busy.embed_query("green tea", alone=True)
    assert all(future.done() for future in coming.values())
    for each in (remote, busy):
        assert True not in each._model.threads
        await each.close()


async def test_the_bundled_model_gives_unit_vectors_in_order():
    embedder = open_embedder("local")
    assert embedder is not None
    one, two = await embedder.embed([Said("This is an example sentence"), Said("a cat")])
    numbers = one.vector.numbers
    assert len(numbers) == 384
    assert abs(sum(x * x for x in numbers) - 1) < 0.01
    assert one.vector != two.vector
    assert one.tokens is not None
    assert len(one.tokens) == 5 * 8  # a token for each word
    [long] = await embedder.embed([Said("tea " * 200)])
    assert long.tokens is not None
    assert len(long.tokens) == MAX_TOKEN_ROWS * 8
    [said] = await embedder.embed([Said("a cat", speaker="Ana", before="What did you see?")])
    assert said.vector != two.vector
    await embedder.close()


async def test_a_remote_embedder_is_asked_by_the_openai_protocol_and_its_failures_are_told():
    server = HashingEmbedder()
    embedder = Embedder(RemoteModel(server.url, "key"), local=False)
    try:
        [made] = await embedder.embed([Said("green tea")])
        assert len(made.vector.numbers) == DIMENSIONS
        assert made.tokens is None
        server.down = True
        with pytest.raises(EmbedderUnavailable):
            await embedder.embed([Said("black tea")])
        server.down, server.delay_s = False, 1.0
        with pytest.raises(EmbedderUnavailable):
            await embedder.embed([Said("white tea")], patience_s=0.1)
    finally:
        await embedder.close()
        server.close()


def test_none_is_no_embedder_and_nonsense_is_refused():
    assert open_embedder("none") is None
    with pytest.raises(EmbedderUnavailable):
        open_embedder("nonsense")


async def test_vectors_of_a_local_model_that_is_gone_are_not_compared_with_anothers():
    embedders = Embedders("local")
    assert await embedders.serving("local:all-MiniLM-L6-v2") is None
    assert embedders.configured
    now = await embedders.serving(LocalModel.name)
    assert now is not None
    assert now.model == LocalModel.name
    await embedders.close()
