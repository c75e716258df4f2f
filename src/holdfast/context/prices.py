"""What entries cost in tokens, remembered: a version of an entry never changes, and counting a thousand takes a while."""

from collections.abc import Sequence

from holdfast.entries.model import Entry
from holdfast.kernel.tokens import Tokenizer
from holdfast_client.context import rendering

MAX_REMEMBERED = 100_000

_known: dict[tuple[str, str, int], int] = {}


async def price_entries(tokenizer: Tokenizer, entries: Sequence[Entry]) -> list[int]:
    """The tokens of each entry as it is rendered."""
    names = [(tokenizer.encoding, each.id, each.version) for each in entries]
    unknown = [i for i, name in enumerate(names) if name not in _known]
    texts = [rendering.entry(entries[i].key, entries[i].content) for i in unknown]
    counted = {names[i]: n for i, n in zip(unknown, await tokenizer.count_all(texts), strict=True)}
    prices = [_known[name] if name in _known else counted[name] for name in names]
    if len(_known) + len(counted) > MAX_REMEMBERED:
        _known.clear()
    _known.update(counted)
    return prices
