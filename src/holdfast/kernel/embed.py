"""Text → vector: a protocol, the bundled local model, any OpenAI-compatible endpoint, and none.

Work is gathered: whatever is asked for while a batch is being embedded goes together in the next one, in a thread, so that
the event loop never waits for arithmetic. Vectors are kept for a while by their text: a service embeds before it opens its
transaction, and what it puts there finds the vector at hand.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache
from time import monotonic
from typing import NamedTuple, Protocol
from urllib.parse import urldefrag

import httpx

from holdfast.kernel import metrics, tracing

# How long a request waits for a remote embedder before it goes on without, and a job does.
PATIENCE_S = 2.0
JOB_PATIENCE_S = 60.0
# Few at a time, so that a query does not wait long behind a large write.
MAX_BATCH = 16
MAX_KEPT = 4_096
# A query of up to this many characters is embedded in a few milliseconds: without a thread, where nobody else is waiting.
SHORT_CHARS = 300
# A remote embedder that answered is not asked again, to see whether it does, for this long.
CHECKED_S = 10.0
DEFAULT_REMOTE_MODEL = "text-embedding-3-small"

# How many rows of bits a passage keeps for close reading, 8 bytes each: together half of what its vector takes.
MAX_TOKEN_ROWS = 48

Vector = str
"""A vector as Postgres reads it: `[0.1,0.2]`."""


class Said(NamedTuple):
    """A text to embed, who said it, and what was said just before ("" for nobody and nothing)."""

    text: str
    speaker: str = ""
    before: str = ""


class Embedding(NamedTuple):
    """A text's vector, and its tokens for close reading: 64 bits each, None where the model gives none."""

    vector: Vector
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
            Embedding(as_vector(row), self._as_bits(tokens, MAX_TOKEN_ROWS).tobytes())
            for row, tokens in zip(encoded.vectors.tolist(), encoded.tokens, strict=True)
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
            rows = [as_vector(_unit([float(x) for x in each["embedding"]])) for each in data]
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


class Embedder:
    """A model behind a queue of its own, with the latest embeddings at hand."""

    def __init__(self, model: Model, *, local: bool) -> None:
        self.model = model.name
        self.local = local
        self._model = model
        self._kept: OrderedDict[bytes, Embedding] = OrderedDict()
        self._making: dict[bytes, asyncio.Future[Embedding]] = {}
        self._waiting: list[tuple[Said, float, asyncio.Future[Embedding]]] = []
        self._runner: asyncio.Task[None] | None = None
        self._answered_at = -CHECKED_S

    async def embed(
        self, said: Sequence[Said], *, patience_s: float = PATIENCE_S, urgent: bool = False
    ) -> list[Embedding]:
        """The embeddings of these texts, in order; EmbedderUnavailable when there are none to be had.

        What is urgent (a query) goes before what waits already.
        """
        kept = {each: found for each in said if (found := self.at_hand(each)) is not None}
        asked = self.start(said, patience_s=patience_s, urgent=urgent)
        if asked:
            with self._traced(len(asked)):
                await asyncio.wait(asked.values())
        made = {each: future.result() for each, future in asked.items()}  # raises what went wrong
        return [kept[each] if each in kept else made[each] for each in said]

    async def embed_query(self, text: str, *, alone: bool) -> Embedding:
        """The embedding of a query; EmbedderUnavailable where there is none to be had. `alone`: no other call waits in this
        process, so that a short one may hold its event loop up."""
        if alone and self.embeds_at_once(text):
            return self.embed_at_once(text)
        [made] = await self.embed([Said(text)], urgent=True)
        return made

    def embeds_at_once(self, text: str) -> bool:
        """Whether this is a matter of a few milliseconds, which are less without the way through a thread."""
        return self.local and self.idle and len(text) <= SHORT_CHARS

    def embed_at_once(self, text: str) -> Embedding:
        """The embedding of a query, made here and now; EmbedderUnavailable where that fails."""
        said = Said(text)
        found = self.at_hand(said)
        if found is None:
            with self._traced(1):
                [found] = self._made([said], PATIENCE_S)
            self._keep(said, found)
        return found

    def start(
        self, said: Sequence[Said], *, patience_s: float = PATIENCE_S, urgent: bool = False
    ) -> dict[Said, asyncio.Future[Embedding]]:
        """Have these made, without waiting: what is not at hand, with the embeddings to come."""
        loop = asyncio.get_running_loop()
        coming: dict[Said, asyncio.Future[Embedding]] = {}
        fresh: list[tuple[Said, float, asyncio.Future[Embedding]]] = []
        for each in dict.fromkeys(said):
            if self.at_hand(each) is not None:
                continue
            digest = _digest(each)
            if digest not in self._making:
                future = self._making[digest] = loop.create_future()
                future.add_done_callback(lambda done: done.exception())  # nobody may be waiting
                fresh.append((each, patience_s, future))
            coming[each] = self._making[digest]
        self._waiting = fresh + self._waiting if urgent else self._waiting + fresh
        if fresh and self.idle:
            self._runner = loop.create_task(self._run())
        return coming

    @property
    def idle(self) -> bool:
        """Whether nothing is being made."""
        return self._runner is None or self._runner.done()

    @property
    def behind(self) -> int:
        """How many texts are being made, or wait for that."""
        return len(self._making)

    async def room(self, most: int) -> bool:
        """Wait until fewer than `most` texts are being made or wait; whether that took any time."""
        waited = False
        while len(self._making) >= most:
            waited = True
            await asyncio.wait([next(iter(self._making.values()))])
        return waited

    def is_coming(self, said: Said) -> bool:
        """Whether the embedding of a text is at hand, or is being made."""
        digest = _digest(said)
        return digest in self._kept or digest in self._making

    def at_hand(self, said: Said) -> Embedding | None:
        """The embedding of a text made a moment ago; None where it would have to be made."""
        return self._kept.get(_digest(said))

    def all_at_hand(self, said: Sequence[Said]) -> list[Embedding] | None:
        """The embeddings of these texts, if none has to be waited for."""
        found = [kept for each in said if (kept := self.at_hand(each)) is not None]
        return found if len(found) == len(said) else None

    async def check(self) -> None:
        """Embed a word, unless one was embedded a moment ago; EmbedderUnavailable where that fails."""
        now = monotonic()
        if now - self._answered_at > CHECKED_S:
            await self.embed([Said(f"ready {now}")], urgent=True)

    async def close(self) -> None:
        """End the work that is under way."""
        if self._runner is not None:
            await asyncio.gather(self._runner, return_exceptions=True)
        self._model.close()

    async def _run(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
            said = [each for each, _, _ in batch]
            patience_s = max(patience for _, patience, _ in batch)
            try:
                made = await asyncio.to_thread(self._made, said, patience_s)
            except EmbedderUnavailable as error:
                for each, _, future in batch:
                    del self._making[_digest(each)]
                    future.set_exception(error)
                continue
            for (each, _, future), embedding in zip(batch, made, strict=True):
                self._keep(each, embedding)
                del self._making[_digest(each)]
                future.set_result(embedding)

    def _made(self, said: Sequence[Said], patience_s: float) -> Sequence[Embedding]:
        """Have the model make these; whatever it fails with is EmbedderUnavailable."""
        try:
            made = self._model.embed(said, patience_s=patience_s)
        except Exception as error:
            metrics.embedder_failures.inc()
            self._answered_at = -CHECKED_S
            raise _as_unavailable(error) from error
        self._answered_at = monotonic()
        return made

    def _traced(self, texts: int) -> AbstractContextManager[object]:
        return tracing.span(
            "embeddings",
            gen_ai__operation__name="embeddings",
            gen_ai__request__model=self.model,
            holdfast__texts=texts,
        )

    def _keep(self, said: Said, embedding: Embedding) -> None:
        self._kept[_digest(said)] = embedding
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)


