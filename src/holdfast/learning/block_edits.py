"""Changes of a user's blocks within one run: lines are added, replaced and moved in memory, then each block is written once.

When core is full, the least valuable lines that learning wrote move to archival; when that is full too, its oldest ones become
memories. A line that a person wrote is never moved.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime

from holdfast.blocks import service
from holdfast.blocks.lines import count_entries
from holdfast.blocks.model import MAX_CHARS, MAX_CORE_ENTRIES, BlockType
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import AgentNotFound, NotFound
from holdfast.kernel.sight import Audience
from holdfast.learning.facts import Fact, Facts

ToMemory = Callable[[Fact], Awaitable[None]]
"""Saves a line that no block has room for as a memory, and moves its fact there."""


@dataclass(slots=True)
class EditedBlock:
    """A block as it was read, and its lines as they are to be."""

    agent_id: str | None
    block_type: BlockType
    lines: list[str]
    id: str = ""  # '' until it is written for the first time
    updated_at: datetime | None = None
    version: int = 0
    before: list[str] = field(default_factory=list)

    def fits(self) -> bool:
        """Whether the limits of its type hold."""
        text = "\n".join(self.lines)
        entries = count_entries(text)
        within = self.block_type != "core" or entries <= MAX_CORE_ENTRIES
        return within and len(text) <= MAX_CHARS[self.block_type]

    def append(self, line: str) -> None:
        """Add a line at the end; an empty last line is filled."""
        if self.lines and not self.lines[-1].strip():
            self.lines[-1] = line
        else:
            self.lines.append(line)

    def entries(self) -> list[str]:
        """Its lines that are not blank."""
        return [line.removesuffix("\r") for line in self.lines if line.strip()]

    def replace(self, old: str, new: str | None) -> bool:
        """Put a line in the place of another, or take it out; false where it is not there."""
        for number, line in enumerate(self.lines):
            if line.removesuffix("\r") == old:
                if new is None:
                    del self.lines[number]
                else:
                    self.lines[number] = new
                return True
        return False


class BlockEdits:
    """The blocks of one user that a run reads and changes."""

    def __init__(self, db: Database, caller: Caller, facts: Facts, to_memory: ToMemory) -> None:
        self._db = db
        self._caller = caller
        self._facts = facts
        self._to_memory = to_memory
        self._blocks: dict[tuple[str | None, BlockType], EditedBlock] = {}

    async def read(self, agent_id: str | None, block_type: BlockType) -> EditedBlock:
        """A block as this run sees it; one that does not exist has no lines."""
        name = (agent_id, block_type)
        if name not in self._blocks:
            self._blocks[name] = await self._load(agent_id, block_type)
        return self._blocks[name]

    async def _load(self, agent_id: str | None, block_type: BlockType) -> EditedBlock:
        try:
            found = await service.read_block(
                self._db, self._caller, self._where(agent_id), block_type
            )
        except (NotFound, AgentNotFound):
            return EditedBlock(agent_id, block_type, [])
        lines = found.content.split("\n") if found.content else []
        block = EditedBlock(
            agent_id, block_type, lines, found.id, found.updated_at, found.version, list(lines)
        )
        entries = set(block.entries())
        for fact in self._facts.held():
            if fact.place == "line" and fact.object_id == block.id:
                fact.agent_id, fact.block_type = agent_id, block_type
                fact.is_over = (
                    fact.content not in entries
                )  # a person took the line out, or changed it
        return block

    def _where(self, agent_id: str | None) -> Audience:
        return Audience(user_id=self._caller.must_be_user(), agent_id=agent_id)

    def fact_at(self, block: EditedBlock, line: str) -> Fact | None:
        """The fact that stands on a line; None for a person's line."""
        for fact in self._facts.held():
            if fact.place != "line" or fact.content != line:
                continue
            is_here = fact.is_new or fact.was_moved or fact.object_id == block.id
            if is_here and (fact.agent_id, fact.block_type) == (block.agent_id, block.block_type):
                return fact
        return None

    async def add(self, fact: Fact) -> None:
        """Add a new fact to core, making room where there is none."""
        core = await self.read(fact.agent_id, "core")
        core.append(fact.content)
        for moved in self._overflow(core, fact):
            core.replace(moved.content, None)
            await self._archive(moved)

    def _overflow(self, core: EditedBlock, new: Fact) -> list[Fact]:
        """The lines that have to leave core, the least valuable first."""
        own = [self.fact_at(core, line) for line in core.entries()]
        written = {id(fact): fact for fact in (*own, new) if fact is not None}
        leaving: list[Fact] = []
        rest = EditedBlock(core.agent_id, core.block_type, list(core.lines))
        for fact in sorted(written.values(), key=lambda each: each.worth):
            if rest.fits():
                break
            rest.replace(fact.content, None)
            leaving.append(fact)
        return leaving

    async def _archive(self, fact: Fact) -> None:
        """Move a line of core to archival; where that is full, its oldest lines become memories."""
        archival = await self.read(fact.agent_id, "archival")
        archival.append(fact.content)
        fact.block_type, fact.object_id, fact.was_moved = "archival", archival.id, True
        while not archival.fits():
            own = [self.fact_at(archival, line) for line in archival.entries()]
            written = [each for each in (*own, fact) if each is not None and each.place == "line"]
            oldest = min(written, key=lambda each: each.said_at)
            archival.replace(oldest.content, None)
            await self._to_memory(oldest)

    async def flush(self) -> None:
        """Write every block that changed, under compare-and-set: Conflict where somebody else wrote it meanwhile."""
        for block in self._blocks.values():
            if block.lines == block.before:
                continue
            written = await service.write_block(
                self._db,
                self._caller,
                self._where(block.agent_id),
                block.block_type,
                "\n".join(block.lines),
                expected_updated_at=block.updated_at,
            )
            block.id, block.version = written.id, written.version
            block.updated_at, block.before = written.updated_at, list(block.lines)
        for fact in self._facts.held():
            if fact.place == "line" and (fact.is_new or fact.was_moved):
                fact.object_id = self._blocks[fact.agent_id, _type(fact)].id

    def version(self, fact: Fact) -> int:
        """The version of the block that a fact's line is in, once it is written."""
        return self._blocks[fact.agent_id, _type(fact)].version


def _type(fact: Fact) -> BlockType:
    return "archival" if fact.block_type == "archival" else "core"
