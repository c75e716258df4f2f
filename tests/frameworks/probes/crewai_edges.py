"""HoldfastMemory at its edges: scopes, categories, privacy, changes, deletion, copies of a crew."""

import copy
from datetime import UTC, datetime, timedelta

import pytest
from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM

from holdfast_client import Client
from holdfast_client.crewai import HoldfastMemory


class Silent(BaseLLM):
    def call(self, messages, *args, **options):
        return "nothing"


client = Client()
memory = HoldfastMemory(client)


def found(query: str, **options) -> list[str]:
    return [match.record.content for match in memory.recall(query, **options)]


assert found("tea") == []
assert memory.list_records() == []
tea = memory.remember(
    "Ana takes tea green",
    scope="/team.x/ana",
    categories=["drinks"],
    metadata={"n": 1},
    importance=0.9,
)
memory.remember("Bob takes tea black\n---\n{}", scope="/team.x/bob", categories=["drinks", "bob"])
memory.remember("Ana's tea password is orchid", scope="/team.x/ana", source="ana", private=True)
memory.remember_many(["Tea is sold in the market", "Coffee is not"], scope="market")
assert tea.scope == "/team.x/ana"

# Recall: by scope, category and source.
assert set(found("tea", scope="/team.x")) == {"Ana takes tea green", "Bob takes tea black\n---\n{}"}
assert found("tea", scope="/team") == []  # a scope is a path, not the start of a word
assert found("tea", categories=["bob"]) == ["Bob takes tea black\n---\n{}"]
for options, visible in (
    ({}, 0),
    ({"source": "bob"}, 0),
    ({"source": "ana"}, 1),
    ({"include_private": True}, 1),
):
    assert sum("orchid" in text for text in found("orchid", **options)) == visible
assert len(found("tea", limit=1)) == 1
assert found("  ") == []
[best] = memory.recall("Ana green", categories=["drinks"], limit=1)
assert (best.record.id, best.record.importance, best.record.metadata) == (tea.id, 0.9, {"n": 1})
assert 0 < best.score <= 1

# The tree of scopes.
assert memory.list_scopes() == ["/market", "/team.x"]
assert memory.list_scopes("/team.x") == ["/team.x/ana", "/team.x/bob"]
assert memory.list_categories() == {"drinks": 2, "bob": 1}
info = memory.info("/team.x")
assert (info.record_count, info.categories, info.child_scopes) == (
    3,
    ["bob", "drinks"],
    ["/team.x/ana", "/team.x/bob"],
)
assert info.oldest_record <= info.newest_record
assert "/market (2 records)" in memory.tree()
newest = [record.content for record in memory.list_records()]
assert newest[:2] == ["Coffee is not", "Tea is sold in the market"]
assert [record.content for record in memory.list_records(limit=1, offset=1)] == newest[1:2]

# Changes keep the id, in another scope too.
changed = memory.update(tea.id, content="Ana takes tea white", scope="/team.x/ana/new")
assert (changed.id, changed.content, changed.categories) == (
    tea.id,
    "Ana takes tea white",
    ["drinks"],
)
assert memory._storage.get_record(tea.id).scope == "/team.x/ana/new"
assert found("white tea", scope="/team.x/ana/new") == ["Ana takes tea white"]
with pytest.raises(ValueError, match="Record not found"):
    memory.update("mem_0", content="x")

# A view with a root, a read-only one, a copied crew.
rooted = HoldfastMemory(client, root_scope="/crew/a")
rooted.remember("Rooted tea", scope="deep")
assert [match.record.scope for match in rooted.recall("rooted tea")] == ["/crew/a/deep"]
assert HoldfastMemory(client, read_only=True).remember("never") is None
view = memory.scope("/market")
assert {match.record.scope for match in view.recall("tea")} == {"/market"}
assert len(copy.deepcopy(memory).list_records()) == 6

# Deletion: by every condition, counted.
assert memory.forget(scope="/market", categories=["drinks"]) == 0
assert memory.forget(metadata_filter={"n": 2}) == 0
assert memory.forget(older_than=datetime.now(UTC) - timedelta(hours=1)) == 0
assert memory.forget(metadata_filter={"n": 1}, record_ids=[tea.id]) == 1
assert memory._storage.get_record(tea.id) is None
assert rooted.forget() == 1
memory.reset("/team.x")
assert memory._storage.count() == 2
crew_agent = Agent(role="r", goal="g", backstory="b", llm=Silent(model="silent"))
crew_task = Task(description="d", expected_output="o", agent=crew_agent)
crew = Crew(agents=[crew_agent], tasks=[crew_task], memory=memory)
assert len(crew.copy()._memory.list_records()) == 2
crew.reset_memories("memory")
assert memory._storage.count() == 0
client.close()
print("ok")
