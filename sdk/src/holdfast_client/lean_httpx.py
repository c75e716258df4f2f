"""Imports httpx without its command line, which loads click, rich and pygments where they are installed.

That is a third of the time that importing httpx takes. `httpx.main` is then httpx's own notice that the command line is not
installed; `import httpx._main` still loads it. If the program has imported httpx before, nothing is changed.
"""

import sys

_COMMAND_LINE = "httpx._main"

if "httpx" in sys.modules or _COMMAND_LINE in sys.modules:
    import httpx
else:
    sys.modules[_COMMAND_LINE] = None  # type: ignore[assignment]  # an import of it raises ImportError
    try:
        import httpx
    finally:
        del sys.modules[_COMMAND_LINE]

__all__ = ["httpx"]