def open_embedder(spec: str, api_key: str | None = None) -> Embedder | None:
    """The embedder a setting names: `local`, an endpoint's URL, or `none`. Also reads the names of models."""
    if spec == "none":
        return None
    if spec == "local" or spec == LocalModel.name:
        return Embedder(LocalModel(), local=True)
    if spec.startswith(("http://", "https://")):
        return Embedder(RemoteModel(spec, api_key), local=False)
    raise EmbedderUnavailable(f"HOLDFAST_EMBEDDER is {spec!r}; it takes local, none or a URL")


class Embedders:
    """The embedder that serves: that of the active model, which is not the setting's while `holdfast reembed` is under way."""

    def __init__(
        self, spec: str = "none", api_key: str | None = None, *, close_reading: bool = True
    ) -> None:
        """`close_reading`: whether recall compares tokens, where the model gives them."""
        self._spec = spec
        self.close_reading = close_reading
        self._api_key = api_key
        self._opened: dict[str, Embedder] = {}
        self._opening = asyncio.Lock()
        self._active: str | None = None

    @property
    def configured(self) -> bool:
        """Whether the settings name an embedder."""
        return self._spec != "none"

    @property
    def remote(self) -> bool:
        """Whether the settings name an endpoint."""
        return self._spec.startswith(("http://", "https://"))

    async def check(self) -> None:
        """Raise EmbedderUnavailable unless the remote embedder that serves answers."""
        embedder = await self.serving()
        if embedder is not None:
            await embedder.check()

    @property
    def active_local(self) -> str | None:
        """The name of the model that served last, if it is the bundled one."""
        return self._active if self.configured and self._active == LocalModel.name else None

    async def wanted(self) -> Embedder | None:
        """The one that the settings name."""
        return None if self._spec == "none" else await self._open(self._spec)

    async def serving(self, model: str | None = None) -> Embedder | None:
        """The one whose vectors are compared; `model` is its name where the database just told it.

        None where the active model is a local one that this version no longer has: until `holdfast reembed` words alone
        answer, and writes are embedded by it.
        """
        if self._spec == "none":
            return None
        self._active = model or self._active
        active = self._active or self._spec
        if active.startswith("local:") and active != LocalModel.name:
            return None
        return await self._open(active)

    async def close(self) -> None:
        """Close all that were opened."""
        for embedder in {id(each): each for each in self._opened.values()}.values():
            await embedder.close()

    async def _open(self, spec: str) -> Embedder:
        found = self._opened.get(spec)
        if found is not None:
            return found
        async with self._opening:
            if spec not in self._opened:
                made = await asyncio.to_thread(open_embedder, spec, self._api_key)
                if made is None:
                    raise EmbedderUnavailable("there is no embedder")
                self._opened[spec] = self._opened.setdefault(made.model, made)
        return self._opened[spec]


def as_vector(row: Sequence[float]) -> Vector:
    """A row of numbers as Postgres reads it; four digits are more than half precision keeps."""
    return _form(len(row)) % tuple(row)


@cache
def _form(dimensions: int) -> str:
    """Filled in at once, in half the time that one number after another takes."""
    return f"[{','.join(['%.4f'] * dimensions)}]"


def _unit(row: list[float]) -> list[float]:
    length = sum(x * x for x in row) ** 0.5
    return [x / length for x in row] if length else row


def _digest(said: Said) -> bytes:
    whole = "\0".join(said).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(whole, digest_size=16).digest()


def _as_unavailable(error: Exception) -> EmbedderUnavailable:
    if isinstance(error, EmbedderUnavailable):
        return error
    return EmbedderUnavailable(f"the embedder failed: {type(error).__name__}")
