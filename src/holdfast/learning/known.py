"""What memory holds that a candidate could be the same as, or replace: blocks whole, rows as recall finds them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from holdfast.blocks.model import BlockType
from holdfast.entries.model import Entry
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import NotFound
from holdfast.kernel.recall.answer import Ask
from holdfast.kernel.recall.model import MAX_QUERY_CHARS
from holdfast.kernel.sql import load
from holdfast.learning.block_edits import BlockEdits, EditedBlock
from holdfast.learning.facts import Fact, Facts, Held, known_as
from holdfast.learning.proposal import Draft
from holdfast.memories import rows
from holdfast.memories.graph.recall import RecalledItem
from holdfast.memories.model import Memory
from holdfast.memories.model import Place as MemoryPlace
from holdfast.unified_recall import recall
from holdfast.unified_recall.reading import read_whole

queries = load(__file__)

COMPARED = 20
"""How many rows recall gives to compare a candidate with."""
LINES: tuple[BlockType, ...] = ("core", "archival")


@dataclass(frozen=True, slots=True)
class _EditedAt:
    object_id: str
    at: datetime


class Knowledge:
    """Reads what is held, for one run."""

    def __init__(
        self, db: Database, tx: Tx, caller: Caller, facts: Facts, blocks: BlockEdits
    ) -> None:
        self._db = db
        self._tx = tx
        self._caller = caller
        self._facts = facts
        self._blocks = blocks
        self._edited: dict[str, datetime] = {}

    async def around(self, draft: Draft) -> list[Held]:
        """What a draft is to be compared with, the oldest first; not what was learned from the same message."""
        found = [*await self.lines(), *await self._recalled(draft), *await self._in_slot(draft)]
        return list({held.known.id: held for held in found}.values())

    async def lines(self) -> list[Held]:
        """Every line of the user's blocks, and of those with the agent."""
        if self._caller.user_id is None:
            return []
        agents = [None] if self._caller.agent_id is None else [None, self._caller.agent_id]
        blocks = [await self._blocks.read(each, kind) for each in agents for kind in LINES]
        edited = await self._edited_at("block", [block.id for block in blocks if block.id])
        return [
            self._line(block, line, edited.get(block.id))
            for block in blocks
            for line in block.entries()
        ]

    def _line(self, block: EditedBlock, line: str, edited_at: datetime | None) -> Held:
        fact = self._blocks.fact_at(block, line)
        return Held(
            known_as(line_id(block.agent_id, block.block_type, line), line, fact),
            "line",
            block.id,
            line,
            block.version or None,
            fact.said_at if fact else edited_at,
            fact,
            block.agent_id,
            block.block_type,
        )

    async def _recalled(self, draft: Draft) -> list[Held]:
        """Memories, items of nodes and entries that recall finds for the draft's words."""
        query = draft.content[:MAX_QUERY_CHARS]
        if not query.strip():
            return []
        ask = Ask(query=query, kinds=("memory", "node_item", "entry"), limit=COMPARED)
        found = await recall.recall(self._db, self._caller, place_of(self._caller), ask)
        return await self.rows([each.object for each in reversed(found.data)])

    async def rows(self, things: Sequence[object]) -> list[Held]:
        """Memories, items of nodes and entries that recall gave, with what learning knows of them; other things are left out."""
        memories = [each.id for each in things if isinstance(each, Memory)]
        edited = await self._edited_at("memory", memories)
        return [held for each in things if (held := self._row(each, edited)) is not None]

    def _row(self, row: object, edited: dict[str, datetime]) -> Held | None:
        if isinstance(row, Memory):
            return self._memory(row, edited.get(row.id))
        if isinstance(row, Entry):
            fact = self._facts.at("entry", row.id)
            return Held(
                known_as(row.id, row.content, fact), "entry", row.id, row.content, row.version,
                _said_at(fact, row.content, row.updated_at), fact, row.agent_id, key=row.key, scope=row.scope,
            )  # fmt: skip
        if isinstance(row, RecalledItem):
            fact = self._facts.at("node_item", row.id)
            return Held(
                known_as(row.id, row.content, fact), "node_item", row.id, row.content, None,
                _said_at(fact, row.content, row.created_at), fact, node_id=row.node_id,
            )  # fmt: skip
        return None

    def _memory(self, row: Memory, edited_at: datetime | None) -> Held:
        fact = self._facts.at("memory", row.id)
        said_at = row.valid_from or row.created_at
        if edited_at is not None:
            said_at = max(said_at, edited_at) if row.valid_from is None else said_at
        return Held(
            known_as(row.id, row.value, fact), "memory", row.id, row.value, row.version,
            _said_at(fact, row.value, said_at), fact, key=row.key, scope=row.scope,
        )  # fmt: skip

    async def _in_slot(self, draft: Draft) -> list[Held]:
        """Rows that learning wrote for the same slot, whether recall finds them or not."""
        found: list[Held] = []
        for fact in self._facts.in_slot(draft.subject, draft.attribute):
            held = await self.of_fact(fact)
            if held is not None:
                found.append(held)
        return found

    async def at(self, object_id: str, content: str | None) -> Held | None:
        """What stands at a row, or on the line of a block with this text; None where it does not stand any more."""
        for held in await self.lines():
            if (held.object_id, held.content) == (object_id, content):
                return held
        if object_id.startswith("memory_"):
            try:
                row = await rows.read_row(self._tx, self._caller, object_id, include_expired=True)
            except NotFound:
                return None
            return self._memory(row, None)
        fact = self._facts.at("entry", object_id) or self._facts.at("node_item", object_id)
        if fact is not None:
            return await self.of_fact(fact)
        return next(iter(await self._read(object_id)), None)

    async def standing(self, was: Held) -> Held | None:
        """A statement as it is held now; None where it is gone, over, or says something else than it did."""
        found = await self.lines() if was.place == "line" else await self._read(was.object_id)
        return next(
            (
                each
                for each in found
                if (each.known.id, each.content) == (was.known.id, was.content)
            ),
            None,
        )

    async def _read(self, object_id: str) -> list[Held]:
        """The row with an id, as recall would show it."""
        try:
            found = await read_whole(self._db, self._caller, place_of(self._caller), object_id)
        except NotFound:
            return []
        return await self.rows([found.object])

    async def saying(self, draft: Draft) -> Held | None:
        """What is held in the same words."""
        for held in await self.around(draft):
            if held.content == draft.content:
                return held
        return None

    async def of_fact(self, fact: Fact) -> Held | None:
        """Where a fact stands now; None where it does not stand any more."""
        match fact.place:
            case "memory":
                try:
                    row = await rows.read_row(self._tx, self._caller, fact.object_id)
                except NotFound:
                    return None
                return self._memory(row, None)
            case "line":
                for held in await self.lines():
                    if held.fact is fact:
                        return held
                return None
            case "entry":
                return Held(
                    known_as(fact.object_id, fact.content, fact), "entry", fact.object_id, fact.content, None, fact.said_at,
                    fact, fact.agent_id, key=fact.key, scope=fact.scope,
                )  # fmt: skip
            case "node_item":
                node_id = await self._tx.one(str, queries.node_of_item, id=fact.object_id)
                return Held(
                    known_as(fact.object_id, fact.content, fact), "node_item", fact.object_id, fact.content, None,
                    fact.said_at, fact, node_id=node_id,
                )  # fmt: skip

    async def _edited_at(self, kind: str, ids: Iterable[str]) -> dict[str, datetime]:
        """When people last changed these objects."""
        missing = [each for each in ids if each not in self._edited]
        if missing:
            for each in await self._tx.all(
                _EditedAt, queries.edited_by_people, kind=kind, ids=missing
            ):
                self._edited[each.object_id] = each.at
        return self._edited


def place_of(caller: Caller) -> MemoryPlace:
    """Where a caller's memories are looked for."""
    return MemoryPlace(caller.project_id, caller.agent_id)


def line_id(agent_id: str | None, block_type: str, line: str) -> str:
    """What names a line of a block among what is held."""
    return f"{agent_id or ''}/{block_type}/{line}"


def _said_at(fact: Fact | None, content: str, otherwise: datetime) -> datetime:
    """When a statement was made: that of the fact while its words stand, else when the row was written."""
    return fact.said_at if fact is not None and fact.content == content else otherwise
