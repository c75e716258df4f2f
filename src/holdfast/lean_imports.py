"""What short processes do not load, though their libraries would.

httpx loads a command line of its own (click, rich, pygments) where it can, and httpcore loads trio: together as long as a whole
short command takes. Nothing here uses them.
"""

import sys

UNUSED = ("httpx._main", "trio")


def skip_unused() -> None:
    """Have imports of them fail, which both libraries expect; to be called before httpx is imported."""
    for name in UNUSED:
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # an import of None raises ImportError
