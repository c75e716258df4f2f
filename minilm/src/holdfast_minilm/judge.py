"""Two statements in; out comes whether the later one replaces the earlier, or says it again.

Or one statement: out comes whether it is worth keeping.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast_minilm.embedder import open_session, open_tokenizer, well_formed
from holdfast_minilm.files import JUDGE, MODEL_DIR, TOKENIZER, verify

MAX_TOKENS = 96
"""Of each statement, so much is read."""
MAX_TOKENS_BEFORE = 40
"""Of what was said before the later one, the end."""
NOW, EARLIER, BEFORE = range(3)
"""Kinds of texts: each token is marked with the one that it is of."""
OUTCOMES = 3
"""The first scores are of what a statement does to the earlier one: it replaces it, it repeats it,
neither. The last is of whether it is worth keeping.
"""

_MAX_CHARS = 8_192


class Pair(NamedTuple):
    """A statement, what was said right before it ("" for nothing), and an earlier statement of the
    same person.
    """

    now: str
    before: str
    earlier: str


class Said(NamedTuple):
    """What a person says, and what was said right before it ("" for nothing)."""

    text: str
    before: str


class Verdict(NamedTuple):
    """How likely the statement replaces the earlier one, and how likely it says the same."""

    replaces: float
    repeats: float


class Judge:
    """all-MiniLM-L6-v2, trained on to compare what a person says with what they said before.

    In 8 bits on the CPU.

    Loaded once, and safe to share between threads.
    """

    name: str = "all-MiniLM-L6-v2-judge-2"

    def __init__(self, threads: int = 1) -> None:
        """Load the model; `threads` is how many cores one call may use."""
        verify((JUDGE, TOKENIZER))
        self._load(str(MODEL_DIR / JUDGE), (MODEL_DIR / TOKENIZER).read_bytes(), threads)

    @classmethod
    def from_bytes(cls, graph: bytes, tokenizer: bytes, threads: int = 1) -> "Judge":
        """One that is not the installed one: the build compares two before it keeps one."""
        judge = cls.__new__(cls)
        judge._load(graph, tokenizer, threads)
        return judge

    def _load(self, graph: bytes | str, tokenizer: bytes, threads: int) -> None:
        self.layout = Layout(tokenizer)
        self._session = open_session(graph, threads)

    def compare(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order; it depends on that pair alone."""
        return [self._verdict(each) for each in pairs]

    def worth(self, said: Sequence[Said]) -> list[float]:
        """How likely a long-term memory would keep each, in order; it depends on that one alone."""
        return [self._worth(each) for each in said]

    def _verdict(self, pair: Pair) -> Verdict:
        scores = self._scores(pair.now, pair.before, pair.earlier)[:OUTCOMES]
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        return Verdict(float(shares[0]), float(shares[1]))

    def _worth(self, said: Said) -> float:
        score = self._scores(said.text, said.before, None)[OUTCOMES]
        return float(0.5 + 0.5 * np.tanh(score / 2))

    def _scores(self, now: str, before: str, earlier: str | None) -> npt.NDArray[np.float32]:
        ids, kinds = self.layout.of(now, before, earlier)
        given = {"ids": np.array([ids], np.int32), "kinds": np.array([kinds], np.int32)}
        found: list[list[npt.NDArray[np.float32]]] = self._session.run(["scores"], given)
        return found[0][0]


class Layout:
    """Texts as one row of tokens: what was said before, the statement, the earlier one."""

    def __init__(self, tokenizer: bytes) -> None:
        self._tokenizer = open_tokenizer(tokenizer)
        self._start, self._end = self._tokenizer.encode("").ids

    def of(self, now: str, before: str, earlier: str | None) -> tuple[list[int], list[int]]:
        """The ids of their tokens and the kind of each; `earlier` may be missing."""
        ids, kinds = [self._start], [NOW]
        parts = [(self.tokens(now)[:MAX_TOKENS], NOW)]
        if before:
            parts.insert(0, (self.tokens(before)[-MAX_TOKENS_BEFORE:], BEFORE))
        if earlier is not None:
            parts.append((self.tokens(earlier)[:MAX_TOKENS], EARLIER))
        for tokens, kind in parts:
            ids += [*tokens, self._end]
            kinds += [kind] * (len(tokens) + 1)
        return ids, kinds

    def tokens(self, text: str) -> list[int]:
        """The ids of a text."""
        ids: list[int] = self._tokenizer.encode(
            well_formed(text[:_MAX_CHARS]), add_special_tokens=False
        ).ids
        return ids
