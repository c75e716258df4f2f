"""Where MCP clients keep their settings, and what these say to start `holdfast mcp`."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_IMODE
from typing import Any

from holdfast.cli.exits import CommandError

NAME = "holdfast"


def _of_the_user(*parts: str) -> Callable[[Path], Path]:
    return lambda _: Path.home().joinpath(*parts)


def _of_the_project(*parts: str) -> Callable[[Path], Path]:
    return lambda project: project.joinpath(*parts)


def _claude_desktop(_: Path) -> Path:
    match sys.platform:
        case "darwin":
            folder = Path.home() / "Library" / "Application Support" / "Claude"
        case "win32":
            folder = Path(os.environ.get("APPDATA", Path.home())) / "Claude"
        case _:
            folder = Path(os.environ.get("XDG_CONFIG_HOME", Path.home() / ".config")) / "Claude"
    return folder / "claude_desktop_config.json"


@dataclass(frozen=True, slots=True)
class McpClient:
    """One client: its settings file, and the name under which it keeps its servers."""

    settings_file: Callable[[Path], Path]
    servers: str = "mcpServers"
    says_type: bool = False

    def render(self, entry: dict[str, Any]) -> str:
        """The settings with this entry alone."""
        return json.dumps({self.servers: {NAME: entry}}, indent=2)


CLIENTS: dict[str, McpClient] = {
    "claude-desktop": McpClient(_claude_desktop),
    "claude-code": McpClient(_of_the_project(".mcp.json"), says_type=True),
    "cursor": McpClient(_of_the_user(".cursor", "mcp.json")),
    "vscode": McpClient(_of_the_project(".vscode", "mcp.json"), servers="servers", says_type=True),
    "windsurf": McpClient(_of_the_user(".codeium", "windsurf", "mcp_config.json")),
    "gemini-cli": McpClient(_of_the_user(".gemini", "settings.json")),
}


@dataclass(frozen=True, slots=True)
class Target:
    """What the started command acts on: a service by its URL and key, a database by its URL, or a data folder."""

    data_dir: Path
    url: str | None = None
    api_key: str | None = None
    database_url: str | None = None
    migration_url: str | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that say so. Secrets go here, not into the arguments, which every user of the machine can read."""
        if self.url is not None:
            named = {"HOLDFAST_URL": self.url, "HOLDFAST_API_KEY": self.api_key}
        else:
            named = {
                "HOLDFAST_DATA_DIR": str(self.data_dir.absolute()),
                "HOLDFAST_DATABASE_URL": self.database_url,
                "HOLDFAST_MIGRATION_URL": self.migration_url,
            }
        return {name: value for name, value in named.items() if value is not None}

    @property
    def has_secret(self) -> bool:
        """Whether the variables hold a key, or a URL that may hold a password."""
        return self.url is not None or self.database_url is not None


def entry_for(
    client: McpClient, target: Target, options: Mapping[str, str | None]
) -> dict[str, Any]:
    """How the client starts it."""
    command = shutil.which("holdfast")
    start = [command] if command is not None else [sys.executable, "-m", "holdfast"]
    given = [word for name, value in options.items() if value for word in (f"--{name}", value)]
    entry: dict[str, Any] = {"command": start[0], "args": [*start[1:], "mcp", *given]}
    entry["env"] = target.environment
    return {"type": "stdio", **entry} if client.says_type else entry


def write_entry(client: McpClient, path: Path, entry: dict[str, Any], *, secret: bool) -> None:
    """Put the entry into the settings file, whole or not at all; what else is in it stays.

    A copy of the file as it was before the first time is kept. A link stays a link: the file it leads to is written. The
    file keeps its mode and owner; with a secret in it, it becomes readable by its owner alone.
    """
    present: Any = {}
    if path.exists():
        try:
            present = json.loads(path.read_text() or "{}")
        except ValueError:
            present = None
        if not isinstance(present, dict) or not isinstance(present.get(client.servers, {}), dict):
            raise CommandError(
                f"{path} is not plain JSON with {client.servers}; add the entry by hand"
            )
        keep_first_backup(path)
    present.setdefault(client.servers, {})[NAME] = entry
    replace_file(path.resolve(), json.dumps(present, indent=2) + "\n", secret=secret)


def keep_first_backup(path: Path) -> None:
    """Keep a copy of a file as it was before the first change of ours."""
    backup = path.with_name(f"{path.name}.bak")
    if not backup.exists() and not backup.is_symlink():
        shutil.copy2(path, backup)


def replace_file(path: Path, text: str, *, secret: bool) -> None:
    """Write the file beside itself and move it into place, with the mode and the owner of the one it replaces."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.stat() if path.exists() else None
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    if before is not None and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(PermissionError):
            os.chown(fresh, before.st_uid, before.st_gid)
    if not secret:
        fresh.chmod(0o666 & ~_umask() if before is None else S_IMODE(before.st_mode))
    fresh.replace(path)


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
