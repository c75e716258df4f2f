"""Text in, unit vectors out."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Self

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from tokenizers import Tokenizer

from holdfast_minilm.files import GRAPH, MODEL_DIR, TOKENIZER, verify

Vectors = npt.NDArray[np.float32]

# Enough rows to keep the processor busy and few enough to stay in its cache.
_TOKENS_PER_RUN = 512
# Word pieces are short: what lies beyond cannot be among the first 256 tokens of any real text,
# and a megabyte would take most of a second to split.
_MAX_CHARS = 16_384


class MiniLM:
    """all-MiniLM-L6-v2 in 8 bits, on the CPU; loaded once, and safe to share between threads."""

    name: str = "all-MiniLM-L6-v2"
    dimensions: int = 384
    max_tokens: int = 256

    def __init__(self, threads: int = 1) -> None:
        """Load the model; `threads` is how many cores one `embed` call may use."""
        verify()
        # By path: a session keeps the bytes it is given, and with them 23 MB.
        self._load(str(MODEL_DIR / GRAPH), (MODEL_DIR / TOKENIZER).read_bytes(), threads)

    @classmethod
    def from_bytes(cls, graph: bytes, tokenizer: bytes, threads: int = 1) -> Self:
        """A model that is not the installed one: the build compares two before it keeps one."""
        model = cls.__new__(cls)
        model._load(graph, tokenizer, threads)
        return model

    def _load(self, graph: bytes | str, tokenizer: bytes, threads: int) -> None:
        self._tokenizer = open_tokenizer(tokenizer, self.max_tokens)
        self._session = open_session(graph, threads)
        self.embed(["The first run allocates, so it happens before anyone waits for it."])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length for each text, in order; tokens after `max_tokens` are ignored."""
        tokens = [self._tokens(text) for text in texts]
        vectors = np.empty((len(tokens), self.dimensions), dtype=np.float32)
        for rows in _runs([len(ids) for ids in tokens]):
            ids = np.array([tokens[row] for row in rows], dtype=np.int32)
            (vectors[rows],) = self._session.run(["vectors"], {"ids": ids})
        return vectors

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(_well_formed(text[:_MAX_CHARS])).ids
        return ids


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


def open_tokenizer(content: bytes, max_tokens: int) -> Tokenizer:
    """Its file asks for padding to 128 tokens; the runs here need none."""
    tokenizer = Tokenizer.from_str(content.decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def _runs(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows that go through the model together: all of one length, so that none needs padding."""
    by_length = sorted(range(len(lengths)), key=lengths.__getitem__)
    for length, group in groupby(by_length, key=lengths.__getitem__):
        rows, most = list(group), max(1, _TOKENS_PER_RUN // length)
        for start in range(0, len(rows), most):
            yield rows[start : start + most]


def _well_formed(text: str) -> str:
    """The text with halves of surrogate pairs joined, or replaced where the other is missing."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
