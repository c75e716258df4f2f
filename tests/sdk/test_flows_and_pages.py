"""Operations of several calls, pages, names of a scope, and a client before it has sent anything: without a service."""

from dataclasses import dataclass
from typing import Any

import pytest

from holdfast_client import AsyncClient, Client, Scope
from holdfast_client.calls import get, nothing
from holdfast_client.client import DEFAULT_URL, FACES, find_server
from holdfast_client.errors import HoldfastError, NotFound
from holdfast_client.flows import run, run_async
from holdfast_client.paging import iterate, iterate_async, pages, pages_async
from holdfast_client.values import Page

FIRST, SECOND = get(Scope(), "/first", nothing), get(Scope(), "/second", nothing)


# --- flows -------------------------------------------------------------------------------------------------------------


class Service:
    """Answers a call with what stands for its path; an exception is raised."""

    def __init__(self, **answers: Any) -> None:
        self.answers, self.asked = answers, []

    def send(self, call: Any) -> Any:
        self.asked.append(call.path)
        answer = self.answers[call.path.removeprefix("/")]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def send_awaited(self, call: Any) -> Any:
        return self.send(call)


def found_or_second():
    try:
        return (yield FIRST)
    except NotFound as missing:
        return missing.code, (yield SECOND)


@pytest.fixture(params=["sync", "async"])
def done(request):
    """Runs a flow against answers, by either client's way."""

    async def do(flow: Any, **answers: Any) -> tuple[Any, list[str]]:
        service = Service(**answers)
        if request.param == "sync":
            return run(flow, service.send), service.asked
        return await run_async(flow, service.send_awaited), service.asked

    return do


async def test_a_flow_gets_the_values_of_its_calls(done):
    def both():
        return [(yield FIRST), (yield SECOND)]

    assert await done(both(), first=1, second=2) == ([1, 2], ["/first", "/second"])


async def test_an_error_is_raised_inside_the_flow_which_may_go_on(done):
    answer, asked = await done(found_or_second(), first=NotFound("gone"), second=2)
    assert (answer, asked) == (("not_found", 2), ["/first", "/second"])


async def test_an_error_that_a_flow_does_not_handle_is_the_callers(done):
    with pytest.raises(HoldfastError, match="broken"):
        await done(found_or_second(), first=HoldfastError("broken"))
    with pytest.raises(NotFound, match="also gone"):
        await done(found_or_second(), first=NotFound("gone"), second=NotFound("also gone"))


async def test_a_flow_without_a_call_is_its_value(done):
    def none():
        return 7
        yield FIRST

    assert await done(none()) == (7, [])


# --- pages -------------------------------------------------------------------------------------------------------------


@dataclass
class Numbers:
    """A list of numbers, newest (highest) first, in pages; it notes what it was asked for."""

    count: int
    asked: list[dict[str, Any]]

    def page(self, kind: str = "all", **asked: Any) -> Page[int]:
        self.asked.append({"kind": kind, **asked})
        limit = asked.get("limit", 3)
        if (before := asked.get("before_id")) is not None:
            above = list(range(int(before) + 1, self.count + 1))
            rows = above[:limit][::-1]
            more = len(above) > limit
        else:
            start = int(asked["after_id"]) - 1 if "after_id" in asked else self.count
            rows = list(range(start, max(0, start - limit), -1))
            more = start > limit
        ends = (str(rows[0]), str(rows[-1])) if rows else (None, None)
        return Page(rows, *ends, more)

    async def awaited(self, kind: str = "all", **asked: Any) -> Page[int]:
        return self.page(kind, **asked)


async def test_every_item_comes_once_and_the_filters_go_along():
    for count in (0, 1, 3, 4, 7):
        numbers = Numbers(count, [])
        expected = list(range(count, 0, -1))
        assert list(iterate(numbers.page, "odd", limit=3)) == expected
        assert {(each["kind"], each["limit"]) for each in numbers.asked} == {("odd", 3)}
        assert [each async for each in iterate_async(numbers.awaited, limit=3)] == expected


def test_a_page_is_asked_for_only_when_its_items_are_wanted():
    numbers = Numbers(9, [])
    wanted = iterate(numbers.page, limit=3)
    assert [next(wanted) for _ in range(3)] == [9, 8, 7]
    assert len(numbers.asked) == 1
    assert next(wanted) == 6
    assert numbers.asked[1]["after_id"] == "7"


