"""The core blocks as one text for the model: the same bytes for the same memory, so that provider caches keep hitting."""

import re
from hashlib import blake2b

# A `<` that a reader of tags would take for the start of one of ours, open or closed, in any case. Elsewhere it is a `<`.
_ours = re.compile(r"<(?=/?(?:user_memory|user_core|agent_core)(?:[\s/>]|\Z))", re.IGNORECASE)


def render(*, user_core: str = "", agent_core: str = "") -> str:
    """`<user_memory>` around what there is; "" where there is nothing. A text without an entry is nothing."""
    inside = [
        f"<{tag}>\n{_ours.sub('&lt;', text)}\n</{tag}>"
        for tag, text in (("user_core", user_core), ("agent_core", agent_core))
        if text.strip()
    ]
    return "\n".join(["<user_memory>", *inside, "</user_memory>"]) if inside else ""


def etag_of(content: str) -> str:
    """A digest that stays while the text does."""
    return blake2b(content.encode(), digest_size=16).hexdigest()
