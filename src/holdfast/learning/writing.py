"""Writes what learning decided, through the services of the faces, inside the transaction of a run."""

from datetime import datetime
from typing import Any

from holdfast.entries import service as entries
from holdfast.entries.model import NewEntry
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import NotFound
from holdfast.learning.block_edits import BlockEdits
from holdfast.learning.facts import Fact, Facts, Held, new_fact
from holdfast.learning.proposal import Draft, Result, sources_of
from holdfast.learning.routing import display_name
from holdfast.memories import saving, service, sources
from holdfast.memories.graph import edges, named, nodes
from holdfast.memories.graph.model import NewItem, NewNode, Node
from holdfast.memories.model import MAX_SOURCES, Memory, NewMemory, Scope, Source
from holdfast.memories.model import Place as MemoryPlace

SOURCE = "auto"
"""The `source` of rows that learning wrote."""


class Writer:
    """Adds and ends statements. Blocks are written by `flush`, everything else at once."""

    def __init__(
        self, db: Database, tx: Tx, caller: Caller, facts: Facts, session_id: str | None
    ) -> None:
        self._db = db
        self._caller = caller
        self._facts = facts
        self._session_id = session_id
        self.now = tx.now
        self.links: tuple[Source, ...] | None = (
            None  # of an accepted proposal, which cites by links
        )
        self.blocks = BlockEdits(db, caller, facts, self._line_to_memory)

    # --- adding ------------------------------------------------------------------------------------------------------

    async def add(self, proposal_id: str, draft: Draft) -> tuple[Fact, Result | None]:
        """Write a new statement where its draft says; the result of a line is known once the blocks are written."""
        match draft.target:
            case "block":
                return await self._add_line(proposal_id, draft), None
            case "memory":
                row = await self._save(draft)
                return self._new(proposal_id, draft, "memory", row.id), Result(row.id, row.version)
            case "entry":
                return await self._store(proposal_id, draft)
            case "node_item":
                return await self._add_item(proposal_id, draft)

    def _new(self, proposal_id: str, draft: Draft, place: Any, object_id: str) -> Fact:
        fact = new_fact(proposal_id, draft, place, object_id, at=self.now)
        of_agent = place != "line" or draft.scope == "agent"
        fact.agent_id = self._caller.agent_id if of_agent else None
        fact.sources = [
            {"kind": each.kind, "ref": each.ref, "quote": each.quote}
            for each in self._sources(draft)
        ]
        self._facts.add(fact)
        return fact

    def _sources(self, draft: Draft) -> tuple[Source, ...]:
        return self.links or sources_of(draft, self._session_id)

    async def _add_line(self, proposal_id: str, draft: Draft) -> Fact:
        fact = self._new(proposal_id, draft, "line", "")
        fact.block_type = "core"
        await self.blocks.add(fact)
        return fact

    async def _save(self, draft: Draft) -> Memory:
        links = self._sources(draft)
        fields = {
            "key": draft.key,
            "value": draft.content,
            "category": draft.kind,
            "source": SOURCE,
            "trust": draft.trust,
            "valid_from": draft.valid_from,
        }
        scope: Any = draft.scope if draft.scope in ("global", "project", "agent") else "global"
        return await self._save_row(fields, scope, links)

    async def _save_row(self, fields: dict[str, Any], scope: Scope, links: Any) -> Memory:
        place = MemoryPlace(self._caller.project_id, self._caller.agent_id, self._session_id)
        new = NewMemory(fields=fields, scope=scope, place=place, sources=links)
        return await saving.save_memory(self._db, self._caller, new)

    async def _line_to_memory(self, fact: Fact) -> None:
        fields = {
            "key": f"{fact.kind}-{fact.id[-12:]}",
            "value": fact.content,
            "category": fact.kind,
            "source": SOURCE,
            "trust": fact.trust,
            "valid_from": fact.said_at,
        }
        row = await self._save_row(fields, "global", fact.links)
        fact.place, fact.object_id, fact.was_moved = "memory", row.id, True

    async def _store(self, proposal_id: str, draft: Draft) -> tuple[Fact, Result]:
        stored = await entries.store(
            self._db,
            self._caller,
            self._agent(),
            NewEntry(draft.key or "", draft.content, "core", scope=_entry_scope(draft)),
        )
        fact = self._new(proposal_id, draft, "entry", stored.id)
        return fact, Result(stored.id, stored.version)

    async def _add_item(self, proposal_id: str, draft: Draft) -> tuple[Fact, Result]:
        relation = draft.related
        about = await self._node(draft.key or draft.subject)
        item = await nodes.add_item(
            self._db, self._caller, about.id, NewItem(draft.content, SOURCE)
        )
        if relation is not None:
            start, end = await self._ends(draft.subject, draft.content, relation[1])
            await self._relate(start, end, relation[0], draft.valid_from, None)
        return self._new(proposal_id, draft, "node_item", item.id), Result(item.id, 1)

    async def _ends(self, subject: str, content: str, other: str) -> tuple[Node, Node]:
        """The two nodes of a relation; the user's own node bears the user's id."""
        if subject in ("", "user"):
            start = await self._node(self._caller.user_id or "user", kind="person")
        else:
            start = await self._node(display_name(subject, content))
        return start, await self._node(other)

    async def _node(self, name: str, kind: str = "entity") -> Node:
        """The caller's node with this name or alias, made where there is none."""
        found = (await named.open_nodes(self._db, self._caller, [name])).nodes
        own = [node for node in found if node.visibility == "user"]
        if own:
            return own[0]
        return await nodes.create_node(self._db, self._caller, NewNode(name=name, kind=kind))

    async def _relate(
        self, start: Node, end: Node, relation: str, since: datetime | None, until: datetime | None
    ) -> None:
        given: dict[str, Any] = {"valid_to": until}
        if since is not None and until is None:
            given["valid_from"] = since
        await edges.put_edge(
            self._db,
            self._caller,
            from_id=start.id,
            to_id=end.id,
            relation=relation[:64],
            given=given,
        )

    def _agent(self) -> str:
        if self._caller.agent_id is None:
            raise NotFound("an entry needs an agent")
        return self._caller.agent_id

    # --- a source more -----------------------------------------------------------------------------------------------

    async def support(self, held: Held, draft: Draft) -> Result:
        """Add a draft's sources to the row that says the same; its words stay."""
        if held.place != "memory":
            return Result(held.object_id, held.version)
        version = held.version
        row = await service.read_memory(self._db, self._caller, held.object_id, place=self._place())
        known = {(each.kind, each.ref) for each in row.sources}
        for source in self._sources(draft):
            if (source.kind, source.ref) in known or len(known) >= MAX_SOURCES:
                continue
            known.add((source.kind, source.ref))
            row = await sources.add_source(
                self._db, self._caller, held.object_id, source, place=self._place()
            )
            version = row.version
        return Result(held.object_id, version)

    def _place(self) -> MemoryPlace:
        return MemoryPlace(self._caller.project_id, self._caller.agent_id)

    # --- ending ------------------------------------------------------------------------------------------------------

    async def replace_line(self, held: Held, proposal_id: str, draft: Draft) -> Fact | None:
        """Put a new line in the place of an old one of the same block; None where the draft belongs elsewhere."""
        agent_id = self._caller.agent_id if draft.scope == "agent" else None
        if held.place != "line" or draft.target != "block" or held.agent_id != agent_id:
            return None
        block = await self.blocks.read(held.agent_id, _block_type(held))
        fact = self._new(proposal_id, draft, "line", block.id)
        fact.block_type = block.block_type
        before = list(block.lines)
        if not block.replace(held.content, draft.content):
            raise NotFound("the line is not there any more")
        if not block.fits():
            block.lines = [line for line in before if line.removesuffix("\r") != held.content]
            fact.block_type = "core"
            await self.blocks.add(fact)
        return fact

    async def end(self, held: Held, *, successor: Result | None, at: datetime | None) -> None:
        """Take a statement out of what memory holds now: its history, and of a memory the row, stay."""
        match held.place:
            case "line":
                block = await self.blocks.read(held.agent_id, _block_type(held))
                block.replace(held.content, None)
            case "memory":
                await self._end_memory(held, successor, at)
            case "entry":
                await entries.forget(
                    self._db,
                    self._caller,
                    held.agent_id or self._agent(),
                    held.key or "",
                    scope="user" if held.scope == "user" else "agent",
                    if_match=None if held.version is None else [held.version],
                )
            case "node_item":
                await self._end_item(held, at)
        if held.fact is not None:
            held.fact.is_over = True

    async def _end_memory(self, held: Held, successor: Result | None, at: datetime | None) -> None:
        row = await service.read_memory(
            self._db, self._caller, held.object_id, place=self._place(), include_expired=True
        )
        until = max(each for each in (at or self.now, row.valid_from) if each is not None)
        fields: dict[str, Any] = {"valid_to": until}
        if successor is not None and successor.id.startswith("memory_"):
            fields["superseded_by"] = successor.id
        await service.change_memory(
            self._db,
            self._caller,
            held.object_id,
            fields,
            place=self._place(),
            include_expired=True,
            if_match=None if held.version is None else [held.version],
        )

    async def _end_item(self, held: Held, at: datetime | None) -> None:
        if held.node_id is None:
            return
        await nodes.delete_item(self._db, self._caller, held.node_id, held.object_id)
        fact = held.fact
        if fact is not None and fact.related:
            start, end = await self._ends(fact.subject, fact.content, fact.related[1])
            held_since = max(at or self.now, fact.said_at)
            await self._relate(start, end, fact.related[0], None, held_since)

    async def flush(self) -> None:
        """Write the blocks."""
        await self.blocks.flush()


def _block_type(held: Held) -> Any:
    return "archival" if held.block_type == "archival" else "core"


def _entry_scope(draft: Draft) -> Any:
    return "agent" if draft.scope == "agent" else "user"
