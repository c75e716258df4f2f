"""Token counts for a model, from vocabularies inside the package.

A model is found by its name or a prefix of it (`gpt-4o-2024-08-06` is `gpt-4o`). A model that is unknown, or whose
vocabulary is not public, is counted with `o200k_base`; `Tokenizer.fallback` says so.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_openai import Encoding

DEFAULT_ENCODING = "o200k_base"

# A count takes about 50 ns a character: past this much text it moves to a thread, one text at a time, so that the
# event loop turns between two of them.
MAX_CHARS_ON_THE_LOOP = 8_192
# What is recalled once is recalled again: the counts of so many short texts are kept.
REMEMBERED_TEXTS, REMEMBERED_CHARS = 4_096, 500
# What the tokenizer takes in one piece.
_PIECE_CHARS = 500_000


@dataclass(frozen=True, slots=True)
class Model:
    """A model's vocabulary (None where it is not public) and the size of its context window."""

    encoding: str | None
    context_window: int


# By the longest beginning that matches.
MODELS: dict[str, Model] = {
    "gpt-3.5-turbo": Model("cl100k_base", 16_385),
    "gpt-4": Model("cl100k_base", 8_192),
    "gpt-4-32k": Model("cl100k_base", 32_768),
    "gpt-4-turbo": Model("cl100k_base", 128_000),
    "gpt-4o": Model("o200k_base", 128_000),
    "gpt-4o-mini": Model("o200k_base", 128_000),
    "gpt-4.1": Model("o200k_base", 1_047_576),
    "gpt-4.1-mini": Model("o200k_base", 1_047_576),
    "gpt-4.1-nano": Model("o200k_base", 1_047_576),
    "gpt-5": Model("o200k_base", 400_000),
    "gpt-5-mini": Model("o200k_base", 400_000),
    "gpt-5-nano": Model("o200k_base", 400_000),
    "o1": Model("o200k_base", 200_000),
    "o3": Model("o200k_base", 200_000),
    "o3-mini": Model("o200k_base", 200_000),
    "o4-mini": Model("o200k_base", 200_000),
    "claude-3": Model(None, 200_000),
    "claude-sonnet-4": Model(None, 200_000),
    "claude-opus-4": Model(None, 200_000),
    "claude-haiku-4": Model(None, 200_000),
    "gemini-1.5-pro": Model(None, 2_097_152),
    "gemini-2.5-flash": Model(None, 1_048_576),
    "gemini-2.5-pro": Model(None, 1_048_576),
}


def find_model(name: str) -> Model | None:
    """The model of that name, with or without a provider (`openai:`, `openai/`) before it; None when unknown."""
    bare = name.rpartition("/")[2].rpartition(":")[2]
    matches = [known for known in MODELS if bare == known or bare.startswith(f"{known}-")]
    return MODELS[max(matches, key=len)] if matches else None


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Counts tokens in one vocabulary. `fallback` is set where it is not the model's own."""

    encoding: str = DEFAULT_ENCODING
    fallback: bool = False

    def count(self, text: str) -> int:
        """The number of tokens. Special tokens written out in a text count as the text they are."""
        if len(text) <= REMEMBERED_CHARS:
            return _count_short(self.encoding, text)
        encoding = _encoding(self.encoding)
        return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))

    def first(self, text: str, limit: int) -> str:
        """The longest beginning of `text`, in whole characters, of at most `limit` tokens."""
        if len(text) <= limit or self.count(text) <= limit:
            return text
        low, high = 0, min(len(text), limit * 64)
        while low < high:
            middle = (low + high + 1) // 2
            if self.count(text[:middle]) <= limit:
                low = middle
            else:
                high = middle - 1
        return text[:low]

    async def count_all(self, texts: Sequence[str]) -> list[int]:
        """`count` for each text; long batches run in a thread, so the event loop is not blocked."""
        if sum(map(len, texts)) <= MAX_CHARS_ON_THE_LOOP:
            return [self.count(text) for text in texts]
        return [
            self.count(text) if len(text) < 256 else await asyncio.to_thread(self.count, text)
            for text in texts
        ]


def tokenizer_for(model: str | None) -> Tokenizer:
    """The tokenizer of a model; without a model, the default one."""
    if model is None:
        return Tokenizer()
    if model in ("o200k_base", "cl100k_base"):
        return Tokenizer(model)
    known = find_model(model)
    if known is None or known.encoding is None:
        return Tokenizer(fallback=True)
    return Tokenizer(known.encoding)


def count(text: str) -> int:
    """The number of tokens of a text, in the default vocabulary."""
    return Tokenizer().count(text)


@lru_cache(maxsize=REMEMBERED_TEXTS)
def _count_short(encoding: str, text: str) -> int:
    return len(_encoding(encoding).encode_ordinary(text))


@cache
def _encoding(name: str) -> "Encoding":
    # The package reads every vocabulary when it is imported, which a command that counts nothing need not wait for.
    from bpe_openai import get_encoding

    return get_encoding(name)


def _pieces(text: str) -> list[str]:
    """The text in pieces the tokenizer takes, cut before a line where it can be."""
    pieces = []
    while len(text) > _PIECE_CHARS:
        cut = text.rfind("\n", 1, _PIECE_CHARS) + 1 or _PIECE_CHARS
        pieces.append(text[:cut])
        text = text[cut:]
    return [*pieces, text]
