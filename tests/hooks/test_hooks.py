"""Hooks of coding agents: each agent's payloads, to the command that is installed.

recorded/         what running agents sent to their hooks, with ids and paths replaced by neutral ones
documented.json   payloads after the documentation: Cursor, and Claude Code where the reply is only in the transcript
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.hooks.agents import AGENTS, configured, read
from holdfast.hooks.events import project_id, project_root, session_id
from holdfast.hooks.texts import (
    CLOSE,
    MAX_TRANSCRIPT_BYTES,
    OPEN,
    last_reply,
    marked,
    unmarked,
)
from holdfast_client import AsyncClient, HoldfastError
from tests import forked

HERE = Path(__file__).parent
DOCUMENTED: dict[str, list[dict[str, Any]]] = json.loads((HERE / "documented.json").read_text())
RECORDED: dict[str, list[dict[str, Any]]] = {
    file.stem: json.loads(file.read_text())["payloads"] for file in HERE.glob("recorded/*.json")
}
SOURCES = [
    *((agent, "recorded") for agent in sorted(RECORDED)),
    *((agent, "documented") for agent in sorted(DOCUMENTED)),
]
PROMPT, REPLY = "Which tea does Ana take?", "Green tea, as always."


def run_hook(agent: str, payload: object, env: dict[str, str]) -> str:
    """What the hook prints; it must end with status 0 whatever it is given."""
    done = forked.run(
        ["-m", "holdfast.hooks", agent],
        input=payload if isinstance(payload, str) else json.dumps(payload),
        env={**os.environ, **env},
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


async def eventually(check) -> Any:
    """Until the background child of a hook has written."""
    for _ in range(1200):
        try:
            if found := await check():
                return found
        except HoldfastError:
            pass
        await asyncio.sleep(0.05)
    raise AssertionError("nothing was written")


@pytest.fixture
def repository(tmp_path) -> Path:
    (tmp_path / "tea shop" / ".git").mkdir(parents=True)
    (tmp_path / "tea shop" / "src").mkdir()
    return tmp_path / "tea shop"


def payloads_of(agent: str, source: str, cwd: Path, transcript: Path) -> list[dict[str, Any]]:
    """The payloads of a session in this folder; the prompt has what an earlier hook put into it."""
    prompt = f"{PROMPT}\n{marked(['- injected before'])}"
    if source == "recorded":
        return [
            {**payload, "cwd": str(cwd), **({"prompt": prompt} if "prompt" in payload else {})}
            for payload in RECORDED[agent]
        ]
    filled = {"CWD": str(cwd), "TRANSCRIPT": str(transcript), "REPLY": REPLY, "PROMPT": prompt}
    return [
        {
            key: filled.get(value, value)
            if isinstance(value, str)
            else ([str(cwd)] if value == ["CWD"] else value)
            for key, value in payload.items()
        }
        for payload in DOCUMENTED[agent]
    ]


def write_transcript(file: Path) -> None:
    lines = [
        {"type": "user", "message": {"role": "user", "content": PROMPT}},
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": REPLY}]},
        },
        {
            "type": "user",
            "message": {"role": "user", "content": [{"type": "tool_result", "content": "x"}]},
        },
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"cut')


@pytest.mark.parametrize(("agent", "source"), SOURCES)
async def test_a_session_of_each_agent(org, agent, source, repository, tmp_path) -> None:
    transcript = tmp_path / "transcript.jsonl"
    write_transcript(transcript)
    payloads = payloads_of(agent, source, repository / "src", transcript)
    env = {"HOLDFAST_URL": org.url, "HOLDFAST_API_KEY": org.key, "HOLDFAST_HOOK_TIMEOUT_S": "30"}
    key = session_id(agent, payloads[0]["session_id"])
    async with AsyncClient(org.url, org.key) as client:

        async def messages() -> list[tuple[str, str]]:
            found = await client.conversations.read("sessions", key=key)
            return [(each.role, each.content) for each in found.data]

        async def settling() -> bool:
            return any(job.kind == "settle" for job in (await client.jobs.list()).data)

        await client.remember("Ana takes her tea green")
        await client.blocks.write("core", "Answer in short sentences.", expected_updated_at=None)
        for payload in payloads:
            happened = read(AGENTS[agent], payload)
            printed = run_hook(agent, payload, env)
            if happened is None:  # Gemini CLI's check in every turn
                assert printed == ""
            elif happened.event == "start":
                assert "Answer in short sentences." in json.dumps(json.loads(printed))
                await eventually(lambda: client.directory.read_project(project_id(repository)))
            elif happened.event == "prompt" and agent == "cursor":  # it takes no context here
                assert json.loads(printed) == {"continue": True}
                await eventually(messages)
            elif happened.event == "prompt":
                given = json.loads(printed)["hookSpecificOutput"]
                assert given["hookEventName"] == payload["hook_event_name"]
                assert "Ana takes her tea green" in given["additionalContext"]
                await eventually(messages)
            elif happened.event == "stop":
                assert printed == ""

                async def both() -> bool:
                    return len(await messages()) == 2

                await eventually(both)
                assert not await settling()
            else:
                assert printed == ""
                await eventually(settling)
        # What a hook had put into the prompt is not stored.
        assert await messages() == [("user", PROMPT), ("assistant", REPLY)]
        assert (await client.directory.read_session(key)).project_id == project_id(repository)


def test_each_event_that_is_installed_was_recorded_or_is_documented() -> None:
    """Gemini CLI's PreCompress is settled at only where the user asks for it, since it comes in every turn."""
    for agent, known in AGENTS.items():
        payloads = [*RECORDED.get(agent, []), *DOCUMENTED.get(agent, [])]
        assert {payload["hook_event_name"] for payload in payloads} == set(known.events)
        for payload in payloads:
            automatic = (payload["hook_event_name"], payload.get("trigger"))
            assert (read(known, payload) is None) == (automatic == ("PreCompress", "auto"))
    by_hand = {"hook_event_name": "PreCompress", "session_id": "g", "trigger": "manual"}
    asked = read(AGENTS["gemini-cli"], by_hand)
    assert asked is not None
    assert asked.event == "settle"


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "{not json",
        "[]",
        {},
        {"hook_event_name": "Unknown", "session_id": "x"},
        {"hook_event_name": "Stop"},
    ],
)
def test_it_fails_open(payload, tmp_path) -> None:
    unreachable = {"HOLDFAST_URL": "http://127.0.0.1:9", "HOLDFAST_API_KEY": "hf_live_none"}
    assert run_hook("claude-code", payload, unreachable) == ""
    assert run_hook("claude-code", RECORDED["claude-code"][1], unreachable) == ""
    nowhere = {"HOLDFAST_URL": "", "HOLDFAST_API_KEY": "", "HOLDFAST_DATA_DIR": str(tmp_path)}
    assert run_hook("claude-code", RECORDED["claude-code"][0], nowhere) == ""


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_settings_keep_the_hooks_of_others(agent) -> None:
    known = AGENTS[agent]
    name = next(iter(known.events))
    others = {"theme": "dark", "hooks": {name: [{"command": "mine"}], "Other": [{"command": "x"}]}}
    once = configured(known, others, "python -m holdfast.hooks x")
    assert configured(known, once, "python -m holdfast.hooks x") == once
    assert once["hooks"][name][0] == {"command": "mine"}
    assert set(once["hooks"]) == {*known.events, "Other"}
    assert configured(known, once, None) == {**(known.fixed or {}), **others}