async def test_pages_go_on_in_the_direction_that_was_asked_for():
    numbers = Numbers(7, [])
    assert [page.data for page in pages(numbers.page, before_id="2", limit=2)] == [
        [4, 3],
        [6, 5],
        [7],
    ]
    assert [each.get("before_id") for each in numbers.asked] == ["2", "4", "6"]
    down = [page.data async for page in pages_async(numbers.awaited, after_id="4", limit=2)]
    assert down == [[3, 2], [1]]


def test_an_error_on_the_way_comes_after_the_items_before_it():
    numbers = Numbers(5, [])

    def fails_at_the_second(**asked: Any) -> Page[int]:
        if "after_id" in asked:
            raise NotFound("the cursor is gone")
        return numbers.page(**asked)

    seen = []
    with pytest.raises(NotFound):
        for number in iterate(fails_at_the_second, limit=3):
            seen.append(number)
    assert seen == [5, 4, 3]


# --- names -------------------------------------------------------------------------------------------------------------


def test_names_of_a_scope_are_kept_until_others_are_given():
    scope = Scope(user="ana", session="s1").narrowed(agent="bot", user=None)
    assert scope == Scope(user="ana", agent="bot", session="s1")
    assert scope.narrowed(user="bob").user == "bob"
    assert scope.headers == {"Holdfast-User": "ana"}
    assert Scope().headers == {}


def test_a_call_names_its_place_or_has_the_scopes():
    scope = Scope(agent="bot", project="plan")
    assert scope.place() == {"agent_id": "bot", "project_id": "plan", "session_id": None}
    assert scope.place({"agent_id": "other", "session_id": "s"}) == {
        "agent_id": "other",
        "project_id": "plan",
        "session_id": "s",
    }


def test_a_name_that_is_needed_and_missing_is_asked_for():
    assert Scope(agent="bot").must_agent() == "bot"
    assert Scope(agent="bot").must_agent("other") == "other"
    assert Scope(session="s").must_session() == "s"
    with pytest.raises(ValueError, match=r"name an agent: client\.scope\(agent=…\)"):
        Scope().must_agent()
    with pytest.raises(ValueError, match=r"name a session: client\.scope\(session=…\)"):
        Scope().must_session()


# --- a client ----------------------------------------------------------------------------------------------------------


def test_a_server_is_named_by_arguments_then_by_the_environment(monkeypatch):
    monkeypatch.delenv("HOLDFAST_URL", raising=False)
    monkeypatch.setenv("HOLDFAST_API_KEY", "hf_live_env")
    assert (find_server(None, None).url, find_server(None, None).key) == (
        DEFAULT_URL,
        "hf_live_env",
    )
    monkeypatch.setenv("HOLDFAST_URL", "https://memory.example/")
    assert find_server(None, "mine").url == "https://memory.example"
    assert find_server("http://other/base//", "mine").url == "http://other/base"
    for url in ("memory.example", "ftp://memory.example", "//memory.example"):
        with pytest.raises(ValueError, match="looks like http://127"):
            find_server(url, "mine")
    monkeypatch.setenv("HOLDFAST_API_KEY", "")
    with pytest.raises(ValueError, match="set HOLDFAST_API_KEY"):
        find_server("http://other", None)


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_client_shows_its_faces_and_not_its_key(kind):
    client = kind("http://127.0.0.1:9", "hf_live_secret").scope(user="ana")
    assert set(FACES) <= set(dir(client))
    assert "hf_live_secret" not in repr(client) + repr(vars(client)["_sender"].server)
    assert "ana" in repr(client)
    assert client.memories is client.memories  # made once
    assert client.scope(user="bob").memories is not client.memories
    with pytest.raises(
        AttributeError, match=rf"'{kind.__name__}' object has no attribute 'memory'"
    ):
        _ = client.memory


async def test_a_scoped_client_leaves_the_connections_open():
    class Connections:
        closed = 0

        def close(self):
            self.closed += 1

        async def aclose(self):
            self.closed += 1

    own = Connections()
    with Client("http://127.0.0.1:9", "k", http=own):
        pass
    async with AsyncClient("http://127.0.0.1:9", "k", http=own):
        pass
    assert own.closed == 0  # whoever made them closes them
    made, awaited = Client("http://127.0.0.1:9", "k"), AsyncClient("http://127.0.0.1:9", "k")
    made.scope(user="ana").close()
    await awaited.scope(user="ana").close()
    assert not made._sender._http.is_closed
    assert not awaited._sender._http.is_closed
    made.close()
    await awaited.close()
    assert made._sender._http.is_closed
    assert awaited._sender._http.is_closed
