"""Through all the pages of a list, by the method that gives one of them.

for agent in iterate(client.directory.list_agents, limit=100): ...
async for agent in iterate_async(client.directory.list_agents, limit=100): ...
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Paged(Protocol[T]):
    """A page that knows how to go on."""

    @property
    def data(self) -> list[T]: ...

    def onward(self, asked: Mapping[str, Any]) -> dict[str, Any] | None:
        """What to ask for the page after this one; None at the end."""


PageT = TypeVar("PageT", bound=Paged[Any])


def pages(list_page: Callable[P, PageT], *args: P.args, **asked: P.kwargs) -> Iterator[PageT]:
    """Each page of a list, from the one asked for to the last in its direction."""
    onward: dict[str, Any] | None = dict(asked)
    while onward is not None:
        page = list_page(*args, **onward)
        yield page
        onward = page.onward(onward)


def iterate(list_page: Callable[P, Paged[T]], *args: P.args, **asked: P.kwargs) -> Iterator[T]:
    """Each item of a list, asking for further pages as they are needed."""
    for page in pages(list_page, *args, **asked):
        yield from page.data


async def pages_async(
    list_page: Callable[P, Awaitable[PageT]], *args: P.args, **asked: P.kwargs
) -> AsyncIterator[PageT]:
    """Each page of a list, from the one asked for to the last in its direction."""
    onward: dict[str, Any] | None = dict(asked)
    while onward is not None:
        page = await list_page(*args, **onward)
        yield page
        onward = page.onward(onward)


async def iterate_async(
    list_page: Callable[P, Awaitable[Paged[T]]], *args: P.args, **asked: P.kwargs
) -> AsyncIterator[T]:
    """Each item of a list, asking for further pages as they are needed."""
    async for page in pages_async(list_page, *args, **asked):
        for item in page.data:
            yield item
