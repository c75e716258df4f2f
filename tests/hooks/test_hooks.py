"""Hooks of coding agents: payloads in each agent's form, to the command that is installed.

The payloads were written by hand after the agents' formats; they were not recorded from running agents.
"""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.hooks.agents import AGENTS, configured, read
from holdfast.hooks.events import project_id, project_root, session_id
from holdfast.hooks.texts import CLOSE, OPEN, last_reply, marked, unmarked
from holdfast_client import AsyncClient, HoldfastError

PAYLOADS: dict[str, list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("payloads.json").read_text()
)
PROMPT, REPLY = "Which tea does Ana take?", "Green tea, as always."


def run_hook(agent: str, payload: object, env: dict[str, str]) -> str:
    """What the hook prints; it must end with status 0 whatever it is given."""
    done = subprocess.run(
        [sys.executable, "-m", "holdfast.hooks", agent],
        input=payload if isinstance(payload, str) else json.dumps(payload),
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


async def eventually(check) -> Any:
    """Until the background child of a hook has written."""
    for _ in range(400):
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


@pytest.mark.parametrize("agent", sorted(AGENTS))
async def test_a_session_of_each_agent(org, agent, repository, tmp_path) -> None:
    transcript = tmp_path / "transcript.jsonl"
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
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"cut')
    filled = {"CWD": str(repository / "src"), "TRANSCRIPT": str(transcript), "REPLY": REPLY}
    filled["PROMPT"] = f"{PROMPT}\n{marked(['- injected before'])}"
    payloads = [
        {
            key: filled.get(value, value)
            if isinstance(value, str)
            else ([filled["CWD"]] if value == ["CWD"] else value)
            for key, value in payload.items()
        }
        for payload in PAYLOADS[agent]
    ]
    env = {"HOLDFAST_URL": org.url, "HOLDFAST_API_KEY": org.key, "HOLDFAST_HOOK_TIMEOUT_S": "30"}
    async with AsyncClient(org.url, org.key) as client:
        await client.remember("Ana takes her tea green")
        await client.blocks.write("core", "Answer in short sentences.", expected_updated_at=None)
        started = run_hook(agent, payloads[0], env)
        assert "Answer in short sentences." in started
        json.loads(started)
        await eventually(lambda: client.directory.read_project(project_id(repository)))
        said = run_hook(agent, payloads[1], env)
        if agent == "cursor":  # it takes no context at a prompt
            assert json.loads(said) == {"continue": True}
        else:
            assert (
                "Ana takes her tea green"
                in json.loads(said)["hookSpecificOutput"]["additionalContext"]
            )
        key = session_id(agent, payloads[0]["session_id"])

        async def messages() -> list[tuple[str, str]]:
            return [
                (each.role, each.content)
                for each in (await client.conversations.read("sessions", key=key)).data
            ]

        await eventually(messages)
        assert run_hook(agent, payloads[2], env) == ""

        async def both() -> bool:
            return len(await messages()) == 2

        await eventually(both)
        # What a hook had put into the prompt is not stored.
        assert await messages() == [("user", PROMPT), ("assistant", REPLY)]
        assert (await client.directory.read_session(key)).project_id == project_id(repository)
        for payload in payloads[3:]:
            assert run_hook(agent, payload, env) == ""
        if payloads[3:]:

            async def settling() -> bool:
                return any(job.kind == "settle" for job in (await client.jobs.list()).data)

            await eventually(settling)


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
    assert run_hook("claude-code", PAYLOADS["claude-code"][1], unreachable) == ""
    nowhere = {"HOLDFAST_URL": "", "HOLDFAST_API_KEY": "", "HOLDFAST_DATA_DIR": str(tmp_path)}
    assert run_hook("claude-code", PAYLOADS["claude-code"][0], nowhere) == ""


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
    for payload in PAYLOADS[agent]:
        assert read(known, payload) is not None


def test_install_and_remove(tmp_path) -> None:
    def holdfast(*words: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "HOME": str(tmp_path)}
        command = [sys.executable, "-m", "holdfast", "hooks", *words]
        return subprocess.run(
            command, env=env, capture_output=True, text=True, check=False, timeout=60
        )

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
    assert marked(["", " "]) == ""
    assert project_root(tmp_path) == tmp_path
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert last_reply(empty) == ""


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
