"""The examples of a page, and the sessions they run in.

A block marked `bash` or `python` is run; `text`, `console`, `json` and others are only read. The blocks of a page run in
order: the bash ones in one shell (`set -euo pipefail`), the Python ones in one namespace, so that a page may build on
what it showed before. A `curl` that is refused (4xx, 5xx) fails its example; one that means to be refused says `|| true`.
"""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import forked, forked_command

ROOT = Path(__file__).parent.parent.parent
PAGE_TIMEOUT_S = 180
DONE = "=== the example is done ==="

_fence = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A block of a page: in which language, from which line."""

    page: str
    language: str
    line: int
    code: str


def pages() -> list[Path]:
    """Every page that may hold examples."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "sdk" / "README.md"]


def examples_in(text: str, page: str = "page.md") -> list[Example]:
    """The blocks of a page that are run, in order."""
    return [
        Example(page, block[1], text.count("\n", 0, block.start(2)) + 1, block[2])
        for block in _fence.finditer(text)
        if block[1] in SESSIONS
    ]


# Reads the names of files, runs each, and says when it is done. A failure ends the session.
_BASH = r"""
set -euo pipefail
curl() {
    local word  # an example that asks to fail by itself (-f, -sf) does: curl takes only one way of it
    for word in "$@"; do
        case "$word" in --fail* | -f* | -[a-zA-Z]*f*) command curl "$@"; return ;; esac
    done
    command curl --fail-with-body "$@"
}
while IFS= read -r file <&3; do
    source "$file" </dev/null
    printf '\n%s\n' "$DONE"
done
"""
_PYTHON = r"""
import os, sys
namespace = {"__name__": "__main__"}
for line in os.fdopen(3):
    name, first, page = line.rstrip("\n").split("\t")
    code = "\n" * (int(first) - 1) + open(name).read()  # so that a traceback names the page's own lines
    exec(compile(code, page, "exec"), namespace)
    print("\n" + os.environ["DONE"], flush=True)
"""
SESSIONS = {"bash": ["bash", "-c", _BASH], "python": [sys.executable, "-u", "-c", _PYTHON]}


class ExampleFailed(AssertionError):
    """An example of a page does not do what the page says."""


class Session:
    """One shell, or one Python namespace, for the examples of a page."""

    def __init__(self, language: str, folder: Path, env: Mapping[str, str]) -> None:
        self._language, self._folder = language, folder
        reading, writing = os.pipe()
        self._orders = os.fdopen(writing, "w")
        self._process = subprocess.Popen(
            ["bash", "-c", 'exec 3<&"$1" "${@:2}"', "-", str(reading), *SESSIONS[language]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
            pass_fds=[reading],
            env={**os.environ, **env, "DONE": DONE},
        )
        os.close(reading)
        self._watchdog = threading.Timer(PAGE_TIMEOUT_S, self._process.kill)
        self._watchdog.start()

    def run(self, example: Example) -> str:
        """What an example printed; ExampleFailed, with that, where it failed."""
        file = self._folder / f".example-{example.line}"
        file.write_text(example.code)
        order = [str(file)]
        if self._language == "python":
            order += [str(example.line), example.page]
        self._orders.write("\t".join(order) + "\n")
        self._orders.flush()
        assert self._process.stdout is not None
        printed = []
        for line in self._process.stdout:
            if line.rstrip("\n") == DONE:
                return "".join(printed).strip()
            printed.append(line)
        raise ExampleFailed(
            f"{example.page}:{example.line}: this {example.language} example failed:\n"
            f"{example.code}\n--- it said:\n{''.join(printed)}"
        )

    def close(self) -> None:
        """End the session."""
        self._watchdog.cancel()
        self._orders.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process.wait(10)


def run_page(examples: list[Example], folder: Path, env: Mapping[str, str]) -> list[str]:
    """Run the examples of a page in order; what each printed."""
    sessions: dict[str, Session] = {}
    try:
        outputs = []
        for example in examples:
            if example.language not in sessions:
                sessions[example.language] = Session(example.language, folder, env)
            outputs.append(sessions[example.language].run(example))
        return outputs
    finally:
        for session in sessions.values():
            session.close()


def forking_command(folder: Path) -> Path:
    """A folder for the path, in which `holdfast` is forked from a process that has loaded it."""
    forked.loaded()
    program = folder / "bin" / "holdfast"
    program.parent.mkdir()
    code = f'exec "{sys.executable}" -I -S "{forked_command.__file__}" -m holdfast "$@"'
    program.write_text(f"#!/bin/sh\n{code}\n")
    program.chmod(0o755)
    return program.parent


def environment(org: Any, service: Any) -> dict[str, str]:
    """What a reader has set who follows the pages: the server, a key, and the commands on the path."""
    return {
        "HOLDFAST_URL": service.url,
        "HOLDFAST_API_KEY": org.key,
        "HOLDFAST_DATA_DIR": service.data_dir,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
    }
