"""Writes the two lock files, pinned with hashes, for every platform and Python at once.

requirements.lock      what `make serve` installs: the service, the client, the embedding model and what builds them
requirements-dev.lock  what `make test` and `make check` add to it, with the versions of the first file

Both are resolved from the pyproject files. Holdfast's own packages are left out (they are installed from this checkout). No
index address is written: pip uses the one it is configured with.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUN_TIME = ROOT / "requirements.lock"
DEVELOPMENT = ROOT / "requirements-dev.lock"
# Holdfast's own packages come from this checkout, and pip comes with Python.
LEFT_OUT = ("holdfast", "pip>")
# The peers and the large frameworks have their own environments; their dependencies must not affect these versions.
LEFT_OUT_GROUPS = {"bench-peers", "frameworks"}
# Training needs torch, which is larger than everything else together; the tests of a training step are skipped without it.
LEFT_OUT_EXTRAS = {"train", "crewai", "google-adk"}
# hatchling needs it to install a package from a checkout (`pip install -e`), as `make serve` does.
FROM_A_CHECKOUT = {"editables>=0.5"}
PROJECTS = ("pyproject.toml", "sdk/pyproject.toml", "minilm/pyproject.toml")


def requirements() -> tuple[list[str], list[str]]:
    """The run-time requirements of the projects, and those of development, without Holdfast's own packages."""
    run_time: set[str] = set(FROM_A_CHECKOUT)
    development: set[str] = set()
    for file in PROJECTS:
        project = tomllib.loads((ROOT / file).read_text())
        run_time.update(project["build-system"]["requires"])
        run_time.update(project["project"].get("dependencies", []))
        for name, extra in project["project"].get("optional-dependencies", {}).items():
            if name not in LEFT_OUT_EXTRAS:
                development.update(extra)
        for name, group in project.get("dependency-groups", {}).items():
            if name not in LEFT_OUT_GROUPS:
                development.update(group)
    return _ours_left_out(run_time), _ours_left_out(development - run_time)


def _ours_left_out(lines: set[str]) -> list[str]:
    return sorted(line for line in lines if not line.startswith(LEFT_OUT))


def resolve(lines: list[str], lock: Path, *options: str) -> None:
    """Resolve these requirements into a lock file."""
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", "compile", "-", "--universal", "--python-version", "3.11",
         "--generate-hashes", "--no-emit-index-url", "--no-annotate", "--quiet",
         "--custom-compile-command", "make lock", "--output-file", str(lock), *options],
        input="\n".join(lines),
        text=True,
        check=True,
        cwd=ROOT,
    )  # fmt: skip
    if "://" in lock.read_text():
        raise SystemExit(f"{lock.name} names an address; it may not")


def main() -> None:
    """Resolve and write both."""
    run_time, development = requirements()
    resolve(run_time, RUN_TIME)
    resolve(run_time + development, DEVELOPMENT, "--constraint", str(RUN_TIME))


main()
