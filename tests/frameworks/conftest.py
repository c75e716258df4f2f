"""Finds a Python that has a framework, and runs a script with it against the service, without a network.

The heavy frameworks are not among the packages of the tests: `make frameworks` installs them in `.venv-frameworks`. Where a
framework is neither there nor beside the tests, its tests are skipped.
"""

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
OWN_ENVIRONMENT = ROOT / ".venv-frameworks" / "bin" / "python"
TIMEOUT_S = 150
QUIET = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "MEM0_TELEMETRY": "False",
    "OTEL_SDK_DISABLED": "true",
    "LANGSMITH_TRACING": "false",
}


@functools.cache
def python_with(module: str) -> str:
    """A Python that can import the module; skips the test if there is none."""
    for python in (sys.executable, str(OWN_ENVIRONMENT)):
        if not Path(python).exists():
            continue
        look = f"import importlib.util as u, sys; sys.exit(u.find_spec({module!r}) is None)"
        if subprocess.run([python, "-c", look], capture_output=True, check=False).returncode == 0:
            return python
    pytest.skip(f"{module} is not installed: make frameworks")


@pytest.fixture
def run_script(org, tmp_path) -> Callable[[str, str], str]:
    """Runs a script of the repository with a framework; its output. Fails if it fails, or looks for the network."""

    def run(script: str, module: str) -> str:
        python = python_with(module)
        guarded = [str(Path(__file__).parent / "no_network"), str(ROOT / "sdk" / "src")]
        done = subprocess.run(
            [python, str(ROOT / script)],
            cwd=tmp_path,
            env={
                **os.environ,
                **QUIET,
                "HOME": str(tmp_path),
                "HOLDFAST_URL": org.url,
                "HOLDFAST_API_KEY": org.key,
                "PYTHONPATH": os.pathsep.join(guarded),
            },
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode == 0, f"{script} failed:\n{done.stdout}\n{done.stderr}"
        assert "NETWORK:" not in done.stderr, done.stderr
        return done.stdout

    return run
