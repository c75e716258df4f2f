"""The recall index of archival blocks: one passage per line, written in the transaction that writes the block.

A line is identified by its text, so a line that only moves is not indexed again and keeps the time it was added. The
same line twice in one archive is one passage.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Literal

from holdfast.blocks.lines import Line, entries_of
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.recall import passages
from holdfast.kernel.recall.model import Document
from holdfast.kernel.sql import load

queries = load(__file__)

# The place of a block that is the user's own; no agent has an empty name.
NO_AGENT = ""
KIND: Literal["block_line"] = "block_line"
EMBED_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class Archive:
    """An archival block with the time at which each of its lines was added."""

    id: str
    user_id: str
    agent_id: str | None
    content: str
    came_at: list[datetime]
    updated_at: Instant

    def lines(self) -> dict[str, Line]:
        """Each line by the name recall knows it by; of two with the same text, the first."""
        found: dict[str, Line] = {}
        for line in entries_of(self.content):
            found.setdefault(name_of(self.id, line.content), line)
        return found

    def documents(self) -> list[Document]:
        """Each line as recall indexes it."""
        came_at: dict[str, datetime] = {}
        for line, at in zip(entries_of(self.content), self.came_at, strict=True):
            came_at.setdefault(name_of(self.id, line.content), at)
        return [
            Document(
                kind=KIND,
                object_id=name,
                scope=scope_of(self.user_id, self.agent_id),
                body=line.content,
                at=came_at[name],
                updated_at=came_at[name],
            )
            for name, line in self.lines().items()
        ]


def scope_of(user_id: str, agent_id: str | None = None) -> str:
    """The scope of an archive's lines in the recall index. No id contains a slash, so scopes do not collide."""
    return f"block/user/{user_id}" if agent_id is None else f"block/agent/{agent_id}/{user_id}"


def name_of(block_id: str, line: str) -> str:
    """The id of a line in the recall index."""
    return f"{block_id}:{blake2b(line.encode(), digest_size=8).hexdigest()}"


def times_of(content: str, before: Archive | None, now: datetime) -> list[datetime]:
    """The time at which each line of a text was added; lines of the text before keep theirs."""
    known: dict[str, datetime] = {}
    if before is not None:
        for line, at in zip(entries_of(before.content), before.came_at, strict=True):
            known.setdefault(line.content, at)
    return [known.get(line.content, now) for line in entries_of(content)]


async def prefetch_embeddings(db: Database, after: Archive, before: Archive | None) -> None:
    """Start embedding new lines before the transaction that writes them."""
    lines = _new(after, before)
    for start in range(0, len(lines), EMBED_AT_ONCE):
        await passages.prefetch_embeddings(db, lines[start : start + EMBED_AT_ONCE])


async def reindex(tx: Tx, after: Archive | None, before: Archive | None) -> None:
    """Replace an archive's passages by those of its new text; None for an archive that is not there."""
    gone = set(before.lines() if before else ()) - set(after.lines() if after else ())
    await passages.drop(tx, KIND, sorted(gone))
    if after is not None:
        await passages.put(tx, _new(after, before))


async def read_documents(tx: Tx, names: Sequence[str]) -> list[Document]:
    """Lines by their index ids, without sight: for jobs that embed them again."""
    block_ids = sorted({name.partition(":")[0] for name in names})
    archives = await tx.all(Archive, queries.archives_by_id, ids=block_ids)
    wanted = set(names)
    return [each for a in archives for each in a.documents() if each.object_id in wanted]


def _new(after: Archive, before: Archive | None) -> list[Document]:
    known = before.lines() if before is not None and before.id == after.id else {}
    return [each for each in after.documents() if each.object_id not in known]
