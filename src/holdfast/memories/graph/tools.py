"""MCP tools of the node graph, with the names and schemas of the reference memory server.

An entity is a node, its entityType the kind, its observations the items; a relation is an edge.
"""

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from holdfast.edge.toolbox import ADDS, DELETES, READS, Call, Listed, Shelf, Toolbox, Worded
from holdfast.kernel.caller import Caller
from holdfast.memories.graph import named
from holdfast.memories.graph.named import NamedGraph, Observations, Relation

box = Toolbox("graph")

MAX_AT_ONCE = 1_000
MAX_SEARCH_CHARS = 2_048


class _Words(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EntityWords(_Words):
    """A person, a project, a thing."""

    name: str = Field(description="Its name; unique.", examples=["Ana Pérez"])
    entityType: str = Field(description="What it is.", examples=["person", "project"])
    observations: list[str] = Field(
        description="What is known of it, one fact each.", examples=[["Runs the Lisbon office"]]
    )


class RelationWords(_Words):
    """How one entity relates to another."""

    from_: str = Field(alias="from", description="The entity it starts at.", examples=["Ana Pérez"])
    to: str = Field(description="The entity it leads to.", examples=["Lisbon office"])
    relationType: str = Field(description="In active voice.", examples=["works_at"])

    @property
    def as_relation(self) -> Relation:
        return Relation(self.from_, self.to, self.relationType)


class NewObservations(_Words):
    """Facts to add to an entity."""

    entityName: str = Field(description="The entity.", examples=["Ana Pérez"])
    contents: list[str] = Field(description="The facts.", examples=[["Speaks Portuguese"]])


class OldObservations(_Words):
    """Facts to take from an entity."""

    entityName: str = Field(description="The entity.", examples=["Ana Pérez"])
    observations: list[str] = Field(description="The facts, word for word.")


Relations = Annotated[list[RelationWords], Field(max_length=MAX_AT_ONCE)]


@box.tool("Create entities", ADDS)
async def create_entities(
    call: Call, entities: Annotated[list[EntityWords], Field(max_length=MAX_AT_ONCE)]
) -> Worded:
    """Add people, projects, places or things to the knowledge graph. A name that is there already is passed over; the result
    lists what was new.

    Use it when something is mentioned that will come up again. Then relate it with create_relations.
    Example: create_entities(entities=[{"name": "Ana Pérez", "entityType": "person",
    "observations": ["Runs the Lisbon office"]}])
    """
    wanted = [named.Entity(e.name, e.entityType, e.observations) for e in entities]
    made = await named.create_entities(call.db, await _speaker(call), wanted)
    shown = [{"name": e.name, "entityType": e.kind, "observations": e.observations} for e in made]
    return Worded({"entities": shown}, _json(shown))


@box.tool("Create relations", ADDS)
async def create_relations(call: Call, relations: Relations) -> Worded:
    """Relate entities of the knowledge graph, in active voice. Both must be there; a relation that is there already is
    passed over; the result lists what was new.

    Use it after create_entities, to record how things are related.
    Example: create_relations(relations=[{"from": "Ana Pérez", "to": "Lisbon office", "relationType": "works_at"}])
    """
    wanted = [each.as_relation for each in relations]
    made = await named.create_relations(call.db, await _speaker(call), wanted)
    shown = [_relation(each) for each in made]
    return Worded({"relations": shown}, _json(shown))


@box.tool("Add observations", ADDS)
async def add_observations(
    call: Call, observations: Annotated[list[NewObservations], Field(max_length=MAX_AT_ONCE)]
) -> Worded:
    """Add facts to entities of the knowledge graph. The entity must be there; a fact that is there already is passed over;
    the result lists what was new.

    Use it when you learn something about an entity that is in the graph.
    Example: add_observations(observations=[{"entityName": "Ana Pérez", "contents": ["Speaks Portuguese"]}])
    """
    wanted = [Observations(each.entityName, each.contents) for each in observations]
    added = await named.add_observations(call.db, await _speaker(call), wanted)
    shown = [{"entityName": e.name, "addedObservations": e.contents} for e in added]
    return Worded({"results": shown}, _json(shown))


@box.tool("Delete entities", DELETES)
async def delete_entities(
    call: Call,
    entityNames: Annotated[
        list[str], Field(max_length=MAX_AT_ONCE, description="The entities' names.")
    ],
) -> Worded:
    """Delete entities from the knowledge graph with their observations and relations. A name that is not there is no error.

    Use it when the user asks to forget somebody or something, or when an entity was made by mistake.
    Example: delete_entities(entityNames=["Ana Pérez"])
    """
    deleted = await named.delete_entities(call.db, await _speaker(call), entityNames)
    missing = [name for name in entityNames if name not in deleted]
    if not missing:
        return _done("The entities are gone")
    count = f"Deleted {len(deleted)} of {len(entityNames)} entities"
    return _done(f"{count}. Not found: {', '.join(missing)}")


@box.tool("Delete observations", DELETES)
async def delete_observations(
    call: Call, deletions: Annotated[list[OldObservations], Field(max_length=MAX_AT_ONCE)]
) -> Worded:
    """Delete facts from entities of the knowledge graph, word for word. What is not there is no error.

    Use it when a fact is no longer true; add the new one with add_observations.
    Example: delete_observations(deletions=[{"entityName": "Ana Pérez", "observations": ["Speaks Portuguese"]}])
    """
    wanted = [Observations(each.entityName, each.observations) for each in deletions]
    count, missing = await named.delete_observations(call.db, await _speaker(call), wanted)
    asked = sum(len(each.contents) for each in wanted)
    if count >= asked:
        return _done("The observations are gone")
    nobody = f" Entities not found: {', '.join(missing)}" if missing else ""
    return _done(f"Deleted {count} of {asked} observations.{nobody}")


@box.tool("Delete relations", DELETES)
async def delete_relations(call: Call, relations: Relations) -> Worded:
    """Delete relations from the knowledge graph; the entities stay. What is not there is no error.

    Use it when a relation no longer holds.
    Example: delete_relations(relations=[{"from": "Ana Pérez", "to": "Lisbon office", "relationType": "works_at"}])
    """
    wanted = [each.as_relation for each in relations]
    count = await named.delete_relations(call.db, await _speaker(call), wanted)
    if count >= len(wanted):
        return _done("The relations are gone")
    return _done(f"Deleted {count} of {len(wanted)} relations. The others are not there.")


@box.tool("Read the knowledge graph", READS)
async def read_graph(call: Call) -> dict[str, Any]:
    """Read the whole knowledge graph: every entity with its observations, and every relation.

    Use it for an overview of a small graph. In a large one search_nodes is quicker; `cut` says that there is more.
    Example: read_graph()
    """
    return _graph(await named.search_graph(call.db, await _speaker(call), ""))


@box.tool("Search the knowledge graph", READS)
async def search_nodes(
    call: Call,
    query: Annotated[
        str,
        Field(
            max_length=MAX_SEARCH_CHARS,
            description="Part of a name, of an entityType or of an observation, in any case.",
            examples=["lisbon"],
        ),
    ],
) -> dict[str, Any]:
    """Search the knowledge graph by a part of a name, type or observation; the relations of what is found come along.

    Use it to see what is known of somebody or something. Try one word at a time.
    Example: search_nodes(query="lisbon")
    """
    return _graph(await named.search_graph(call.db, await _speaker(call), query))


@box.tool("Open nodes of the knowledge graph", READS)
async def open_nodes(
    call: Call,
    names: Annotated[list[str], Field(max_length=MAX_AT_ONCE, description="The entities' names.")],
) -> dict[str, Any]:
    """Read entities by their names, with their relations. A name that is not there is passed over.

    Use it when you know the names, for instance from a relation that search_nodes showed.
    Example: open_nodes(names=["Ana Pérez", "Lisbon office"])
    """
    return _graph(await named.open_nodes(call.db, await _speaker(call), names))


# --- words -----------------------------------------------------------------------------------------------------------


async def _speaker(call: Call) -> Caller:
    return await named.as_agent(call.db, call.caller, call.agent_id)


def _graph(graph: NamedGraph) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "entities": [
            {
                "name": node.name,
                "entityType": node.kind,
                "observations": [item.content for item in node.items],
            }
            for node in graph.nodes
        ],
        "relations": [_relation(each) for each in graph.relations],
    }
    return {**shown, "cut": True} if graph.cut else shown


def _relation(each: Relation) -> dict[str, str]:
    return {"from": each.source, "to": each.target, "relationType": each.relation}


def _done(message: str) -> Worded:
    return Worded({"success": True, "message": message}, message)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


async def _list(_: Call, __: str | None) -> tuple[list[Listed], str | None]:
    return [Listed("", "knowledge-graph")], None


async def _read(call: Call, _: str) -> str:
    return _json(await read_graph(call))


box.shelves.append(
    Shelf(
        prefix="knowledge-graph",
        template=None,
        name="knowledge-graph",
        description="Every entity of the knowledge graph with its observations, and every relation.",
        media_type="application/json",
        list=_list,
        read=_read,
    )
)
