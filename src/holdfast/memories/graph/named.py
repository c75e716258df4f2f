"""The node graph by names, many nodes at a time: entities (nodes), observations (items) and relations (edges).

A model knows nodes by their names. It reads every node that its caller sees; it writes items to, and deletes, nodes of its
caller's own (visibility `user`, or `org` for a key without a user), so that nothing private is added to a shared node
because it has the same name. Each call is done whole or not at all. What exists already is left as it is, and
deleting what does not exist is no error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import AgentNotFound, Conflict, NotFound
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import load
from holdfast.memories.graph import edges, nodes, passages
from holdfast.memories.graph.model import NewItem, NewNode, Node, Visibility
from holdfast.memories.model import Place
from holdfast.memories.sight import enter

queries = load(__file__, "named.sql")

SOURCE = "observation"
# At most this many nodes are shown at a time; `cut` reports that there are more.
MAX_SHOWN = 1_000


@dataclass(frozen=True, slots=True)
class Entity:
    """A node to make: its name, its kind, its items."""

    name: str
    kind: str
    observations: list[str]


@dataclass(frozen=True, slots=True)
class Relation:
    """How one named node relates to another."""

    source: str
    target: str
    relation: str


@dataclass(frozen=True, slots=True)
class Observations:
    """Items to add to a named node, or to delete from it."""

    name: str
    contents: list[str]


@dataclass(frozen=True, slots=True)
class NamedGraph:
    """Some nodes and the relations they have, those to other nodes too. `cut`: there are more nodes than are shown."""

    nodes: list[Node]
    relations: list[Relation]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class _Answer:
    asked: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class _NamedEdge:
    id: str
    from_name: str
    to_name: str
    relation: str
    from_id: str
    to_id: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.from_id, self.to_id, self.relation


async def as_agent(db: Database, caller: Caller, agent_id: str) -> Caller:
    """The caller, speaking for an agent; as it is where nobody wrote to that agent yet."""
    async with db.read(caller) as tx:
        try:
            return await enter(tx, caller, Place(agent_id=agent_id), to_write=False)
        except AgentNotFound:
            return caller


# --- reading ---------------------------------------------------------------------------------------------------------


async def search_graph(db: Database, caller: Caller, text: str) -> NamedGraph:
    """Nodes with `text` in a name, in their kind or in an item, oldest first; all of them for ''."""
    async with db.read(caller) as tx:
        found = await tx.all(
            Node, queries.search, text=text, limit=MAX_SHOWN + 1, **sight.params(caller)
        )
        return await _shown(tx, caller, found)


async def open_nodes(db: Database, caller: Caller, names: Sequence[str]) -> NamedGraph:
    """The nodes with these names or aliases; a name that no node has is skipped."""
    async with db.read(caller) as tx:
        answers = await _answers(tx, caller, names)
        ids = dict.fromkeys(each.id for found in answers.values() for each in found)
        found = [await nodes.read_node_row(tx, caller, id) for id in sorted(ids)]
        return await _shown(tx, caller, found)


async def _shown(tx: Tx, caller: Caller, found: list[Node]) -> NamedGraph:
    shown = found[:MAX_SHOWN]
    held = await _relations(tx, caller, [node.id for node in shown])
    relations = [Relation(each.from_name, each.to_name, each.relation) for each in held]
    return NamedGraph(shown, relations, cut=len(found) > MAX_SHOWN)


# --- adding ----------------------------------------------------------------------------------------------------------


async def create_entities(db: Database, caller: Caller, entities: Sequence[Entity]) -> list[Entity]:
    """Make a node for each name that no node has yet; the entities that were made."""
    for entity in entities:
        await passages.prefetch_embeddings(db, entity.name, entity.observations)
    made: list[Entity] = []
    async with db.begin(caller) as tx:
        for entity in entities:  # one after the other: an earlier one may have taken the name
            if await _answers(tx, caller, [entity.name], own=True):
                continue
            items = [NewItem(content, SOURCE) for content in entity.observations]
            new = NewNode(name=entity.name, kind=entity.kind, visibility=_visibility(caller))
            try:
                await nodes.create_node(db, caller, new, items)
            except Conflict:
                continue  # made by another transaction since the look-up
            made.append(entity)
    return made


async def create_relations(
    db: Database, caller: Caller, relations: Sequence[Relation]
) -> list[Relation]:
    """Relate nodes that are there; the relations that are new. NotFound where a name has no node."""
    made: list[Relation] = []
    async with db.begin(caller) as tx:
        ids = await _must_answer(tx, caller, [n for r in relations for n in (r.source, r.target)])
        held = await _relations(tx, caller, sorted(set(ids.values())))
        known = {each.key for each in held}
        for each in relations:
            key = ids[each.source], ids[each.target], each.relation
            if key in known:
                continue
            known.add(key)
            # One that ended before holds again from now on.
            await edges.put_edge(
                db, caller, from_id=key[0], to_id=key[1], relation=key[2], given={"valid_to": None}
            )
            made.append(each)
    return made


async def add_observations(
    db: Database, caller: Caller, observations: Sequence[Observations]
) -> list[Observations]:
    """Add items to nodes; of each node, the items that were new. NotFound where a name has no node."""
    for each in observations:
        await passages.prefetch_embeddings(db, each.name, each.contents)
    added: list[Observations] = []
    async with db.begin(caller) as tx:
        ids = await _must_answer(tx, caller, [each.name for each in observations], own=True)
        for each in observations:
            node = await nodes.read_node_row(tx, caller, ids[each.name])
            known = {item.content for item in node.items}
            new = [content for content in dict.fromkeys(each.contents) if content not in known]
            for content in new:
                await nodes.add_item(db, caller, node.id, NewItem(content, SOURCE))
            added.append(Observations(each.name, new))
    return added


# --- deleting --------------------------------------------------------------------------------------------------------


async def delete_entities(db: Database, caller: Caller, names: Sequence[str]) -> list[str]:
    """Delete nodes with their items and edges; the names that had a node."""
    async with db.begin(caller) as tx:
        answers = await _answers(tx, caller, names, own=True)
        for id in sorted({each.id for found in answers.values() for each in found}):
            await nodes.delete_node(db, caller, id)
    return [name for name in dict.fromkeys(names) if name in answers]


async def delete_observations(
    db: Database, caller: Caller, observations: Sequence[Observations]
) -> tuple[int, list[str]]:
    """Delete items of nodes by their content: how many, and the names that no node has."""
    count = 0
    async with db.begin(caller) as tx:
        answers = await _answers(tx, caller, [each.name for each in observations], own=True)
        for each in observations:
            for answer in answers.get(each.name, []):
                node = await nodes.read_node_row(tx, caller, answer.id)
                for item in node.items:
                    if item.content in each.contents:
                        await nodes.delete_item(db, caller, node.id, item.id)
                        count += 1
    return count, [each.name for each in observations if each.name not in answers]


async def delete_relations(db: Database, caller: Caller, relations: Sequence[Relation]) -> int:
    """Delete edges; how many there were."""
    async with db.begin(caller) as tx:
        answers = await _answers(tx, caller, [n for r in relations for n in (r.source, r.target)])
        gone = {
            (source.id, target.id, each.relation)
            for each in relations
            for source in answers.get(each.source, [])
            for target in answers.get(each.target, [])
        }
        ids = sorted({end for source, target, _ in gone for end in (source, target)})
        held = await _relations(tx, caller, ids)
        meant = [each for each in held if each.key in gone]
        for edge in meant:
            await edges.delete_edge(db, caller, edge.id)
    return len(meant)


def _visibility(caller: Caller) -> Visibility:
    """The visibility of nodes that a model makes, which has no say in it: its user, or the org where its key has no user."""
    return "org" if caller.user_id is None else "user"


async def _relations(tx: Tx, caller: Caller, ids: Sequence[str]) -> list[_NamedEdge]:
    """The edges that hold now between these nodes and those that the caller sees."""
    return await tx.all(_NamedEdge, queries.relations_of, ids=ids, **sight.params(caller))


# --- names -----------------------------------------------------------------------------------------------------------


async def _answers(
    tx: Tx, caller: Caller, names: Sequence[str], *, own: bool = False
) -> Mapping[str, list[_Answer]]:
    """The nodes that answer to each name, where any does; `own`: among those that this caller's tools make."""
    found: dict[str, list[_Answer]] = {}
    for each in await tx.all(
        _Answer,
        queries.answering,
        names=list(dict.fromkeys(names)),
        audience=Audience(user_id=caller.user_id).text if own else None,
        **sight.params(caller),
    ):
        found.setdefault(each.asked, []).append(each)
    return found


async def _must_answer(
    tx: Tx, caller: Caller, names: Sequence[str], *, own: bool = False
) -> Mapping[str, str]:
    """The node of each name."""
    answers = await _answers(tx, caller, names, own=own)
    missing = [name for name in dict.fromkeys(names) if name not in answers]
    if missing:
        raise NotFound(f"there is no entity named {', '.join(map(repr, missing))}; create it first")
    return {name: found[0].id for name, found in answers.items()}
