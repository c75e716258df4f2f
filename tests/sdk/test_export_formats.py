"""What each format of another system becomes, piece by piece: nothing is asked of a service here."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from holdfast_client import Client
from holdfast_client.importers import import_file
from holdfast_client.importers.formats import FORMATS
from holdfast_client.importers.importing import _memory
from holdfast_client.importers.pieces import (
    EntityPiece,
    LeftOut,
    MemoryPiece,
    MessagePiece,
    RelationPiece,
    TextPiece,
)

NOWHERE = "http://127.0.0.1:9"


def pieces(tmp_path: Path, source: str, content: Any) -> list[Any]:
    file = tmp_path / "talk.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return list(FORMATS[source](file))


# --- mem0 ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"results": rows}, lambda rows: {"memories": rows}])  # fmt: skip
def test_memories_of_mem0_come_as_a_list_or_in_an_object(tmp_path, wrap) -> None:
    [one] = pieces(tmp_path, "mem0", wrap([{"id": "m1", "text": "Ana takes her tea green"}]))
    assert one == MemoryPiece("mem0:m1", "Ana takes her tea green")


def test_a_memory_of_mem0_without_an_id_has_the_same_key_each_time(tmp_path) -> None:
    rows = [{"memory": "tea"}, {"memory": "cake"}, "no memory at all", {"id": 7}]
    first, second, left_out = pieces(tmp_path, "mem0", rows)
    assert first.key != second.key
    assert pieces(tmp_path, "mem0", rows)[0].key == first.key
    assert left_out == LeftOut("a memory without a text", "7")


def test_a_memory_of_mem0_is_the_agents_only_where_it_is_nobodys(tmp_path) -> None:
    rows = [
        {"memory": "a", "user_id": "ana", "agent_id": "bot"},
        {"memory": "b", "agent_id": "bot"},
        {"memory": "c", "categories": None, "metadata": {"n": 1, "why": None}},
    ]
    hers, the_bots, tagged = pieces(tmp_path, "mem0", rows)
    assert (hers.user, hers.agent) == ("ana", None)
    assert (the_bots.user, the_bots.agent) == (None, "bot")
    assert tagged.tags == ("n=1", "why=None")


@pytest.mark.parametrize("content", ['{"entities": []}', '{"results": {}}', "7", "null"])
def test_what_is_no_list_of_memories_is_refused_with_what_was_expected(tmp_path, content) -> None:
    file = tmp_path / "export.json"
    file.write_text(content)
    with pytest.raises(ValueError, match=r"not an export of mem0 .*'results'"):
        import_file(Client(NOWHERE, "k"), "mem0", file)


# --- letta -----------------------------------------------------------------------------------------------------------


def test_blocks_and_passages_of_letta_are_read_where_either_version_has_them(tmp_path) -> None:
    old = {
        "name": "sam",
        "core_memory": [{"label": "persona", "value": "Kind."}, {"label": "empty", "value": " "}],
        "archival_memory": [{"text": "Ana visited Porto."}, {"text": None}],
        "messages": [
            {"role": "user", "text": "hello", "id": "1"},
            {"role": "narrator", "text": "x"},
        ],
        "tools": ["search"],
    }
    found = pieces(tmp_path, "letta", old)
    assert found[0] == MemoryPiece("letta:persona", "Kind.", tags=("block=persona",))
    assert (found[1].text, found[1].tags) == ("Ana visited Porto.", ("archival",))
    assert found[2] == MessagePiece("letta-sam", "1", "user", "hello")
    assert found[3:] == [
        LeftOut("a message without a text", "letta-sam"),
        LeftOut("a tool", "search"),
    ]


def test_a_conversation_of_letta_without_a_name_is_called_after_its_file(tmp_path) -> None:
    said = {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "image"}, "x"]}
    [message] = pieces(tmp_path, "letta", {"agents": [{"messages": [said]}]})
    assert (message.session, message.text) == ("letta-talk", "one")
    assert message.id.startswith("0-")  # its place, since it has no id


# --- zep -------------------------------------------------------------------------------------------------------------


def test_edges_of_zep_are_facts_relations_or_both(tmp_path) -> None:
    ends = {"source_node_uuid": "n1", "target_node_uuid": "n2"}
    export = {
        "nodes": [{"uuid": "n1", "name": "Ana"}, {"uuid": "n2", "name": "Porto", "labels": ["City"]}],
        "edges": [
            {"uuid": "e1", "fact": "Ana lives in Porto", "invalid_at": "2026-02-01T00:00:00Z", **ends},
            {"fact": "", "name": "LIKES", **ends},
            {"fact": "Nobody knows Bob", "source_node_uuid": "n1", "target_node_uuid": "n9"},
        ],
    }  # fmt: skip
    found = pieces(tmp_path, "zep", export)
    assert found[:2] == [EntityPiece("Ana", "entity", ()), EntityPiece("Porto", "city", ())]
    assert (found[2].key, found[2].valid_from) == ("zep:e1", None)
    assert found[2].valid_to == "2026-02-01T00:00:00Z"
    assert found[3:5] == [
        RelationPiece("Ana", "related to", "Porto"),
        RelationPiece("Ana", "LIKES", "Porto"),
    ]
    assert found[5].text == "Nobody knows Bob"
    assert len(found) == 6  # a relation with an end that is not there is none


def test_sessions_of_zep_are_conversations_each_of_its_user(tmp_path) -> None:
    said = {"uuid": "x", "role_type": "assistant", "role": "Sam", "content": "hi"}
    for names, session in (
        ({"session_id": "s1"}, "s1"),
        ({"uuid": "u1"}, "u1"),
        ({}, "talk"),
    ):
        export = {"sessions": [{**names, "user_id": "ana", "messages": [said]}], "facts": []}
        [message] = pieces(tmp_path, "zep", export)
        assert message == MessagePiece(session, "x", "assistant", "hi", "ana")


# --- chatgpt, claude ---------------------------------------------------------------------------------------------------


def node(parent: str | None, role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    return {"parent": parent, "message": {"id": "i", "author": {"role": role}, "content": {"parts": list(parts)}, **more}}  # fmt: skip


def test_a_branch_of_chatgpt_ends_where_its_parent_is_missing(tmp_path) -> None:
    talk = {
        "id": "c1",
        "current_node": "b",
        "mapping": {"a": node("lost", "user", "tea?"), "b": node("a", "assistant", "Green.", create_time=0)},
    }  # fmt: skip
    asked, answered = pieces(tmp_path, "chatgpt", [talk])
    assert (asked.role, asked.text, asked.created_at) == ("user", "tea?", None)
    assert answered.created_at == "1970-01-01T00:00:00+00:00"


def test_what_of_chatgpt_is_no_text_of_a_speaker_is_left_out(tmp_path) -> None:
    talk = {
        "id": "c1",
        "current_node": "c",
        "mapping": {
            "a": node(None, "system", "You are kind."),
            "b": node("a", "tool", {"image": 1}),
            "c": node("b", "user", {"image": 2}),
            "other": node("a", "user", "thrown away"),
        },
    }
    image = LeftOut("a part that is no text", "c1")
    others = LeftOut("messages of other branches", "c1", {"messages": 1})
    assert pieces(tmp_path, "chatgpt", [talk]) == [image, image, others]
    unread = {"id": "c2", "current_node": "nowhere", "mapping": talk["mapping"]}
    assert pieces(tmp_path, "chatgpt", [unread, {"id": "empty"}]) == [
        LeftOut("messages of other branches", "c2", {"messages": 4})
    ]


def test_messages_of_claude_have_their_text_in_either_place(tmp_path) -> None:
    talk = {
        "uuid": "k1",
        "chat_messages": [
            {"uuid": "1", "sender": "human", "content": [{"type": "text", "text": "a"}, {"type": "tool_use"}, {"type": "text", "text": "b"}]},
            {"uuid": "2", "sender": "narrator", "text": "nobody"},
            {"uuid": "3", "sender": "assistant", "text": " ", "files": [{}]},
        ],
    }  # fmt: skip
    message, attachment = pieces(tmp_path, "claude", [talk])
    assert message == MessagePiece("k1", "1", "user", "a\nb")
    assert attachment == LeftOut("an attachment", "k1")


# --- mcp, markdown -----------------------------------------------------------------------------------------------------


def test_lines_of_the_memory_server_that_cannot_be_read_are_named(tmp_path) -> None:
    lines = ['{"type": "entity", "name": "Ana"}', "", "{broken", '{"type": "dream"}']
    assert pieces(tmp_path, "mcp", "\n".join(lines)) == [
        EntityPiece("Ana", "entity", ()),
        LeftOut("a line that is not JSON", "line 3"),
        LeftOut("a line of an unknown type", "line 4"),
    ]


@pytest.mark.parametrize("line", ['{"type": "entity"}', '{"type": "relation", "from": "a"}', "[1]"])
def test_a_line_without_its_fields_is_no_export_of_the_memory_server(tmp_path, line) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(line)
    with pytest.raises(ValueError, match="not an export of mcp"):
        import_file(Client(NOWHERE, "k"), "mcp", file)


def test_files_of_a_folder_that_are_hidden_or_blank_are_no_texts(tmp_path) -> None:
    for path, text in (("a/b.md", b"tea"), (".git/c.md", b"x"), ("d.md", b"\n"), ("e.md", b"\xff")):
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text)
    assert list(FORMATS["markdown"](tmp_path)) == [
        TextPiece("a/b.md", "tea"),
        LeftOut("a blank file", "d.md"),
        TextPiece("e.md", "\N{REPLACEMENT CHARACTER}"),
    ]


def test_a_file_is_no_folder_of_markdown(tmp_path) -> None:
    file = tmp_path / "a.md"
    file.write_text("tea")
    with pytest.raises(ValueError, match="is no folder"):
        import_file(Client(NOWHERE, "k"), "markdown", file)


# --- what is written ---------------------------------------------------------------------------------------------------


def test_a_memory_is_written_within_the_limits_and_with_its_times() -> None:
    piece = MemoryPiece(
        "k" * 300,
        "tea",
        agent="bot",
        tags=tuple(map(str, range(40))),
        valid_from="2026-01-02T03:04:05",
        valid_to="2026-02-01T00:00:00+01:00",
    )
    made = _memory(piece, "mem0")
    assert (len(made["key"]), len(made["tags"])) == (200, 32)
    assert (made["source"], made["trust"], made["scope"], made["agent_id"]) == (
        "mem0",
        "import",
        "agent",
        "bot",
    )
    assert made["valid_from"] == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)  # without an offset: UTC
    assert made["valid_to"] == datetime(2026, 1, 31, 23, tzinfo=UTC)


@pytest.mark.parametrize("when", ["soon", "", 1760000000, {"year": 2026}])
def test_a_time_that_cannot_be_read_is_left_out_and_the_memory_is_kept(when) -> None:
    made = _memory(MemoryPiece("k", "tea", valid_from=when, valid_to=when), "mem0")
    assert made["value"] == "tea"
    assert not {"valid_from", "valid_to"} & made.keys()
