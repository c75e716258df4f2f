"""An index of this test alone: an org, a caller, and short words for putting and asking."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.recall import passages, vectors
from holdfast.kernel.recall.model import Document, Found, Question
from holdfast.kernel.recall.search import search

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def document(object_id: str, body: str, **fields: Any) -> Document:
    given = {
        "kind": "memory",
        "scope": "memory/global:ana",
        "updated_at": NOW,
        "at": NOW,
    } | fields
    return Document(object_id=object_id, body=body, **given)


@dataclass
class Index:
    """One org's index."""

    db: Database
    caller: Caller
    put_ids: list[str] = field(default_factory=list)

    async def put(self, object_id: str, body: str, **fields: Any) -> None:
        documents = [document(object_id, body, **fields)]
        await passages.prefetch_embeddings(self.db, documents)
        async with self.db.begin(self.caller) as tx:
            await passages.put(tx, documents)

    async def drop(self, *object_ids: str) -> None:
        async with self.db.begin(self.caller) as tx:
            await passages.drop(tx, "memory", object_ids)

    async def found(self, text: str, **fields: Any) -> Found:
        given = {"scopes": ("memory/global:ana",), "kinds": ("memory",), "now": NOW} | fields
        return await search(self.db, self.caller, Question(text=text, **given))

    async def ask(self, text: str, **fields: Any) -> list[str]:
        return [hit.object_id for hit in (await self.found(text, **fields)).hits]


@pytest.fixture(scope="session")
async def embedding_db(service: Any) -> AsyncIterator[Database]:
    """A pool on the service's database that embeds with the bundled model."""
    database = Database(service.app_url, min_size=1, max_size=10, services=[Embedders("local")])
    await database.open()
    await vectors.start(database)
    yield database
    await database.close()


@pytest.fixture
async def index(embedding_db: Database, org: Any) -> Index:
    return Index(embedding_db, org.caller())


@pytest.fixture
async def other_index(embedding_db: Database, make_org: Any) -> Index:
    return Index(embedding_db, (await make_org()).caller())


@pytest.fixture
def embedded(owner_connection: Any, org: Any) -> Callable[[], list[str]]:
    """The objects of the org that have a vector."""

    def names() -> list[str]:
        rows = owner_connection.execute(
            "SELECT p.object_id FROM passages p JOIN passage_vectors v"
            " ON v.org_id = p.org_id AND v.passage_id = p.id WHERE p.org_id = %s ORDER BY 1",
            [org.id],
        ).fetchall()
        return [name for (name,) in rows]

    return names
