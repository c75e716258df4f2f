"""Nothing that is loaded reports, looks up or writes anything outside the data folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def _in_a_namespace() -> list[str]:
    """The command's beginning that takes the network away; skips where the system does not allow it."""
    mine = ["unshare", "--net"]
    if os.geteuid() != 0:
        mine += ["--map-current-user", "--keep-caps"]
    try:
        tried = subprocess.run([*mine, "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no unshare on this machine")
    if tried.returncode != 0:
        pytest.skip(f"network namespaces are not allowed here: {tried.stderr.strip()}")
    return mine


def test_serve_mcp_and_the_client_touch_nothing_outside(data_dir):
    scratch = data_dir.parent
    folders = {name: scratch / name for name in ("home", "tmp", "work")}
    for folder in folders.values():
        folder.mkdir()
        folder.chmod(0o777)
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("XDG_", "HOLDFAST_", "ORT_"))
    }
    env |= {
        "HOME": str(folders["home"]),
        "TMPDIR": str(folders["tmp"]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), env.get("PYTHONPATH", "")]),
    }
    ran = subprocess.run(
        [*_in_a_namespace(), sys.executable, "-m", "tests.offline.probe", str(data_dir)],
        cwd=folders["work"],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert json.loads(ran.stdout.splitlines()[-1]) == {
        "by_client": True,
        "by_mcp": True,
        "attempts": 0,
        "seen": True,
    }
    left = {
        str(path.relative_to(scratch))
        for folder in folders.values()
        for path in folder.rglob("*")
        if not path.is_dir()
    }
    assert left == set()
