"""A clock to turn, and places of one's own, for tests in process."""

import itertools
from datetime import UTC, datetime

import pytest

from holdfast.directory.workspaces import put_workspace
from holdfast.kernel import clock
from holdfast.kernel.caller import Caller

# In the future: the worker of the service under test goes by the system's clock, and would clear away what is past.
START = datetime(2100, 1, 1, tzinfo=UTC)
numbers = itertools.count()


class Time:
    """A clock that is turned by hand."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def time():
    source = Time()
    clock.set_source(source)
    yield source
    clock.set_source(None)


async def fresh_caller(org) -> Caller:
    """A caller in a workspace of its own."""
    name = f"w{next(numbers)}"
    await put_workspace(org.db, org.operator, name, None)
    return org.caller(workspace_id=name)
