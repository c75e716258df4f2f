"""The formats: each reads a file or folder into pieces."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from holdfast_client.importers.pieces import (
    EntityPiece,
    LeftOut,
    MemoryPiece,
    MessagePiece,
    Piece,
    RelationPiece,
    TextPiece,
)

ROLES = {
    "human": "user",
    "user": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
}


def read_mem0(path: Path) -> Iterator[Piece]:
    """What `get_all` of mem0 answers: a list of memories, or an object with `results`."""
    for row in _rows(_json(path), "results", "memories"):
        text = row.get("memory") or row.get("text") or ""
        if not text.strip():
            yield LeftOut("a memory without a text", str(row.get("id", "")))
            continue
        tags = [
            *(row.get("categories") or []),
            *(f"{key}={value}" for key, value in (row.get("metadata") or {}).items()),
        ]
        yield MemoryPiece(
            f"mem0:{row.get('id') or _digest(text)}",
            text,
            user=row.get("user_id"),
            agent=row.get("agent_id") if not row.get("user_id") else None,
            tags=tuple(map(str, tags)),
            valid_from=row.get("created_at"),
        )


def read_letta(path: Path) -> Iterator[Piece]:
    """An agent file of Letta: blocks and passages become memories, messages a conversation."""
    found = _json(path)
    agents = found.get("agents") or [found]
    for block in [
        *found.get("blocks", []),
        *(each for agent in agents for each in agent.get("core_memory") or []),
    ]:
        label, text = block.get("label", "block"), block.get("value") or ""
        if text.strip():
            yield MemoryPiece(f"letta:{block.get('id') or label}", text, tags=(f"block={label}",))
    for passage in [*found.get("passages", []), *found.get("archival_memory", [])]:
        text = passage.get("text") or ""
        if text.strip():
            yield MemoryPiece(
                f"letta:{passage.get('id') or _digest(text)}",
                text,
                tags=("archival",),
                valid_from=passage.get("created_at"),
            )
    for agent in agents:
        session = f"letta-{agent.get('name') or agent.get('id') or path.stem}"
        for number, message in enumerate(agent.get("messages") or []):
            yield _message(session, message, number)
        for tool in agent.get("tools") or []:
            yield LeftOut("a tool", str(tool.get("name", "") if isinstance(tool, dict) else tool))


def read_zep(path: Path) -> Iterator[Piece]:
    """An export of Zep or Graphiti: facts of edges become memories with their validity, messages conversations, nodes nodes."""
    found = _json(path)
    names: dict[str, str] = {}
    for node in found.get("nodes", []):
        names[str(node.get("uuid"))] = str(node.get("name"))
        summary = (node.get("summary"),) if node.get("summary") else ()
        kinds = [label for label in node.get("labels") or [] if label != "Entity"]
        yield EntityPiece(
            str(node.get("name")),
            (kinds[0] if kinds else "entity").lower(),
            tuple(map(str, summary)),
        )
    for edge in found.get("edges", found.get("facts", [])):
        fact = edge.get("fact") or ""
        if fact.strip():
            yield MemoryPiece(
                f"zep:{edge.get('uuid') or _digest(fact)}",
                fact,
                valid_from=edge.get("valid_at"),
                valid_to=edge.get("invalid_at"),
            )
        ends = (
            names.get(str(edge.get("source_node_uuid"))),
            names.get(str(edge.get("target_node_uuid"))),
        )
        if ends[0] and ends[1]:
            yield RelationPiece(ends[0], str(edge.get("name") or "related to"), ends[1])
    threads = found.get("threads") or found.get("sessions") or [found]
    for thread in threads:
        session = str(
            thread.get("thread_id") or thread.get("session_id") or thread.get("uuid") or path.stem
        )
        for number, message in enumerate(thread.get("messages") or []):
            yield _message(session, message, number, user=thread.get("user_id"))


def read_chatgpt(path: Path) -> Iterator[Piece]:
    """`conversations.json` of ChatGPT: the branch that was read last of each conversation."""
    for talk in _json(path):
        session = str(talk.get("conversation_id") or talk.get("id"))
        nodes, at, branch = talk.get("mapping") or {}, talk.get("current_node"), []
        while at is not None and at in nodes:
            branch.append(nodes[at])
            at = nodes[at].get("parent")
        for node in reversed(branch):
            message = node.get("message") or {}
            role = ROLES.get((message.get("author") or {}).get("role", ""))
            parts = (message.get("content") or {}).get("parts") or []
            text = "\n".join(part for part in parts if isinstance(part, str)).strip()
            if role in ("user", "assistant") and text:
                yield MessagePiece(
                    session,
                    str(message.get("id")),
                    role,
                    text,
                    created_at=_instant(message.get("create_time")),
                )
            elif any(not isinstance(part, str) for part in parts):
                yield LeftOut("a part that is no text", session)
        if len(nodes) > len(branch):
            yield LeftOut(
                "messages of other branches", session, {"messages": len(nodes) - len(branch)}
            )


def read_claude(path: Path) -> Iterator[Piece]:
    """`conversations.json` of Claude."""
    for talk in _json(path):
        session = str(talk.get("uuid"))
        for message in talk.get("chat_messages") or []:
            parts = [
                part.get("text")
                for part in message.get("content") or []
                if part.get("type") == "text"
            ]
            text = (message.get("text") or "\n".join(part for part in parts if part)).strip()
            role = ROLES.get(message.get("sender", ""))
            if role and text:
                yield MessagePiece(
                    session,
                    str(message.get("uuid")),
                    role,
                    text,
                    created_at=message.get("created_at"),
                )
            if message.get("attachments") or message.get("files"):
                yield LeftOut("an attachment", session)


def read_mcp(path: Path) -> Iterator[Piece]:
    """The JSON lines of the reference MCP memory server."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            yield LeftOut("a line that is not JSON", f"line {number}")
            continue
        if row.get("type") == "entity":
            yield EntityPiece(
                row["name"], row.get("entityType") or "entity", tuple(row.get("observations") or ())
            )
        elif row.get("type") == "relation":
            yield RelationPiece(row["from"], row["relationType"], row["to"])
        else:
            yield LeftOut("a line of an unknown type", f"line {number}")


