"""`holdfast mcp` as a client starts it, and its entry in clients' settings."""

import json
import os
import stat
import sys
from types import SimpleNamespace

import pytest
from mcp import Client, StdioServerParameters

from tests.mcp_client import ask, started

CLIENTS = {
    "claude-desktop": ("mcpServers", "{home}/.config/Claude/claude_desktop_config.json"),
    "claude-code": ("mcpServers", "{project}/.mcp.json"),
    "cursor": ("mcpServers", "{home}/.cursor/mcp.json"),
    "vscode": ("servers", "{project}/.vscode/mcp.json"),
    "windsurf": ("mcpServers", "{home}/.codeium/windsurf/mcp_config.json"),
    "gemini-cli": ("mcpServers", "{home}/.gemini/settings.json"),
}


async def test_what_install_prints_starts_a_server(org, holdfast):
    options = ("--agent", "bot", "--org", org.id, "--tools", "core,entries")
    code, out, err = holdfast("mcp", "install", *options)
    assert code == 0
    assert "claude_desktop_config.json" in err
    entry = json.loads(out)["mcpServers"]["holdfast"]
    command = StdioServerParameters(
        command=entry["command"], args=entry["args"], env={**os.environ, **entry["env"]}
    )
    async with Client(command) as client:
        assert (await ask(client, "memory_store", key="k", content="c"))["agent_id"] == "bot"


@pytest.mark.skipif(sys.platform != "linux", reason="the places are those of Linux")
@pytest.mark.parametrize("client", CLIENTS)
def test_install_writes_into_the_settings_and_keeps_what_is_there(
    holdfast, client, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    home = {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": ""}
    home["XDG_CONFIG_HOME"] = str(tmp_path / "home" / ".config")
    servers, where = CLIENTS[client]
    path = tmp_path.joinpath(where.format(home=tmp_path / "home", project=tmp_path))
    path.parent.mkdir(parents=True, exist_ok=True)
    before = {"theme": "dark", servers: {"other": {"command": "x"}}}
    path.write_text(json.dumps(before))

    for agent in ("one", "two"):
        code, _, err = holdfast(
            *("mcp", "install", "--client", client, "--write", "--agent", agent),
            HOLDFAST_DATA_DIR=str(tmp_path / "none"),
            **home,
        )
        assert code == 0, err
    after = json.loads(path.read_text())
    entry = after[servers].pop("holdfast")
    assert entry["args"][-3:] == ["mcp", "--agent", "two"]
    assert ("type" in entry) == (client in ("claude-code", "vscode"))
    assert after == before
    assert (
        json.loads(path.with_name(f"{path.name}.bak").read_text()) == before
    )  # the first one stays


def test_install_leaves_settings_that_it_cannot_read(holdfast, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / ".mcp.json"
    path.write_text("{ // mine\n}")
    none = {"HOLDFAST_DATA_DIR": str(tmp_path / "none")}
    code, _, err = holdfast("mcp", "install", "--client", "claude-code", "--write", **none)
    assert (code, err.count("\n")) == (1, 1)
    assert "by hand" in err
    assert path.read_text() == "{ // mine\n}"
    code, _, err = holdfast("mcp", "install", "--client", "netscape")
    assert (code, "claude-desktop" in err) == (1, True)


def _mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def in_project(holdfast, tmp_path, monkeypatch):
    """Runs `mcp install --write` for a client whose settings are the project's."""
    monkeypatch.chdir(tmp_path)

    def install(*words, **env):
        env = {"HOLDFAST_DATA_DIR": str(tmp_path / "none"), **env}
        code, _, err = holdfast(
            "mcp", "install", "--client", "claude-code", "--write", *words, **env
        )
        assert code == 0, err
        path = tmp_path / ".mcp.json"
        return path, json.loads(path.read_text())["mcpServers"]["holdfast"]

    return install


def test_install_keeps_the_mode_of_the_settings(in_project, tmp_path):
    path = tmp_path / ".mcp.json"
    for mode in (0o600, 0o640, 0o664):
        path.write_text("{}")
        path.chmod(mode)
        in_project()
        assert _mode(path) == mode
        assert _mode(tmp_path / ".mcp.json.bak") == 0o600  # of the first time


def test_install_writes_through_a_link(in_project, tmp_path):
    kept = tmp_path / "dotfiles" / "mcp.json"
    kept.parent.mkdir()
    kept.write_text('{"mine": 1}')
    (tmp_path / ".mcp.json").symlink_to("dotfiles/mcp.json")
    path, _ = in_project()
    assert path.is_symlink()
    assert json.loads(kept.read_text())["mine"] == 1
    kept.unlink()
    in_project()  # a link that leads nowhere yet
    assert (path.is_symlink(), kept.exists()) == (True, True)


def test_install_for_a_service_elsewhere_carries_its_key_in_a_private_file(in_project, tmp_path):
    path = tmp_path / ".mcp.json"
    path.write_text("{}")
    path.chmod(0o644)
    where = {"HOLDFAST_URL": "http://memory.example:8321", "HOLDFAST_API_KEY": "hf_live_secret"}
    path, entry = in_project(**where)
    assert entry["env"] == where
    assert "hf_live_secret" not in entry["args"]
    assert _mode(path) == 0o600


def test_install_for_a_database_of_ones_own(in_project, service, org):
    path, entry = in_project("--org", org.id, HOLDFAST_DATABASE_URL=service.owner_url)
    assert entry["env"]["HOLDFAST_DATABASE_URL"] == service.owner_url
    assert _mode(path) == 0o600


def test_install_refuses_what_could_not_start(holdfast, org, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    unknown = {"HOLDFAST_URL": "http://memory.example", "HOLDFAST_API_KEY": ""}
    for words, env, exits, said in (
        ([], {}, 1, "several orgs"),
        (["--org", "org_none"], {}, 4, "no org"),
        ([], unknown, 1, "HOLDFAST_API_KEY"),
    ):
        code, out, err = holdfast(
            "mcp", "install", "--write", "--client", "claude-code", *words, **env
        )
        assert (code, out) == (exits, ""), err
        assert said in err
        assert not (tmp_path / ".mcp.json").exists()
    code, out, err = holdfast("mcp", "--org", "org_none")
    assert (code, out, err.count("\n")) == (4, "", 1), err


async def test_it_works_on_a_data_folder_that_nobody_serves(data_dir):
    async def remembered(**fact):
        nobody = SimpleNamespace(data_dir=str(data_dir))
        async with started(nobody, tools="entries") as client:
            if fact:
                await ask(client, "memory_store", **fact)
            return (await ask(client, "memory_list"))["data"]

    assert len(await remembered(key="k", content="c")) == 1
    assert [each["text"] for each in await remembered()] == ["c"]


def test_what_is_wrong_is_said_in_one_line(holdfast, service):
    for words, env, said in (
        ([], {}, "several orgs"),
        (["--agent", "a b"], {}, "agent"),
        (["--url", "http://127.0.0.1:9", "--key", "hf_live_x"], {}, "nothing answers"),
        (["--url", service.url, "--key", "hf_live_x"], {}, "does not know this key"),
        (["--url", "http://127.0.0.1:9"], {"HOLDFAST_API_KEY": ""}, "HOLDFAST_API_KEY"),
    ):
        code, out, err = holdfast("mcp", *words, stdin="", **env)
        assert code != 0, words
        assert out == ""
        assert said in err.splitlines()[-1], err
        assert "Traceback" not in err
