"""What turns texts into vectors: the bundled local model, and any OpenAI-compatible endpoint."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol
from urllib.parse import urldefrag

import httpx

from holdfast.kernel.half_vectors import HalfVector

DEFAULT_REMOTE_MODEL = "text-embedding-3-small"

# How many rows of bits a passage keeps for close reading, 8 bytes each: together half of what its vector takes.
MAX_TOKEN_ROWS = 48


class Said(NamedTuple):
    """A text to embed, who said it, and what was said just before ("" for nobody and nothing)."""

    text: str
    speaker: str = ""
    before: str = ""


class Embedding(NamedTuple):
    """A text's vector, and its tokens for close reading: 64 bits each, None where the model gives none."""

    vector: HalfVector
    tokens: bytes | None


class EmbedderUnavailable(Exception):
    """The embedder is down, slow, or not installed. Writes and hybrid recall go on without it."""


class Model(Protocol):
    """What turns texts into rows of numbers; called from one thread at a time."""

    name: str

    def embed(self, said: Sequence[Said], *, patience_s: float) -> Sequence[Embedding]:
        """One for each text, in order, with vectors of unit length; EmbedderUnavailable when it cannot."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class LocalModel:
    """all-MiniLM-L6-v2, trained on to read conversations, from the package holdfast-minilm: on the CPU, without a network."""

    name = "local:all-MiniLM-L6-v2-memory-1"

    def __init__(self) -> None:
        try:
            from holdfast_minilm import MiniLM, as_bits
        except ImportError:
            raise EmbedderUnavailable(
                "the local embedder is not installed: pip install holdfast-minilm, or set "
                "HOLDFAST_EMBEDDER to an endpoint or to none"
            ) from None
        self._model = MiniLM()
        self._as_bits = as_bits

    def embed(self, said: Sequence[Said], *, patience_s: float) -> Sequence[Embedding]:  # noqa: ARG002
        """One for each text, in order, read after its speaker's name and the end of what was said before."""
        encoded = self._model.encode(
            [f"{each.speaker}: {each.text}" if each.speaker else each.text for each in said],
            [each.before for each in said],
        )
        return [
            Embedding(HalfVector.of(row), self._as_bits(tokens, MAX_TOKEN_ROWS).tobytes())
            for row, tokens in zip(encoded.vectors, encoded.tokens, strict=True)
        ]

    def close(self) -> None:
        """There is nothing to let go of."""


class RemoteModel:
    """An OpenAI-compatible endpoint: `https://host/v1#model-name`."""

    def __init__(self, url: str, api_key: str | None) -> None:
        address, fragment = urldefrag(url)
        self._model = fragment or DEFAULT_REMOTE_MODEL
        self.name = f"{address}#{self._model}"
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(headers=headers)
        self._url = f"{address.rstrip('/')}/embeddings"

    def embed(self, said: Sequence[Said], *, patience_s: float) -> Sequence[Embedding]:
        """One for each text, in order, of the text alone."""
        texts = [each.text for each in said]
        try:
            reply = self._client.post(
                self._url,
                json={"model": self._model, "input": texts, "encoding_format": "float"},
                timeout=patience_s,
            )
            reply.raise_for_status()
            data = sorted(reply.json()["data"], key=lambda each: each["index"])
            rows = [HalfVector.of(_unit([float(x) for x in each["embedding"]])) for each in data]
        except (httpx.HTTPError, KeyError, TypeError, ValueError) as error:
            raise EmbedderUnavailable(
                f"the embedder does not answer: {type(error).__name__}"
            ) from error
        if len(rows) != len(texts):
            raise EmbedderUnavailable("the embedder answered with another number of vectors")
        return [Embedding(row, None) for row in rows]

    def close(self) -> None:
        """Close its connections."""
        self._client.close()


def _unit(row: list[float]) -> list[float]:
    length = sum(x * x for x in row) ** 0.5
    return [x / length for x in row] if length else row
