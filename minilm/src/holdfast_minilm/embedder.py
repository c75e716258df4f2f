"""Text in, unit vectors out: one for the text, and a small one for each of its tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Self

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from tokenizers import Tokenizer

from holdfast_minilm.files import GRAPH, MODEL_DIR, TOKENIZER, verify

Vectors = npt.NDArray[np.float32]
Bits = npt.NDArray[np.uint8]

# Enough rows to keep the processor busy and few enough to stay in its cache.
_TOKENS_PER_RUN = 512
# Word pieces are short: what lies beyond cannot be among the first 256 tokens of any real text,
# and a megabyte would take most of a second to split.
_MAX_CHARS = 16_384


@dataclass(frozen=True)
class Encoded:
    """What one pass of the model says of texts: a row of `vectors` for each, and its `tokens`."""

    vectors: Vectors
    tokens: list[Vectors]


class MiniLM:
    """all-MiniLM-L6-v2, trained on to read conversations, in 8 bits on the CPU.

    Loaded once, and safe to share between threads.
    """

    name: str = "all-MiniLM-L6-v2-memory-1"
    dimensions: int = 384
    token_dimensions: int = 64
    max_tokens: int = 256
    max_tokens_before: int = 24

    def __init__(self, threads: int = 1) -> None:
        """Load the model; `threads` is how many cores one `embed` call may use."""
        verify((GRAPH, TOKENIZER))
        # By path: a session keeps the bytes it is given, and with them 23 MB.
        self._load(str(MODEL_DIR / GRAPH), (MODEL_DIR / TOKENIZER).read_bytes(), threads)

    @classmethod
    def from_bytes(cls, graph: bytes, tokenizer: bytes, threads: int = 1) -> Self:
        """A model that is not the installed one: the build compares two before it keeps one."""
        model = cls.__new__(cls)
        model._load(graph, tokenizer, threads)
        return model

    def _load(self, graph: bytes | str, tokenizer: bytes, threads: int) -> None:
        self._tokenizer = open_tokenizer(tokenizer)
        self._start, self._end = self._tokenizer.encode("").ids
        self._session = open_session(graph, threads)
        self.embed(["The first run allocates, so it happens before anyone waits for it."])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length for each text, in order; tokens after `max_tokens` are ignored."""
        return self.encode(texts).vectors

    def encode(self, texts: Sequence[str], before: Sequence[str] = ()) -> Encoded:
        """The vectors of texts and of their tokens, in order.

        `before` has what was said just before each text ("" for nothing): its last
        `max_tokens_before` tokens are read along as context, and have no vectors of their own.
        """
        read = [
            self._read(text, before[place] if place < len(before) else "")
            for place, text in enumerate(texts)
        ]
        vectors = np.empty((len(read), self.dimensions), dtype=np.float32)
        tokens: list[Vectors] = [np.empty((0, self.token_dimensions), np.float32)] * len(read)
        for rows in _runs([len(ids) for ids, _ in read]):
            ids = np.array([read[row][0] for row in rows], dtype=np.int32)
            vectors[rows], of_run = self._session.run(["vectors", "tokens"], {"ids": ids})
            for row, each in zip(rows, of_run, strict=True):
                tokens[row] = each[read[row][1] : -1]
        return Encoded(vectors, tokens)

    def _read(self, text: str, before: str) -> tuple[list[int], int]:
        """The ids of a text after its context, between two marks; and where its own begin."""
        context = self._tokens(before)[-self.max_tokens_before :] if before else []
        own = self._tokens(text)[: self.max_tokens - len(context) - 2]
        return [self._start, *context, *own, self._end], 1 + len(context)

    def _tokens(self, text: str) -> list[int]:
        encoded = self._tokenizer.encode(well_formed(text[:_MAX_CHARS]), add_special_tokens=False)
        ids: list[int] = encoded.ids
        return ids


def as_bits(tokens: Vectors, most: int) -> Bits:
    """Token vectors as one bit for each dimension (whether it is positive): 8 bytes a row.

    Where there are more than `most` tokens, neighbours are summed first.
    """
    if len(tokens) > most:
        tokens = np.add.reduceat(tokens, np.arange(most) * len(tokens) // most, axis=0)
    return np.packbits(tokens > 0, axis=1)


def open_session(graph: bytes | str, threads: int) -> ort.InferenceSession:
    """A session for a graph (or the path of one) that needs no rewriting, in little memory."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads would otherwise spin, and take a core from the database beside us.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The graph is fused by hand; the optimiser would bring back SkipLayerNormalization, which is
    # slower on a CPU than the Add and LayerNormalization it replaces.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    # Shapes differ from call to call: a memory plan for each would pile up.
    options.enable_mem_pattern = False
    return ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def open_tokenizer(content: bytes) -> Tokenizer:
    """Its file asks for padding to 128 tokens and for a cut there; the runs here need neither."""
    tokenizer = Tokenizer.from_str(content.decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _runs(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows that go through the model together: all of one length, so that none needs padding."""
    by_length = sorted(range(len(lengths)), key=lengths.__getitem__)
    for length, group in groupby(by_length, key=lengths.__getitem__):
        rows, most = list(group), max(1, _TOKENS_PER_RUN // length)
        for start in range(0, len(rows), most):
            yield rows[start : start + most]


def well_formed(text: str) -> str:
    """The text with halves of surrogate pairs joined, or replaced where the other is missing."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
