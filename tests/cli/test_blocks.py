"""blocks from the command line, as a client of the API."""

import sys
from pathlib import Path

import pytest

from holdfast.cli.merge import marked, still_marked


@pytest.fixture
def env(org):
    return {"HOLDFAST_URL": org.url, "HOLDFAST_API_KEY": org.key}


@pytest.fixture
def editor(tmp_path):
    """Makes an $EDITOR out of some lines of Python, which are given the text and its file as `text` and `file`."""

    def make(code):
        script = tmp_path / "editor.py"
        script.write_text(
            "import pathlib, sys, os, httpx\nfile = pathlib.Path(sys.argv[1])\n"
            f"text = file.read_text()\n{code}\n"
        )
        return {"EDITOR": f"{sys.executable} {script}"}

    return make


async def test_a_block_is_set_got_and_its_history_told(holdfast, holdfast_json, env, api):
    made = holdfast_json("blocks", "set", "core", "likes tea", **env)
    assert (made["version"], made["scope"]) == (1, "user")
    assert (
        holdfast_json("blocks", "get", "core", **env)
        == (await api.get("/memory/blocks/core")).json()
    )
    holdfast_json("blocks", "set", "core", "-", stdin="likes\ncoffee\n", **env)
    assert holdfast("blocks", "get", "core", "--text", **env)[1] == "likes\ncoffee\n"
    told = holdfast_json("blocks", "history", "core", **env)
    assert holdfast_json("blocks", "history", "core", "--limit", "1", **env) == told[:1]
    assert [(each["version"], each["content"]) for each in told] == [
        (2, "likes\ncoffee\n"),
        (1, "likes tea"),
    ]
    hers = holdfast_json("blocks", "set", "core", "x", "--agent", "bot", "--user", "ana", **env)
    assert (hers["scope"], hers["agent_id"], hers["version"]) == ("agent", "bot", 1)


async def test_guards_are_held_and_errors_are_one_line(holdfast, holdfast_json, env):
    made = holdfast_json("blocks", "set", "core", "one", "--create", **env)
    code, out, err = holdfast("blocks", "set", "core", "two", "--create", **env)
    assert (code, out, err.count("\n")) == (5, "", 1)
    stale = ("--expected", "2026-01-31T12:00:00Z")
    assert holdfast("blocks", "set", "core", "two", *stale, **env)[0] == 5
    holdfast_json("blocks", "set", "core", "two", "--expected", made["updated_at"], **env)
    assert holdfast("blocks", "get", "archival", **env)[0] == 4
    assert holdfast("blocks", "set", "core", "x" * 4_001, **env)[0] == 5
    assert holdfast("blocks", "set", "core", "x", "--create", *stale, **env)[0] == 1


async def test_an_edit_writes_what_is_saved(holdfast, holdfast_json, env, editor):
    first = holdfast_json("blocks", "edit", "core", **env, **editor("file.write_text('tea')"))
    assert (first["version"], first["content"]) == (1, "tea")
    second = editor("assert text == 'tea'; file.write_text(text + ' and coffee')")
    assert holdfast_json("blocks", "edit", "core", **env, **second)["content"] == "tea and coffee"
    code, out, err = holdfast("blocks", "edit", "core", **env, **editor("pass"))
    assert (code, out, err) == (0, "", "nothing changed\n")


async def test_an_edit_that_was_overtaken_shows_both_texts_to_choose_from(
    holdfast, holdfast_json, env, editor, org
):
    holdfast_json("blocks", "set", "core", "name: Ana\ndrinks tea", **env)
    overtaken = editor(f"""
if "drinks coffee" not in text and "<<<" not in text:
    api = httpx.Client(base_url={org.url + "/api/v1"!r}, headers={{"Authorization": "Bearer {org.key}"}})
    now = api.get("/memory/blocks/core").json()
    body = {{"content": "name: Ana\\ndrinks water", "expected_updated_at": now["updated_at"]}}
    api.put("/memory/blocks/core", json=body).raise_for_status()
    file.write_text("name: Ana\\ndrinks coffee")
else:
    assert text == (
        "name: Ana\\n<<<<<<< yours\\ndrinks coffee\\n=======\\ndrinks water\\n>>>>>>> written meanwhile\\n"
    ), text
    file.write_text("name: Ana\\ndrinks coffee and water")
""")
    code, _, err = holdfast("blocks", "edit", "core", **env, **overtaken)
    assert (code, err) == (0, "somebody wrote this block meanwhile: choose\n")
    block = holdfast_json("blocks", "get", "core", **env)
    assert (block["content"], block["version"]) == ("name: Ana\ndrinks coffee and water", 3)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("file.write_text('x' * 4001)", "4,000"),
        ("file.write_text('<<<<<<< yours\\nx')", "conflict marks"),
        ("file.write_text('mine'); sys.exit(3)", "ended with 3"),
    ],
)
async def test_a_text_that_could_not_be_written_is_kept(holdfast, env, editor, code, said):
    status, _, err = holdfast("blocks", "edit", "core", **env, **editor(code))
    assert status in (1, 5)
    kept, why = err.splitlines()
    assert said in why
    assert Path(kept.removeprefix("your text is in ")).read_text()


def test_marks_stand_where_texts_differ():
    assert marked("a\nb\n", "a\nb\n") == "a\nb\n"
    text = marked("a\nb\nc", "a\nx\nc\nd")
    assert text == (
        "a\n<<<<<<< yours\nb\n=======\nx\n>>>>>>> written meanwhile\nc\n"
        "<<<<<<< yours\n=======\nd\n>>>>>>> written meanwhile\n"
    )
    assert still_marked(text)
    assert not still_marked("a\n=======\nb")


async def test_one_line_is_edited_without_an_editor(holdfast, holdfast_json, env):
    made = holdfast_json("blocks", "edit", "core", "--add", "lives in Porto", **env)
    assert made["content"] == "lives in Porto"
    moved = ("--replace", "lives in Porto", "--with", "lives in Lisbon")
    assert holdfast_json("blocks", "edit", "core", *moved, **env)["content"] == "lives in Lisbon"
    assert holdfast("blocks", "edit", "core", "--remove", "lives in Porto", **env)[0] != 0
    gone = holdfast_json("blocks", "edit", "core", "--remove", "lives in Lisbon", **env)
    assert gone["content"] == ""
    for wrong in (("--replace", "x"), ("--add", "x", "--remove", "y")):
        assert holdfast("blocks", "edit", "core", *wrong, **env)[0] != 0
