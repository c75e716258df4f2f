"""entries from the command line, as a client of the API. Run in this process: a shell's start-up is proved elsewhere."""

import io
import json
import sys
import zipfile

import pytest

from holdfast.cli import main


@pytest.fixture
def holdfast(monkeypatch, capsys, org, service):
    """Runs `holdfast entries …` against the service: (exit code, what it printed, what it complained of)."""

    def run(*words, stdin="", **env):
        env = {"HOLDFAST_URL": org.url, "HOLDFAST_API_KEY": org.key, **env}
        with monkeypatch.context() as patch:
            for name, value in {"HOLDFAST_DATA_DIR": service.data_dir, **env}.items():
                patch.setenv(name, value) if value else patch.delenv(name, raising=False)
            patch.setattr(sys, "argv", ["holdfast", "entries", *words])
            patch.setattr(sys, "stdin", io.StringIO(stdin))
            with pytest.raises(SystemExit) as left:
                main()
        said = capsys.readouterr()
        return left.value.code or 0, said.out, said.err

    return run


@pytest.fixture
def holdfast_json(holdfast):
    def run(*words, **options):
        code, out, err = holdfast(*words, **options)
        assert code == 0, err
        return json.loads(out)

    return run


async def test_entries_are_set_got_listed_and_forgotten(holdfast, holdfast_json):
    bot = ("--agent", "bot")
    made = holdfast_json("set", "../a b", "tea", *bot, "--tag", "x", "--category", "note")
    assert (made["key"], made["created"], made["tags"]) == ("../a b", True, ["x"])
    holdfast_json("set", "piped", "-", *bot, stdin="two\nlines")
    assert holdfast_json("get", "piped", *bot)["content"] == "two\nlines"
    _, page, _ = holdfast("get", "../a b", *bot, "--markdown")
    assert page.endswith("---\ntea")
    listed = holdfast_json("list", *bot)
    assert [entry["key"] for entry in listed] == ["piped", "../a b"]
    found = holdfast_json("list", *bot, "--query", "TWO")
    assert [entry["key"] for entry in found] == ["piped"]
    assert holdfast_json("list", *bot, "--tag", "x", "--tag", "y") == []
    assert holdfast_json("forget", "piped", HOLDFAST_AGENT="bot") == {"forgotten": True}
    assert holdfast_json("forget", "piped", *bot) == {"forgotten": False}
    past = holdfast_json("history", "piped", *bot)
    assert [each["action"] for each in past] == ["forgotten", "created"]


async def test_an_agents_entries_go_to_a_zip_and_back(holdfast, holdfast_json, tmp_path):
    file = tmp_path / "entries.zip"
    holdfast_json("set", "k", "tea")
    assert holdfast_json("export", str(file))["bytes"] == file.stat().st_size
    with zipfile.ZipFile(file) as archive:
        assert archive.namelist() == ["core/k.md"]
    holdfast_json("set", "other", "x")
    result = holdfast_json("import", str(file), "--mode", "replace")
    assert (result["unchanged"], result["deleted"]) == (1, 1)
    for words in (("import", str(tmp_path / "none.zip")), ("export", str(tmp_path / "no" / "f"))):
        code, out, err = holdfast(*words)
        assert (code, out, err.count("\n")) == (1, "", 1)


async def test_errors_are_one_line_with_a_code_for_scripts(holdfast, tmp_path):
    holdfast("set", "k", "x")
    for words, expected in (
        (("get", "none"), 4),
        (("get", "none", "--agent", "nobody"), 4),
        (("list", "--agent", "not an id"), 4),
        (("set", "k", "x", "--expected-version", "0"), 5),
        (("set", "k", "x" * 16_385), 5),
        (("list", "--run", "nonsense"), 4),
        (("list", "--api-key", "hf_live_wrong"), 5),
        (("list", "--url", "http://127.0.0.1:9"), 3),
        (("list", "--url", "nonsense"), 1),
    ):
        code, out, err = holdfast(*words)
        assert (code, out, err.count("\n")) == (expected, "", 1), (words, err)
        assert err.startswith("holdfast: ")


async def test_what_is_missing_to_reach_a_service_is_named(holdfast, tmp_path, service):
    nowhere = {"HOLDFAST_DATA_DIR": str(tmp_path), "HOLDFAST_URL": "", "HOLDFAST_API_KEY": ""}
    code, _, err = holdfast("list", **nowhere)
    assert (code, err) == (1, "holdfast: no service is known: give --url, or set HOLDFAST_URL\n")
    code, _, err = holdfast("list", "--url", service.url, **nowhere)
    assert (code, err) == (
        1,
        "holdfast: no API key is known: give --api-key, or set HOLDFAST_API_KEY\n",
    )


async def test_beside_a_running_service_nothing_need_be_said(holdfast_json):
    local = {"HOLDFAST_URL": "", "HOLDFAST_API_KEY": ""}
    holdfast_json("set", "local", "x", "--agent", "cli-test", **local)
    listed = holdfast_json("list", "--agent", "cli-test", **local)
    assert [entry["key"] for entry in listed] == ["local"]
