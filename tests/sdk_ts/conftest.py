"""The TypeScript client, compiled once for all processes of a test run.

Node and the packages of sdk-ts/package-lock.json come from `make setup-dev`, where the machine has Node and npm. Without them
these tests are skipped with a word.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.docs.examples import ROOT

FOLDER = ROOT / "sdk-ts"
OLDEST_NODE = (20, 3)
TIMEOUT_S = 120
# The pages whose TypeScript examples are compiled and run.
PAGES = (FOLDER / "README.md", ROOT / "docs" / "typescript.md")

_fence = re.compile(r"^```ts\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Node:
    """Node, with the packages that the client is built with."""

    program: str

    def run(
        self, *arguments: str | Path, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> str:
        """What a script of the client's folder printed; an AssertionError with that, where it failed."""
        done = subprocess.run(
            [self.program, *map(str, arguments)],
            cwd=FOLDER,
            env={**os.environ, "NO_COLOR": "1", **(env or {})},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="session")
def node() -> Node:
    """Node and the packages; the test is skipped where they are missing."""
    program = _program()
    if program is None:
        pytest.skip(f"no Node {'.'.join(map(str, OLDEST_NODE))} or later on this machine")
    if not (FOLDER / "node_modules" / "typescript").is_dir():
        pytest.skip("the packages of sdk-ts/package-lock.json are not installed: npm ci in sdk-ts")
    return Node(program)


@pytest.fixture(scope="session")
def built(node: Node) -> Node:
    """Node, with the client, its tests and the examples of the pages compiled; a type error fails every test that needs it."""
    stamp = FOLDER / "build" / "stamp"
    stamp.parent.mkdir(exist_ok=True)
    with (FOLDER / "build" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        digest = _digest()
        if not stamp.exists() or stamp.read_text() != digest:
            write_examples(FOLDER / "test" / "examples")
            shutil.rmtree(FOLDER / "dist", ignore_errors=True)
            tsc = FOLDER / "node_modules" / "typescript" / "bin" / "tsc"
            node.run(tsc, "-p", "tsconfig.json")
            node.run(tsc, "-p", "tsconfig.test.json")
            stamp.write_text(digest)
    return node


@pytest.fixture
def run_built(built: Node, org: Any) -> Callable[..., str]:
    """Runs a compiled script with the service, as the service key of the test's org."""
    env = {"HOLDFAST_URL": org.url, "HOLDFAST_API_KEY": org.key}

    def run(*arguments: str | Path, stdin: str = "") -> str:
        return built.run(*arguments, env=env, stdin=stdin)

    return run


def write_examples(folder: Path) -> None:
    """Write the examples of each page as one module: a page may build on what it showed before."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for page in PAGES:
        blocks = _fence.findall(page.read_text())
        imports: dict[str, None] = {}
        code = []
        for block in blocks:
            for line in block.splitlines():
                if line.startswith("import "):
                    imports[line] = None
                else:
                    code.append(line)
        text = "\n".join([*imports, "", *code, "export {};", ""])
        (folder / f"{example_name(page)}.ts").write_text(text)


def example_name(page: Path) -> str:
    """The name of the module that holds a page's examples."""
    return f"{page.parent.name}-{page.stem}".lower()


def _program() -> str | None:
    """Node: of the environment, where a package brought it, else of the machine; None where it is missing or too old."""
    beside = Path(sys.executable).parent / "node"
    found = str(beside) if beside.exists() else shutil.which("node")
    if found is None:
        return None
    told = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=TIMEOUT_S)
    version = tuple(map(int, re.findall(r"\d+", told.stdout)[:2]))
    return found if version >= OLDEST_NODE else None


def _digest() -> str:
    """A digest of everything that the compiled files are made from."""
    made = hashlib.sha256()
    files = [FOLDER / "package-lock.json", *FOLDER.glob("tsconfig*.json"), *PAGES]
    for path in sorted([*files, *FOLDER.glob("src/**/*.ts"), *FOLDER.glob("test/*.ts")]):
        made.update(json.dumps([str(path), path.read_text()]).encode())
    return made.hexdigest()
