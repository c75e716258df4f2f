"""The coding agents: their events, their payloads, the form of an answer, and where their hooks are configured."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Event = Literal["start", "prompt", "stop", "settle"]
MARK = "holdfast.hooks"  # in every command of ours, by which an installation finds them again


@dataclass(frozen=True, slots=True)
class CodingAgent:
    """One agent. `events` maps its names to ours; `answer` renders a text that the model shall read."""

    events: Mapping[str, Event]
    settings: tuple[str, ...]  # below the home folder
    answer: Callable[[str, str], str]
    entry: Callable[[str, str], Any]  # the configuration of one event: its name, our command
    fixed: Mapping[str, Any] | None = None  # what else the file must say
    ignored: frozenset[tuple[str, str]] = frozenset()  # events with this trigger


@dataclass(frozen=True, slots=True)
class Happened:
    """An event as any agent tells of it."""

    event: Event
    name: str
    session: str
    cwd: Path
    prompt: str = ""
    reply: str = ""
    transcript: Path | None = None


def read(agent: CodingAgent, payload: Mapping[str, Any]) -> Happened | None:
    """The event of a payload; None for one that nothing is done at."""
    name = str(payload.get("hook_event_name", ""))
    event = agent.events.get(name)
    if (name, payload.get("trigger")) in agent.ignored:
        return None
    session = payload.get("session_id") or payload.get("conversation_id")
    if event is None or not session:
        return None
    roots = payload.get("workspace_roots") or []
    transcript = payload.get("transcript_path")
    reply = next(
        (
            payload[key]
            for key in ("last_assistant_message", "prompt_response", "text")
            if payload.get(key)
        ),
        "",
    )
    return Happened(
        event,
        name,
        str(session),
        Path(payload.get("cwd") or (roots[0] if roots else ".")),
        prompt=str(payload.get("prompt") or ""),
        reply=str(reply),
        transcript=Path(transcript) if transcript else None,
    )


def _additional_context(name: str, text: str) -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}})


def _for_cursor(name: str, text: str) -> str:
    return json.dumps(
        {"additional_context": text} if name == "sessionStart" else {"continue": True}
    )


def _matched(name: str, command: str) -> Any:
    hook = {"type": "command", "command": command, "timeout": 5}
    return (
        {"matcher": "startup|resume|compact", "hooks": [hook]}
        if name == "SessionStart"
        else {"hooks": [hook]}
    )


def _plain(name: str, command: str) -> Any:
    # Codex lowers a longer time-out of SessionEnd to 3 s and prints a warning at each start.
    timeout_s = 3 if name == "SessionEnd" else 5
    return {"hooks": [{"type": "command", "command": command, "timeout": timeout_s}]}


def _named(_: str, command: str) -> Any:
    # Gemini's time-outs are milliseconds.
    return {
        "matcher": "*",
        "hooks": [{"name": "holdfast", "type": "command", "command": command, "timeout": 5000}],
    }


def _bare(_: str, command: str) -> Any:
    return {"command": command}


AGENTS: Mapping[str, CodingAgent] = {
    "claude-code": CodingAgent(
        {
            "SessionStart": "start",
            "UserPromptSubmit": "prompt",
            "Stop": "stop",
            "PreCompact": "settle",
            "SessionEnd": "settle",
        },
        (".claude", "settings.json"),
        _additional_context,
        _matched,
    ),
    "codex": CodingAgent(
        {
            "SessionStart": "start",
            "UserPromptSubmit": "prompt",
            "Stop": "stop",
            "PreCompact": "settle",
            "SessionEnd": "settle",
        },
        (".codex", "hooks.json"),
        _additional_context,
        _plain,
    ),
    "gemini-cli": CodingAgent(
        {
            "SessionStart": "start",
            "BeforeAgent": "prompt",
            "AfterAgent": "stop",
            "PreCompress": "settle",
            "SessionEnd": "settle",
        },
        (".gemini", "settings.json"),
        _additional_context,
        _named,
        # Gemini CLI runs it in every turn, before it decides whether to compress.
        ignored=frozenset({("PreCompress", "auto")}),
    ),
    "cursor": CodingAgent(
        {
            "sessionStart": "start",
            "beforeSubmitPrompt": "prompt",
            "afterAgentResponse": "stop",
            "preCompact": "settle",
            "sessionEnd": "settle",
        },
        (".cursor", "hooks.json"),
        _for_cursor,
        _bare,
        fixed={"version": 1},
    ),
}


def configured(
    agent: CodingAgent, present: Mapping[str, Any], command: str | None
) -> dict[str, Any]:
    """The agent's settings with our hooks, or without them where `command` is None; everybody else's stay as they are."""
    hooks = {
        name: [entry for entry in entries if MARK not in json.dumps(entry)]
        for name, entries in (present.get("hooks") or {}).items()
    }
    if command is not None:
        for name in agent.events:
            hooks.setdefault(name, []).append(agent.entry(name, command))
    hooks = {name: entries for name, entries in hooks.items() if entries}
    rest = {name: value for name, value in present.items() if name != "hooks"}
    return {**(agent.fixed or {}), **rest, **({"hooks": hooks} if hooks else {})}
