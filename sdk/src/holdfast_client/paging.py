"""Iterate over all pages of a list, given the method that returns one page.

for agent in iterate(client.directory.list_agents, limit=100): ...
async for agent in iterate_async(client.directory.list_agents, limit=100): ...
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Paged(Protocol[T]):
    """A page of a list that can tell the arguments of the next page."""

    @property
    def data(self) -> list[T]: ...

    def onward(self, asked: Mapping[str, Any]) -> dict[str, Any] | None:
        """The arguments that request the next page; None at the end."""


PageT = TypeVar("PageT", bound=Paged[Any])


def pages(list_page: Callable[P, PageT], *args: P.args, **asked: P.kwargs) -> Iterator[PageT]:
    """Yield each page, from the requested one to the last in its direction."""
    onward: dict[str, Any] | None = dict(asked)
    while onward is not None:
        page = list_page(*args, **onward)
        yield page
        onward = page.onward(onward)


def iterate(list_page: Callable[P, Paged[T]], *args: P.args, **asked: P.kwargs) -> Iterator[T]:
    """Yield each item of a list; further pages are requested as they are needed."""
    for page in pages(list_page, *args, **asked):
        yield from page.data


async def pages_async(
    list_page: Callable[P, Awaitable[PageT]], *args: P.args, **asked: P.kwargs
) -> AsyncIterator[PageT]:
    """Yield each page, from the requested one to the last in its direction."""
    onward: dict[str, Any] | None = dict(asked)
    while onward is not None:
        page = await list_page(*args, **onward)
        yield page
        onward = page.onward(onward)


async def iterate_async(
    list_page: Callable[P, Awaitable[Paged[T]]], *args: P.args, **asked: P.kwargs
) -> AsyncIterator[T]:
    """Yield each item of a list; further pages are requested as they are needed."""
    async for page in pages_async(list_page, *args, **asked):
        for item in page.data:
            yield item