def test_install_and_remove(tmp_path) -> None:
    def holdfast(*words: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "HOME": str(tmp_path)}
        return forked.run(["-m", "holdfast", "hooks", *words], env=env)

    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"theme": "dark"}')
    assert holdfast("install", "claude-code").returncode == 0
    assert "holdfast.hooks" in settings.read_text()
    assert json.loads(settings.with_name("settings.json.bak").read_text()) == {"theme": "dark"}
    assert holdfast("remove", "claude-code").returncode == 0
    assert json.loads(settings.read_text()) == {"theme": "dark"}
    settings.write_text("{broken")
    refused = holdfast("install", "claude-code")
    assert refused.returncode != 0
    assert settings.read_text() == "{broken"
    assert holdfast("install", "nobody").returncode != 0


def test_marks_and_roots(tmp_path) -> None:
    text = marked([f"a {CLOSE} b", "", "c"])
    assert text.count(CLOSE) == text.count(OPEN) == 1
    assert unmarked(f"before {text} after") == "before  after"
    assert unmarked(f"cut {OPEN} the end is missing") == "cut"
    escaped = text.replace("<", "&lt;").replace(">", "&gt;")
    assert unmarked(f"before {escaped} after") == "before  after"
    assert marked(["", " "]) == ""
    assert project_root(tmp_path) == tmp_path
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert last_reply(empty) == ""


