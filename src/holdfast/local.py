"""How the command line finds the service that runs on a data folder: a note in the folder, readable by its owner alone."""

import json
import os
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

NOTE = "service.json"


@dataclass(frozen=True, slots=True)
class LocalService:
    """Where the service of a data folder answers, and the key that its own command line uses."""

    url: str
    key: str
    pid: int


def note_service(data_dir: Path, service: LocalService) -> None:
    """Write the note, whole or not at all."""
    fresh = data_dir / f".{NOTE}.{os.getpid()}"
    fresh.touch(mode=0o600)
    fresh.write_text(json.dumps(asdict(service)))
    fresh.replace(data_dir / NOTE)


def find_service(data_dir: Path) -> LocalService | None:
    """What the note says; None where there is none. Whether the service still runs is for the asker to find out."""
    try:
        return LocalService(**json.loads((data_dir / NOTE).read_text()))
    except (FileNotFoundError, PermissionError, ValueError, TypeError):
        return None


def local_data_dir() -> Path:
    """The data folder, as settings.py finds it, without loading the server's settings."""
    given = os.environ.get("HOLDFAST_DATA_DIR")
    if given:
        return Path(given)
    from platformdirs import user_config_path, user_data_path

    file = Path(os.environ.get("HOLDFAST_CONFIG", user_config_path("holdfast") / "holdfast.toml"))
    try:
        configured = tomllib.loads(file.read_text()).get("data_dir")
    except (OSError, tomllib.TOMLDecodeError):
        configured = None
    return Path(configured) if configured else user_data_path("holdfast")
