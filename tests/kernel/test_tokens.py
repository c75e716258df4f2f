"""Token counts equal those of an independent, slow byte-pair encoder over the same vocabulary."""

import asyncio
import base64
import gzip
import itertools
import threading
from functools import cache
from importlib.resources import files

import pytest
import regex

from holdfast.kernel.tokens import Tokenizer, find_model, tokenizer_for

# As published with each vocabulary (possessive quantifiers and all).
PATTERNS = {
    "cl100k_base": r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s""",
    "o200k_base": "|".join(
        [
            r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
            r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
            r"""\p{N}{1,3}""",
            r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
            r"""\s*[\r\n]+""",
            r"""\s+(?!\S)""",
            r"""\s+""",
        ]
    ),
}

TEXTS = [
    "",
    "hello world",
    "The quick brown fox jumps over the lazy dog.",
    "Don't you think it's we'll've?",
    "Straße, naïve café, Ångström; Příliš žluťoučký kůň",
    "Съешь же ещё этих мягких французских булок",
    "日本語のテキストと中文文本以及한국어",
    "العربية من اليمين إلى اليسار עברית",
    "हिन्दी में कुछ शब्द ไทยไม่มีช่องว่าง",
    "🙂👩‍👩‍👧‍👦🇳🇴 emoji 👍🏽!",
    "def f(x: int) -> str:\n\tif x:\n        return f'{x!r}'  # comment\n\n\n",
    '{"a": [1, 2.5e-10, null], "b": "c\\u00e9"}\r\n',
    "1234567890 3.14159 0xDEADBEEF",
    "   leading and trailing   \n\n  \t ",
    "a" * 300,
    "!?!?!?---===>>> ### ///",
    "<|endoftext|> is text here",
    "\u200b\ufeff zero width \u0301 combining",
]


@cache
def ranks(encoding: str) -> dict[bytes, int]:
    packed = (files("bpe_openai.data") / f"{encoding}.tiktoken.gz").read_bytes()
    lines = gzip.decompress(packed).splitlines()
    return {
        base64.b64decode(token): int(rank)
        for token, rank in (line.split() for line in lines if line)
    }


def slow_count(encoding: str, text: str) -> int:
    """Split, then merge the pair of lowest rank until none is left: the definition, word for word."""
    vocabulary, total = ranks(encoding), 0
    for word in regex.findall(PATTERNS[encoding], text):
        parts = [bytes([byte]) for byte in word.encode()]
        while len(parts) > 1:
            pairs = [vocabulary.get(a + b) for a, b in itertools.pairwise(parts)]
            known = [(rank, at) for at, rank in enumerate(pairs) if rank is not None]
            if not known:
                break
            _, at = min(known)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        total += len(parts)
    return total


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_counts_equal_the_reference(encoding, text):
    assert Tokenizer(encoding).count(text) == slow_count(encoding, text)


def test_models_have_their_vocabulary_and_unknown_ones_say_so():
    assert tokenizer_for("gpt-4") == Tokenizer("cl100k_base")
    assert tokenizer_for("gpt-4o-2024-08-06") == Tokenizer("o200k_base")
    assert tokenizer_for("openai:gpt-4.1-mini") == Tokenizer("o200k_base")
    assert tokenizer_for("who-knows") == Tokenizer("o200k_base", fallback=True)
    assert tokenizer_for("claude-sonnet-4-20250514").fallback is True
    assert tokenizer_for(None) == Tokenizer("o200k_base")
    assert find_model("gpt-4o-mini").context_window == 128_000
    assert find_model("gpt-4ooo") is None


def test_the_beginning_of_a_text_within_a_limit():
    tokenizer = Tokenizer()
    text = "naïve 🙂 " * 100
    beginning = tokenizer.first(text, 50)
    assert text.startswith(beginning)
    assert tokenizer.count(beginning) <= 50 < tokenizer.count(text[: len(beginning) + 5])
    assert tokenizer.first("short", 50) == "short"


async def test_counting_long_texts_leaves_the_event_loop_free():
    texts = ["The quick brown fox 🙂 jumps. " * 2_000] * 10  # about 60 KB each
    threads: list[int] = []
    turns = 0

    class Noted(Tokenizer):
        def count(self, text: str) -> int:
            threads.append(threading.get_ident())
            return super().count(text)

    async def watch() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    watcher = asyncio.create_task(watch())
    counts = await Noted().count_all(texts)
    watcher.cancel()
    assert counts == [Tokenizer().count(texts[0])] * 10
    assert len(threads) == 10
    assert threading.get_ident() not in threads
    assert turns >= 10  # the loop went on while each was counted
