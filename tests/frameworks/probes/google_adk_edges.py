"""HoldfastMemoryService at its edges: what is added twice, deleted, foreign, long or empty."""

import asyncio

from google.adk.events.event import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai.types import Content, FunctionCall, Part

from holdfast_client import Client
from holdfast_client.google_adk import HoldfastMemoryService


def event(text: str, author: str = "user", **fields) -> Event:
    return Event(author=author, content=Content(role=author, parts=[Part(text=text)]), **fields)


def session(*events: Event, app: str = "tea", user: str = "ana", name: str = "s1") -> Session:
    return Session(id=name, app_name=app, user_id=user, events=list(events))


async def texts(service, query: str, app: str = "tea", user: str = "ana") -> list[str]:
    found = await service.search_memory(app_name=app, user_id=user, query=query)
    return [memory.content.parts[0].text for memory in found.memories]


async def check(client) -> None:
    service = HoldfastMemoryService(client)
    assert await texts(service, "tea") == []
    first = event("I take my tea green", timestamp=1_700_000_000.5)
    call = Event(
        author="bot",
        content=Content(parts=[Part(function_call=FunctionCall(name="look", args={}))]),
    )
    await service.add_session_to_memory(session(first, call, Event(author="bot")))
    await service.add_session_to_memory(session(first, event("Green tea is in stock", "bot")))
    assert sorted(await texts(service, "green tea")) == [
        "Green tea is in stock",
        "I take my tea green",
    ]
    answer = await service.search_memory(app_name="tea", user_id="ana", query="how do I take tea?")
    [mine] = [memory for memory in answer.memories if memory.author == "user"]
    assert (mine.content.role, mine.timestamp) == ("user", "2023-11-14T22:13:20.500000+00:00")

    # Neither another app nor another user sees it, also where the session has the same id.
    other = session(event("Bob takes tea black"), user="bob")
    await service.add_session_to_memory(other)
    await service.add_session_to_memory(session(event("Weather in tea gardens"), app="weather"))
    assert await texts(service, "tea", user="bob") == ["Bob takes tea black"]
    assert await texts(service, "tea", app="weather") == ["Weather in tea gardens"]
    everywhere = HoldfastMemoryService(client, all_apps=True)
    assert len(await texts(everywhere, "tea", app="weather")) == 3

    # A deleted memory does not come back with its session; one of another app is not deleted.
    await service.delete_memory(app_name="weather", user_id="ana", memory_id=mine.id)
    assert len(await texts(service, "tea")) == 2
    for _ in range(2):
        await service.delete_memory(app_name="tea", user_id="ana", memory_id=mine.id)
    await service.add_session_to_memory(session(first))
    assert await texts(service, "tea") == ["Green tea is in stock"]

    # Single events, and texts of the caller's own.
    later = event("Sugar makes me ill")
    for _ in range(2):
        await service.add_events_to_memory(
            app_name="tea", user_id="ana", events=[later], custom_metadata={"ttl": "6000s"}
        )
    assert [text for text in await texts(service, "sugar") if "ill" in text] == [
        "Sugar makes me ill"
    ]
    fact = MemoryEntry(content=Content(parts=[Part(text="Ana's cup holds 300 ml")]), author="crm")
    for _ in range(2):
        await service.add_memory(app_name="tea", user_id="ana", memories=[fact])
    cups = await texts(service, "how large is the cup?")
    assert [text for text in cups if "cup" in text] == ["Ana's cup holds 300 ml"]
    assert await texts(service, "  ") == []

    # A long text is kept whole; names that Holdfast's ids do not take are no obstacle.
    odd = session(event("x" * 9000 + " caravan"), app="Tee & Söhne", name="a/b c")
    await service.add_session_to_memory(odd)
    [tail] = [text for text in await texts(service, "caravan", "Tee & Söhne") if "caravan" in text]
    assert len(tail) == 1008


async def main() -> None:
    with Client() as client:
        await check(client)


asyncio.run(main())
print("ok")