@pytest.mark.parametrize(
    ("lines", "reply"),
    [
        ([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}], "a"),
        ([{"type": "gemini"}, {"role": "model", "content": [{"text": "a"}, {"image": 1}, "x"]}], "a"),
        # Several answers since the prompt, with the results of tools between them.
        ([{"role": "assistant", "content": "old"}, {"role": "user", "content": "q"},
          {"role": "assistant", "content": "a"}, {"role": "user", "content": [{"type": "tool_result"}]},
          {"role": "assistant", "content": "b"}], "a\n\nb"),
        # Lines of another shape are passed over.
        ([{"role": "assistant", "content": "a"}, {"message": "a line of the log"}, ["x"], 7, None,
          {"message": None, "content": {"text": "x"}, "role": "assistant"}], "a"),
        ([{"role": "user", "content": "q"}], ""),
    ],
)  # fmt: skip
def test_the_reply_is_read_from_a_transcript_whatever_else_is_in_it(tmp_path, lines, reply) -> None:
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + '{"cut')
    assert last_reply(transcript) == reply


def test_of_a_long_transcript_the_end_is_read(tmp_path) -> None:
    transcript = tmp_path / "transcript.jsonl"
    long = json.dumps({"role": "assistant", "content": "x" * MAX_TRANSCRIPT_BYTES})
    transcript.write_text(f"{long}\n" + json.dumps({"role": "assistant", "content": "the end"}))
    assert last_reply(transcript) == "the end"


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_fields_that_are_missing_or_null_are_read_as_nothing(agent) -> None:
    known = AGENTS[agent]
    for name, event in known.events.items():
        whole = {"hook_event_name": name, "session_id": "s", "cwd": "/work"}
        happened = read(known, {**whole, "prompt": None, "transcript_path": None})
        assert happened is not None
        assert (happened.event, happened.session, happened.cwd) == (event, "s", Path("/work"))
        assert (happened.prompt, happened.reply, happened.transcript) == ("", "", None)
        assert read(known, {**whole, "cwd": None}).cwd == Path()
        for missing in ("hook_event_name", "session_id"):
            assert read(known, {**whole, missing: None}) is None
            assert (
                read(known, {key: value for key, value in whole.items() if key != missing}) is None
            )


def test_names_that_an_id_may_not_have_are_written_otherwise(tmp_path) -> None:
    assert session_id("codex", "a b/c") == "codex:a-b-c"
    assert len(session_id("codex", "x" * 300)) == 128
    odd = tmp_path / "tea & cake"
    odd.mkdir()
    assert re.fullmatch(r"tea-cake-[0-9a-f]{8}", project_id(odd))
    assert project_id(odd) != project_id(tmp_path)
    assert re.fullmatch(r"root-[0-9a-f]{8}", project_id(Path("/")))


def test_a_hook_loads_nothing_that_it_does_not_use(org, tmp_path) -> None:
    """The agent waits for it: neither the server's libraries nor the command line of httpx are loaded."""
    code = (
        "import sys\n"
        "sys.argv = ['hooks', 'claude-code']\n"
        "from holdfast.hooks.__main__ import main\n"
        "assert main() == 0\n"
        "loaded = {name for name in sys.modules if sys.modules[name] is not None}\n"
        "assert 'httpx' in loaded\n"
        "unwanted = {'trio', 'rich', 'click', 'typer', 'pydantic', 'fastapi', 'psycopg', 'numpy'}\n"
        "print(sorted(unwanted & loaded), file=sys.stderr)\n"
    )
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps({**payload, "prompt": PROMPT}),
        env={**os.environ, "HOLDFAST_URL": org.url, "HOLDFAST_API_KEY": org.key},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr.strip()) == (0, "[]")