def read_markdown(path: Path) -> Iterator[Piece]:
    """A folder of markdown files, each at its path."""
    if not path.is_dir():
        raise ValueError(f"{path} is no folder of markdown files")
    for file in sorted(path.rglob("*.md")):
        name = file.relative_to(path).as_posix()
        text = file.read_text(errors="replace")
        if any(part.startswith(".") for part in name.split("/")):
            continue
        yield TextPiece(name, text) if text.strip() else LeftOut("a blank file", name)


FORMATS: Mapping[str, Callable[[Path], Iterator[Piece]]] = {
    "chatgpt": read_chatgpt,
    "claude": read_claude,
    "letta": read_letta,
    "markdown": read_markdown,
    "mcp": read_mcp,
    "mem0": read_mem0,
    "zep": read_zep,
}


def _message(
    session: str, message: Mapping[str, Any], number: int, user: str | None = None
) -> Piece:
    content = message.get("content") or message.get("text") or ""
    if not isinstance(content, str):
        content = "\n".join(
            str(part.get("text") or "") for part in content if isinstance(part, dict)
        )
    role = ROLES.get(str(message.get("role_type") or message.get("role") or ""))
    if role is None or not content.strip():
        return LeftOut("a message without a text", session)
    made = str(message.get("id") or message.get("uuid") or f"{number}-{_digest(content)}")
    return MessagePiece(session, made, role, content.strip(), user, message.get("created_at"))


def _rows(found: Any, *names: str) -> list[dict[str, Any]]:
    if isinstance(found, dict):
        found = next((found[name] for name in names if name in found), None)
    if not isinstance(found, list):
        raise TypeError(f"a list of memories, or an object with {names[0]!r}, was expected")
    return [row for row in found if isinstance(row, dict)]


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _instant(seconds: Any) -> str | None:
    return (
        datetime.fromtimestamp(seconds, UTC).isoformat()
        if isinstance(seconds, int | float)
        else None
    )
