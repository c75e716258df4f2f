"""Questions that ask for a suggestion ("any tips?", "can you recommend …"): what the asker likes answers them, in other words."""

import re

_ASKS = re.compile(
    r"\b(?:suggest(?:ions?|ed)?|recommend(?:ations?|ed)?|advice|advise|tips?|ideas?|(?:what|which|where|how)\b[^.?!]{0,40}\bshould i)\b",
    re.IGNORECASE,
)

PREFERENCES = "like | love | prefer | enjoy | favorite | favourite | hate | dislike"
"""The words that state a preference, as a text search query."""


def preferences_wanted(query: str) -> str | None:
    """The words to look for beside those of a query that asks for a suggestion; None for others."""
    return PREFERENCES if _ASKS.search(query) else None
