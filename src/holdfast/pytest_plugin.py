"""Fixtures for tests of programs that use Holdfast. In a conftest.py:

    pytest_plugins = ["holdfast.pytest_plugin"]

holdfast        a client of an embedded service, in an org of the test's own: empty at its start
"""

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from holdfast.embedded.client import Holdfast

STOPPED_WITHIN_S = 30.0


@pytest.fixture(scope="session")
def holdfast_service() -> "Iterator[Holdfast]":
    """An embedded service in a temporary folder, for the whole run; its Postgres is stopped before the folder is removed."""
    from holdfast.embedded.client import Holdfast
    from holdfast.embedded.locks import keeper_lives

    with TemporaryDirectory(prefix="holdfast-pytest-", ignore_cleanup_errors=True) as folder:
        # As root, Postgres runs under another account, which must be able to enter.
        Path(folder).chmod(0o711)
        data_dir = Path(folder) / "data"
        with Holdfast(data_dir) as service:
            yield service
        deadline = time.monotonic() + STOPPED_WITHIN_S
        while keeper_lives(data_dir) and time.monotonic() < deadline:
            time.sleep(0.02)


@pytest.fixture
def holdfast(holdfast_service: "Holdfast", request: pytest.FixtureRequest) -> "Holdfast":
    """A client of an org of its own, with the org's service key."""
    return holdfast_service.new_org(request.node.name)
