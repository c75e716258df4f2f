"""The command line as a shell has it."""

import json
import os
import subprocess
import sys

import pytest


@pytest.fixture
def holdfast(service):
    """Runs `holdfast …` beside the running service: (exit code, what it printed, what it complained of)."""

    def run(*words, stdin=None, **env):
        done = subprocess.run(
            [sys.executable, "-m", "holdfast", *words],
            env={**os.environ, "HOLDFAST_DATA_DIR": service.data_dir, **env},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def holdfast_json(holdfast):
    """Runs a command that must succeed; what it printed, as JSON."""

    def run(*words, **options):
        code, out, err = holdfast(*words, **options)
        assert code == 0, err
        return json.loads(out)

    return run
