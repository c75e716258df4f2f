"""The command line as a shell has it."""

import json
import os

import pytest

from tests import forked


@pytest.fixture
def holdfast(service):
    """Runs `holdfast …` beside the running service: (exit code, what it printed, what it complained of)."""

    def run(*words, stdin=None, **env):
        env = {**os.environ, "HOLDFAST_DATA_DIR": service.data_dir, **env}
        done = forked.run(["-m", "holdfast", *words], input=stdin or "", env=env)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def holdfast_in_terminal(service):
    """Runs `holdfast …` on a terminal so many columns wide: (exit code, what it showed)."""

    def run(columns, *words, **env):
        env = {
            **os.environ,
            "HOLDFAST_DATA_DIR": service.data_dir,
            "TERM": "xterm-256color",
            **env,
        }
        env.pop("COLUMNS", None)
        return forked.run_in_terminal(columns, ["-m", "holdfast", *words], env=env)

    return run


@pytest.fixture
def holdfast_json(holdfast):
    """Runs a command that must succeed; what it printed, as JSON."""

    def run(*words, **options):
        code, out, err = holdfast(*words, **options)
        assert code == 0, err
        return json.loads(out)

    return run
