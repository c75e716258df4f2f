"""Everything that can go wrong with the embedded engine.

EngineError
├── FolderInUse          another live process has this data folder
└── EngineStartFailed    Postgres would not start; carries the end of its log
"""

from pathlib import Path


class EngineError(Exception):
    """The engine cannot do what was asked; the message says what to do about it."""


class FolderInUse(EngineError):
    """Another live process has this data folder; `pid` is None when it has not said who it is."""

    def __init__(self, data_dir: Path, pid: int | None) -> None:
        holder = f"process {pid}" if pid else "another process"
        super().__init__(
            f"{data_dir} is in use by {holder}: stop it first, or choose another data folder"
        )
        self.data_dir = data_dir
        self.pid = pid


class EngineStartFailed(EngineError):
    """Postgres would not start; `log_tail` holds the last lines that it wrote."""

    def __init__(self, what: str, log_tail: str = "") -> None:
        super().__init__(f"{what}\n{log_tail}" if log_tail else what)
        self.log_tail = log_tail
