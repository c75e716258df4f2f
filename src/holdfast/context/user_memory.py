"""User memory: the core blocks as one text, the same bytes for the same memory, so that provider caches keep hitting."""

from hashlib import blake2b

from holdfast_client.context import rendering

render = rendering.user_memory


def etag_of(content: str) -> str:
    """A digest that stays while the text does."""
    return blake2b(content.encode(), digest_size=16).hexdigest()
