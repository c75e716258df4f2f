"""Exports of other systems: dry, in full, and a second time."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from holdfast_client.importers import FORMATS, import_file
from tests import forked

MEM0 = {
    "results": [
        {"id": "m1", "memory": "Ana takes her tea green", "user_id": "ana", "metadata": {"n": 1}, "categories": ["drinks"], "created_at": "2026-01-02T03:04:05Z"},
        {"id": "m2", "memory": "The bot is polite", "agent_id": "bot"},
        {"id": "m3", "memory": " "},
    ]
}  # fmt: skip
LETTA = {
    "agents": [{"name": "sam", "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}, {"role": "assistant", "content": None}], "tools": [{"name": "t"}]}],
    "blocks": [{"id": "b1", "label": "human", "value": "Name: Ana"}],
    "passages": [{"id": "p1", "text": "Ana visited Porto."}],
}  # fmt: skip
ZEP = {
    "nodes": [{"uuid": "n1", "name": "Ana", "labels": ["Entity", "Person"], "summary": "A carpenter."}, {"uuid": "n2", "name": "Porto", "labels": ["Entity"]}],
    "edges": [{"uuid": "e1", "fact": "Ana lives in Porto", "name": "LIVES_IN", "source_node_uuid": "n1", "target_node_uuid": "n2", "valid_at": "2026-01-01T00:00:00Z"}],
    "threads": [{"thread_id": "t 1", "user_id": "ana", "messages": [{"uuid": "x", "role_type": "user", "content": "hi", "created_at": "2026-01-01T00:00:00Z"}]}],
}  # fmt: skip


def _node(id: str, parent: str | None, role: str, *parts: Any) -> dict[str, Any]:
    message = {
        "id": id,
        "author": {"role": role},
        "content": {"content_type": "text", "parts": list(parts)},
        "create_time": 1760000000.5,
    }
    return {"id": id, "parent": parent, "message": message}


CHATGPT = [
    {
        "conversation_id": "c1",
        "current_node": "d",
        "mapping": {
            "root": {"id": "root", "parent": None, "message": None},
            "a": _node("a", "root", "system", ""),
            "b": _node("b", "a", "user", "What tea?", {"asset_pointer": "x"}),
            "c": _node("c", "b", "assistant", "an answer that was thrown away"),
            "d": _node("d", "b", "assistant", "Green."),
        },
    }
]
CLAUDE = [{"uuid": "k1", "name": "tea", "chat_messages": [
    {"uuid": "1", "sender": "human", "text": "What tea?", "created_at": "2026-01-01T00:00:00Z", "attachments": [{}]},
    {"uuid": "2", "sender": "assistant", "text": "", "content": [{"type": "text", "text": "Green."}]},
]}]  # fmt: skip
MCP = "\n".join(
    [
        json.dumps(
            {
                "type": "entity",
                "name": "Ana",
                "entityType": "person",
                "observations": ["takes tea green", "lives in Porto"],
            }
        ),
        json.dumps({"type": "entity", "name": "Porto", "entityType": "city", "observations": []}),
        json.dumps({"type": "relation", "from": "Ana", "to": "Porto", "relationType": "lives in"}),
        json.dumps({"type": "relation", "from": "Ana", "to": "Nowhere", "relationType": "x"}),
        "{broken",
    ]
)
CASES = {
    "mem0": (MEM0, {"memories": 2}, {"a memory without a text": 1}),
    "letta": (LETTA, {"memories": 2, "messages": 1}, {"a message without a text": 1, "a tool": 1}),
    "zep": (ZEP, {"nodes": 2, "memories": 1, "relations": 1, "messages": 1}, {}),
    "chatgpt": (CHATGPT, {"messages": 2}, {"messages of other branches": 1}),
    "claude": (CLAUDE, {"messages": 2}, {"an attachment": 1}),
    "mcp": (
        MCP,
        {"nodes": 2, "relations": 1},
        {"a line that is not JSON": 1, "a relation of an unknown entity": 1},
    ),
}


def write(tmp_path: Path, content: Any) -> Path:
    file = tmp_path / "export.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


@pytest.mark.parametrize("source", sorted(CASES))
def test_an_export_is_imported_once(both, tmp_path, source) -> None:
    content, imported, left_out = CASES[source]
    file = write(tmp_path, content)
    dry = import_file(both.sync, source, file, dry_run=True)
    assert both.sync.memories.list().data == []
    assert set(dry.imported) == set(imported)
    seen: list[int] = []
    report = import_file(
        both.sync, source, file, progress=lambda done, total: seen.append(total - done)
    )
    assert (dict(report.imported), dict(report.left_out)) == (imported, left_out)
    assert seen[-1] == 0
    again = import_file(both.sync, source, file)
    assert set(again.imported) <= {"relations"}  # an edge is updated in place
    assert dict(again.left_out) == left_out


class Interrupted(Exception):
    """Stands for Ctrl-C in the middle of an import."""


@pytest.mark.parametrize("source", ["mem0", "zep", "chatgpt", "mcp"])
def test_an_interrupted_import_goes_on_where_it_is_run_again(both, tmp_path, source) -> None:
    """What came before the interruption is there already, and in all everything is there once."""
    content, imported, left_out = CASES[source]
    file = write(tmp_path, content)

    def stop(done: int, total: int) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        import_file(both.sync, source, file, progress=stop)
    report = import_file(both.sync, source, file)
    known = dict(report.unchanged)
    assert {kind: report.imported[kind] + known.get(kind, 0) for kind in imported} == imported
    assert dict(report.left_out) == left_out
    again = import_file(both.sync, source, file)
    assert set(again.imported) <= {"relations"}


def test_what_was_imported_is_there(both, tmp_path) -> None:
    import_file(both.sync, "mem0", write(tmp_path, MEM0))
    [tea] = both.sync.scope(user="ana").memories.list().data
    assert (tea.value, tea.trust, tea.source, sorted(tea.tags)) == (
        "Ana takes her tea green",
        "import",
        "mem0",
        ["drinks", "n=1"],
    )
    assert tea.valid_from is not None
    import_file(both.sync, "chatgpt", write(tmp_path, CHATGPT), user="bob")
    bob = both.sync.scope(user="bob")
    said = bob.conversations.read("sessions", key="chatgpt-c1").data
    assert [(each.role, each.content) for each in said] == [
        ("user", "What tea?"),
        ("assistant", "Green."),
    ]
    import_file(both.sync, "mcp", write(tmp_path, MCP))
    [ana] = [node for node in both.sync.nodes.list().data if node.name == "Ana"]
    assert ana.kind == "person"
    assert {item.content for item in both.sync.nodes.get(ana.id).items} == {
        "takes tea green",
        "lives in Porto",
    }
    assert len(both.sync.nodes.neighbors(ana.id).edges) == 1


def test_a_folder_of_markdown(both, tmp_path) -> None:
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("tea")
    (folder / "sub" / "b.md").write_text("cake")
    (folder / "blank.md").write_text(" ")
    (folder / "other.txt").write_text("x")
    first = import_file(both.sync, "markdown", folder)
    assert (dict(first.imported), dict(first.left_out)) == ({"texts": 2}, {"a blank file": 1})
    (folder / "a.md").write_text("coffee")
    second = import_file(both.sync, "markdown", folder, store="notes")
    assert (dict(second.imported), dict(second.unchanged)) == ({"texts": 1}, {"texts": 1})


@pytest.mark.parametrize("source", sorted(set(FORMATS) - {"markdown", "mcp"}))
def test_a_file_of_another_kind_is_refused(both, tmp_path, source) -> None:
    for content in ("{not json", "[1, 2]" if source != "mem0" else '"text"'):
        with pytest.raises(ValueError, match="not"):
            import_file(both.sync, source, write(tmp_path, content))
    with pytest.raises(ValueError, match="no known format"):
        import_file(both.sync, "nothing", write(tmp_path, "{}"))


def test_the_command(org, tmp_path) -> None:
    env = {**os.environ, "HOLDFAST_URL": org.url, "HOLDFAST_API_KEY": org.key}
    command = [
        "-m",
        "holdfast",
        "import",
        str(write(tmp_path, MEM0)),
        "--from",
        "mem0",
        "--json",
    ]
    for flags, created in ((["--dry-run"], 2), ([], 2), ([], None)):
        done = forked.run([*command, *flags], env=env)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["imported"].get("memories") == created
