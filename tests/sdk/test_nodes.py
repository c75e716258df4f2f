"""The node graph through both clients: the same question, the same answer, and the API's own."""

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest

import holdfast.memories.graph.model
import holdfast_client.nodes.model
from holdfast_client import Client, Conflict, NotFound, PreconditionFailed, UnexpectedReply
from holdfast_client.nodes.model import NewItem
from holdfast_client.values import to_json


async def same(both, ask):
    """The answer, which both clients must give."""
    sync = ask(both.sync)
    assert sync == await ask(both.awaited)
    return sync


async def test_nodes_are_made_found_changed_and_taken_away(both, api):
    sync, awaited = both.sync.nodes, both.awaited.nodes
    ana = sync.create("Ana Pérez", aliases=["Ana"], items=[NewItem("Runs the Lisbon office")])
    lisbon = await awaited.create("Lisbon", kind="place", summary="A city")
    with pytest.raises(Conflict) as taken:
        sync.create("ana perez")
    assert taken.value.current == ana

    for ask, path in [
        (lambda c: c.nodes.get(ana.id), f"/memory-nodes/{ana.id}"),
        (lambda c: c.nodes.list(), "/memory-nodes"),
        (lambda c: c.nodes.list(q="ana"), "/memory-nodes?q=ana"),
        (lambda c: c.nodes.list(kind="place"), "/memory-nodes?kind=place"),
    ]:
        assert to_json(await same(both, ask)) == (await api.get(path)).json()

    shared = sync.create("Harbour", visibility="org")
    assert (shared.visibility, shared.user_id) == ("org", "owner")
    found = await same(both, lambda c: c.nodes.list(visibility="org"))
    assert found.data == [shared]
    changed = sync.change(lisbon.id, summary=None, name="Lisboa", if_match=lisbon.version)
    assert (changed.name, changed.summary, changed.kind) == ("Lisboa", None, "place")
    with pytest.raises(PreconditionFailed):
        await awaited.change(lisbon.id, name="Porto", if_match=lisbon.version)

    memory = both.sync.memories.save("tea", "Ana drinks tea")
    item = sync.add_item(ana.id, "Drinks tea", source="chat", memory_id=memory.id)
    assert (item.source, item.memory_id) == ("chat", memory.id)
    other = await awaited.add_item(ana.id, "Speaks Portuguese")
    sync.remove_item(ana.id, other.id)
    assert [each.content for each in sync.get(ana.id).items] == [
        "Runs the Lisbon office",
        "Drinks tea",
    ]
    await awaited.delete(lisbon.id)
    with pytest.raises(NotFound):
        sync.get(lisbon.id)


async def test_edges_lead_to_neighbours_and_along_a_path(both, api):
    sync, awaited = both.sync.nodes, both.awaited.nodes
    ana, ben, cleo = (sync.create(name) for name in ("Ana", "Ben", "Cleo"))
    works = sync.put_edge(ana.id, "works_with", ben.id, weight=0.5)
    assert (works.from_id, works.to_id, works.weight, works.version) == (ana.id, ben.id, 0.5, 1)
    again = await awaited.put_edge(ana.id, "works_with", ben.id, weight=0.75)
    assert (again.id, again.weight, again.version) == (works.id, 0.75, 2)
    knows = sync.put_edge(ben.id, "knows", cleo.id)

    around = await same(both, lambda c: c.nodes.neighbors(ana.id, depth=2))
    raw = (await api.get(f"/memory-nodes/{ana.id}/neighbors?depth=2")).json()
    assert to_json(around) == raw
    assert {edge.id for edge in around.edges} == {works.id, knows.id}
    assert sync.neighbors(ana.id, direction="in").edges == []
    assert sync.neighbors(ben.id, relation="knows").edges == [knows]

    way = await same(both, lambda c: c.nodes.path(ana.id, cleo.id))
    assert [node.id for node in way.nodes] == [ana.id, ben.id, cleo.id]
    ended = datetime.now(UTC) - timedelta(seconds=1)
    sync.put_edge(ben.id, "knows", cleo.id, valid_from=ended - timedelta(hours=1), valid_to=ended)
    assert sync.neighbors(cleo.id).edges == []
    assert len(sync.neighbors(cleo.id, as_of=ended - timedelta(minutes=1)).edges) == 1
    await awaited.delete_edge(works.id)
    with pytest.raises(NotFound):
        sync.path(ana.id, cleo.id)


async def test_a_merged_node_answers_with_the_survivor(both):
    sync = both.sync.nodes
    ana = sync.create("Ana", items=[NewItem("Drinks tea")])
    pérez = sync.create("Ms Pérez")
    kept = sync.merge(ana.id, pérez.id, if_match=ana.version)
    assert (kept.id, kept.aliases) == (pérez.id, ["Ana"])
    assert [each.content for each in kept.items] == ["Drinks tea"]
    assert await same(both, lambda c: c.nodes.get(ana.id)) == kept
    third = await both.awaited.nodes.create("A. Pérez")
    assert (await both.awaited.nodes.merge(third.id, pérez.id)).id == pérez.id


def test_an_edge_that_leads_from_nowhere_is_told_by_its_name_on_the_wire(answering):
    with (
        answering((200, {}, b'{"id": "edge_1", "to": "node_1"}')) as server,
        Client(server.url, "k") as client,
        pytest.raises(UnexpectedReply, match="from: is missing"),
    ):
        client.nodes.put_edge("node_1", "knows", "node_2")


def test_the_clients_values_have_the_services_fields():
    for name in ("Node", "NodeItem", "Edge", "Graph", "NewItem"):
        theirs, ours = (
            {field.name for field in dataclasses.fields(getattr(module, name))}
            for module in (holdfast.memories.graph.model, holdfast_client.nodes.model)
        )
        assert ours == theirs, name


async def test_nodes_are_seen_from_the_agent_that_the_client_is_bound_to(both):
    """An item that says what an agent's memory says is shown where that memory is seen: from that agent."""
    own = both.scope(user="ana")
    own.sync.directory.put_agent("bot")
    at_bot = both.scope(user="ana", agent="bot")
    memory = at_bot.sync.memories.save("style", "short answers", scope="agent")
    node = own.sync.nodes.create("Style", visibility="org")
    await at_bot.awaited.nodes.add_item(node.id, "Short answers", memory_id=memory.id)
    assert [each.content for each in at_bot.sync.nodes.get(node.id).items] == ["Short answers"]
    assert (await own.awaited.nodes.get(node.id)).items == []
