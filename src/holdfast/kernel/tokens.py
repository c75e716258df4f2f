"""How many tokens a text is, as o200k_base counts them; the vocabulary comes with the package, nothing is downloaded."""

from functools import cache

from bpe_openai import Encoding, get_encoding


@cache
def _encoding() -> Encoding:
    return get_encoding("o200k_base")


def count(text: str) -> int:
    """The number of tokens of a text."""
    return len(_encoding().encode_ordinary(text))
