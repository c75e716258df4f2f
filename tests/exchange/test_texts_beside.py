"""What lies beside the lines of an export: pages for people, and a graph for other memory servers with what it leaves out."""

import json

from holdfast.exchange.interchange import Graph
from holdfast.exchange.markdown import Pages
from holdfast_client.importers.formats import read_mcp


def memory(id, key, value):
    return "memories", {"id": id, "key": key, "category": "fact", "value": value}


def node(id, name, summary="", merged_into=None):
    row = {"id": id, "name": name, "kind": "person", "summary": summary, "merged_into": merged_into}
    return "nodes", row


def item(node_id, content):
    return "node_items", {"node_id": node_id, "content": content}


def edge(from_id, relation, to_id):
    return "node_edges", {"from_id": from_id, "relation": relation, "to_id": to_id}


def files_of(rows, lines):
    graph = Graph()
    for table, row in rows:
        graph.add(table, row)
    return dict(graph.files(lines))


ROWS = [
    item("n1", "plays the flute"),  # rows of a table may come before those that they belong to
    edge("n1", "knows", "n2"),
    memory("m1", "tea", "Ana drinks “grünen” tea"),
    node("n1", "Ana", "a neighbour"),
    node("n2", "Ben"),
    node("n3", "Benny", merged_into="n2"),
    item("n3", "went into Ben"),
    edge("n2", "is", "n3"),
    ("blocks", {"content": "has no place"}),
]
LINES = {"data/memories.jsonl": 1, "data/nodes.jsonl": 3, "data/blocks.jsonl": 4, "data/jobs.jsonl": 0}  # fmt: skip


def test_entities_have_their_observations_and_relations_their_names():
    every = [json.loads(line) for line in files_of(ROWS, LINES)["interchange/memory.jsonl"].splitlines()]  # fmt: skip
    entities = {each["name"]: each for each in every if each["type"] == "entity"}
    assert entities["tea"]["observations"] == ["Ana drinks “grünen” tea"]
    assert entities["tea"]["entityType"] == "fact"
    assert entities["Ana"]["observations"] == ["a neighbour", "plays the flute"]
    assert entities["Ben"]["observations"] == []
    # What was merged into another is not there, and nothing points to it.
    assert set(entities) == {"tea", "Ana", "Ben"}
    assert [each for each in every if each["type"] == "relation"] == [
        {"type": "relation", "from": "Ana", "to": "Ben", "relationType": "knows"}
    ]


def test_the_report_names_what_is_left_out():
    report = json.loads(files_of(ROWS, LINES)["interchange/report.json"])
    assert report["held"] == {"memories": 1, "nodes": 3}
    assert report["not_held"] == {"blocks": 4}
    assert any("history" in each for each in report["no_place_for"])
    assert report["names_used_twice"] == []
    twice = files_of([memory("m1", "tea", "a"), memory("m2", "tea", "b"), node("n", "Ana")], {})
    assert json.loads(twice["interchange/report.json"])["names_used_twice"] == ["tea"]


def test_many_names_are_looked_through_too():
    rows = [memory(f"m{n}", f"k{n % 19_999}", "x") for n in range(20_000)]
    report = json.loads(files_of(rows, {})["interchange/report.json"])
    assert report["names_used_twice"] == ["k0"]


def test_it_is_what_our_own_importer_reads(tmp_path):
    path = tmp_path / "memory.jsonl"
    path.write_text(files_of(ROWS, LINES)["interchange/memory.jsonl"])
    text = "\n".join(str(piece) for piece in read_mcp(path))
    for expected in ("grünen", "plays the flute", "knows"):
        assert expected in text


def test_an_export_of_nothing_is_a_graph_of_nothing():
    files = files_of([], {})
    assert files["interchange/memory.jsonl"] == ""
    assert json.loads(files["interchange/report.json"])["held"] == {}


def test_pages_are_for_people():
    pages = Pages()
    stamp = "2026-11-16T09:00:00Z"
    for table, row in [
        ("memories", {"key": "tea", "value": "green", "category": "fact", "tags": ["drinks"], "updated_at": stamp}),
        ("blocks", {"user_id": "ana", "agent_id": "bot", "block_type": "core", "content": "short"}),
        ("blocks", {"user_id": "ana", "agent_id": None, "block_type": "core", "content": "long"}),
        ("memory_stores", {"id": "s1", "name": "handbook"}),
        ("store_entries", {"store_id": "s1", "path": "a.md", "content": "text"}),
        ("store_entries", {"store_id": "s2", "path": "b.md", "content": "of a store that did not travel"}),
        ("insights", {"insight": "prefers mornings", "category": "habit"}),
        ("jobs", {"id": "job_x"}),
    ]:  # fmt: skip
        pages.add(table, row)
    files = dict(pages.files())
    assert set(files) == {f"markdown/{name}.md" for name in ("blocks", "insights", "memories", "stores")}  # fmt: skip
    assert "## tea\n\ngreen\n\n_fact, drinks, changed 2026-11-16_" in files["markdown/memories.md"]
    assert "## core: ana with bot" in files["markdown/blocks.md"]
    assert "## handbook: a.md" in files["markdown/stores.md"]
    assert "## s2: b.md" in files["markdown/stores.md"]
    assert "- prefers mornings (habit)" in files["markdown/insights.md"]
