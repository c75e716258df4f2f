"""Writes requirements.lock: everything the service, the client, the tests and the checks need, pinned with hashes.

It reads the three pyproject files, leaves out our own packages (they are installed from this checkout) and has uv resolve
for every platform and Python at once. No index address is written: pip uses whichever it is configured with.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Our own packages come from this checkout, and pip comes with Python.
LEFT_OUT = ("holdfast", "pip>")
# The peers have an environment of their own; their dependencies must not decide over ours.
LEFT_OUT_GROUPS = {"bench-peers"}
PROJECTS = ("pyproject.toml", "sdk/pyproject.toml", "minilm/pyproject.toml")


def requirements() -> list[str]:
    """What the projects ask for, without our own packages."""
    found: set[str] = set()
    for file in PROJECTS:
        path = ROOT / file
        if not path.exists():
            continue
        project = tomllib.loads(path.read_text())
        found.update(project["build-system"]["requires"])
        found.update(project["project"].get("dependencies", []))
        for extra in project["project"].get("optional-dependencies", {}).values():
            found.update(extra)
        for name, group in project.get("dependency-groups", {}).items():
            if name not in LEFT_OUT_GROUPS:
                found.update(group)
    return sorted(line for line in found if not line.startswith(LEFT_OUT))


def main() -> None:
    """Resolve and write."""
    lock = ROOT / "requirements.lock"
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", "compile", "-", "--universal", "--python-version", "3.11",
         "--generate-hashes", "--no-emit-index-url", "--no-annotate", "--quiet",
         "--custom-compile-command", "make lock", "--output-file", str(lock)],
        input="\n".join(requirements()),
        text=True,
        check=True,
        cwd=ROOT,
    )  # fmt: skip
    if "://" in lock.read_text():
        raise SystemExit("requirements.lock names an address; it may not")


main()
