"""Search a user's archives, line by line."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from holdfast.blocks.archive import KIND, NO_AGENT, Archive, scope_of
from holdfast.blocks.lines import entries_of
from holdfast.blocks.model import MAX_QUERY_CHARS, RecalledLine
from holdfast.kernel import limits
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.places import enter_agent
from holdfast.kernel.recall.answer import Ask, Thing, View, answer
from holdfast.kernel.recall.search import Understood, begin
from holdfast.kernel.sql import load

queries = load(__file__)


async def recall_lines(
    db: Database,
    caller: Caller,
    query: str,
    *,
    agent_id: str | None,
    limit: int,
    min_score: float | None = None,
) -> list[RecalledLine]:
    """The lines that a query finds, best first: of the user's archive, and of that with an agent where one is named.

    An empty query lists the lines from the top.
    """
    limits.at_most_chars(query, MAX_QUERY_CHARS, what="the query")
    caller.must_be_user()
    if agent_id is not None:
        async with db.read(caller) as tx:
            await enter_agent(tx, caller, agent_id, to_write=False)
    if query.strip():
        return await find_lines(
            db, caller, query, agent_id=agent_id, limit=limit, min_score=min_score
        )
    archives = await read_archives(db, caller, agent_id)
    return [
        as_recalled(archive, line.content, line.number, None)
        for archive in archives
        for line in entries_of(archive.content)
    ][:limit]


async def find_lines(
    db: Database,
    caller: Caller,
    query: str,
    *,
    agent_id: str | None,
    limit: int,
    min_score: float | None,
) -> list[RecalledLine]:
    """`recall_lines` for a query that says something, by a caller that was let in."""
    scopes = scopes_of(caller, agent_id)
    async with db.together(caller):
        archives, begun = await asyncio.gather(
            read_archives(db, caller, agent_id), begin(db, caller, query, scopes)
        )
    ask = Ask(query=query, limit=limit, min_score=min_score)
    return await search_archives(db, caller, ask, archives, View(scopes, {}, begun=begun))


def scopes_of(caller: Caller, agent_id: str | None) -> tuple[str, ...]:
    """Where the lines of the user's archive lie, and of that with an agent where one is named."""
    user_id = caller.must_be_user()
    own = scope_of(user_id)
    return (own,) if agent_id is None else (own, scope_of(user_id, agent_id))


async def search_archives(
    db: Database,
    caller: Caller,
    ask: Ask,
    archives: Sequence[Archive],
    view: View,
    asked: Understood | None = None,
) -> list[RecalledLine]:
    """The lines that a query finds, best first. Archives are small: they were read whole, by whoever made the view."""
    lines = {name: line for archive in archives for name, line in as_things(archive).items()}

    async def read(names: Sequence[str]) -> Mapping[str, Thing]:
        return {name: lines[name] for name in names if name in lines}

    found = await answer(db, caller, ask, [replace(view, readers={KIND: read})], asked)
    return [replace(each.object, score=each.score) for each in found.data]


def as_things(archive: Archive) -> dict[str, Thing]:
    """The lines of an archive by their names, as a recall shows them."""
    return {
        name: Thing(line.content, as_recalled(archive, line.content, line.number, None))
        for name, line in archive.lines().items()
    }


async def read_archives(db: Database, caller: Caller, agent_id: str | None) -> list[Archive]:
    """The user's archive, and that with an agent where one is named."""
    return await db.all(
        caller,
        Archive,
        queries.read_archives,
        user_id=caller.must_be_user(),
        places=[NO_AGENT, agent_id or NO_AGENT],
        workspace_id=caller.workspace_id,
    )


def as_recalled(archive: Archive, content: str, number: int, score: float | None) -> RecalledLine:
    """A line of an archive, as a recall shows it."""
    return RecalledLine(
        content=content,
        score=score,
        block_type="archival",
        scope="user" if archive.agent_id is None else "agent",
        agent_id=archive.agent_id,
        line_number=number,
        updated_at=archive.updated_at,
    )
