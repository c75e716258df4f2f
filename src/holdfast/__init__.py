"""Holdfast: one memory service for AI agents.

from holdfast import Holdfast

with Holdfast() as memory:      # embedded: the whole service in this process, its data in the user's data folder
    memory.remember("Ana takes her tea green")
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.embedded.client import AsyncHoldfast, Holdfast

__version__ = "0.1.0"
__all__ = ["AsyncHoldfast", "Holdfast", "__version__"]


def __getattr__(name: str) -> Any:
    """Load the embedded instance when it is asked for: the command line does without it."""
    if name in ("AsyncHoldfast", "Holdfast"):
        from holdfast.embedded import client

        return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
