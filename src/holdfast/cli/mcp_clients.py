"""Where MCP clients keep their settings, and what these say to start `holdfast mcp`."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.kernel.errors import Invalid
from holdfast.settings import Settings

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


def entry_for(
    client: McpClient, settings: Settings, options: Mapping[str, str | None]
) -> dict[str, Any]:
    """How the client starts it. No secret goes in: it acts on the data folder, as the one who owns that."""
    command = shutil.which("holdfast")
    start = [command] if command is not None else [sys.executable, "-m", "holdfast"]
    given = [word for name, value in options.items() if value for word in (f"--{name}", value)]
    entry: dict[str, Any] = {"command": start[0], "args": [*start[1:], "mcp", *given]}
    entry["env"] = {"HOLDFAST_DATA_DIR": str(settings.data_dir.absolute())}
    return {"type": "stdio", **entry} if client.says_type else entry


def write_entry(client: McpClient, path: Path, entry: dict[str, Any]) -> None:
    """Put the entry into the settings file, whole or not at all; what else is in it stays, and a copy of it is kept."""
    present: Any = {}
    if path.exists():
        try:
            present = json.loads(path.read_text() or "{}")
        except ValueError:
            present = None
        if not isinstance(present, dict) or not isinstance(present.get(client.servers, {}), dict):
            raise Invalid(f"{path} is not plain JSON with {client.servers}; add the entry by hand")
        shutil.copy2(path, path.with_name(f"{path.name}.bak"))
    present.setdefault(client.servers, {})[NAME] = entry
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(json.dumps(present, indent=2) + "\n")
    fresh.replace(path)
