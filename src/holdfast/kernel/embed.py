"""Text → vector: the models of embedding_models.py behind a queue, and which of them serves.

Work is gathered: whatever is asked for while a batch is being embedded goes together in the next one, in a thread, so that
the event loop never waits for arithmetic. Vectors are kept for a while by their text: a service starts to embed before it opens
its transaction, and what is added there, or follows it, finds the vector at hand.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import AbstractContextManager
from time import monotonic

from holdfast.kernel import metrics, tracing
from holdfast.kernel.embedding_models import (
    EmbedderUnavailable,
    Embedding,
    LocalModel,
    Model,
    RemoteModel,
    Said,
)

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


def _digest(said: Said) -> bytes:
    whole = "\0".join(said).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(whole, digest_size=16).digest()


def _as_unavailable(error: Exception) -> EmbedderUnavailable:
    if isinstance(error, EmbedderUnavailable):
        return error
    return EmbedderUnavailable(f"the embedder failed: {type(error).__name__}")
