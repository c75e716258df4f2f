"""`holdfast resources` and `holdfast conversations`, as a shell runs them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests import forked

ONE = "resource: memory\nid: one\ntype: message_count_based\nmaxMessages: 10\npersistence: {type: postgres}\n"
TWO = "resource: memory\nid: two\ntype: buffer\nmax_messages: 3\npersistence:\n  type: redis\n"


@pytest.fixture
def holdfast(org, service):
    def run(*words: str, status: int = 0, stdin: str = "", key: str | None = None) -> Any:
        words = (*words, "--url", service.url, "--api-key", key or org.key)
        done = forked.run(["-m", "holdfast", *words], input=stdin)
        assert done.returncode == status, done.stderr or done.stdout
        return json.loads(done.stdout) if done.stdout else done.stderr

    return run


def write(folder: Path, **files: str) -> str:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    return str(folder)


async def test_apply_makes_changes_and_says_what_they_are(holdfast, tmp_path, api):
    folder = write(tmp_path, first=f"{ONE}---\n{TWO}")
    planned = holdfast("resources", "apply", folder, "--dry-run")
    assert [(each["id"], each["change"]) for each in planned] == [
        ("one", "created"),
        ("two", "created"),
    ]
    assert (await api.get("/memory-resources/one")).status_code == 404
    assert holdfast("resources", "apply", folder) == planned
    assert (await api.get("/memory-resources/one")).json()["max_messages"] == 10
    again = holdfast("resources", "apply", folder)
    assert {each["change"] for each in again} == {"unchanged"}
    assert (await api.get("/memory-resources/one")).json()["revision"] == 1
    write(tmp_path, first=f"{ONE.replace('10', '20')}---\n{TWO}")
    [first, second] = holdfast("resources", "diff", folder)
    assert (first["change"], second["change"]) == ("updated", "unchanged")
    assert "-max_messages: 10\n+max_messages: 20" in first["diff"]
    assert (await api.get("/memory-resources/one")).json()["max_messages"] == 10


async def test_one_wrong_file_changes_nothing_and_everything_wrong_is_said(holdfast, tmp_path, api):
    bad = f"{TWO}colour: red\nttl: 5\n"
    folder = write(tmp_path, a=ONE, b=bad)
    wrong = holdfast("resources", "validate", folder, status=1)
    assert [(Path(e["file"]).name, e["line"], e["field"]) for e in wrong] == [
        ("b.yaml", 7, "colour"),
        ("b.yaml", 8, "ttl"),
    ]
    said = holdfast("resources", "apply", folder, status=1)
    assert "b.yaml:7: colour" in said
    assert (await api.get("/memory-resources/one")).status_code == 404
    assert holdfast("resources", "validate", str(tmp_path / "a.yaml")) == []
    write(tmp_path, b=ONE)
    [twice] = holdfast("resources", "validate", folder, status=1)
    assert "is in" in twice["message"]
    assert "cannot be read" in holdfast("resources", "apply", str(tmp_path / "none.yaml"), status=1)


async def test_append_read_stats_and_flush(holdfast, api, tmp_path):
    holdfast("resources", "apply", write(tmp_path, a=ONE))
    holdfast("conversations", "append", "one", "k", "hello")
    done = holdfast(
        "conversations", "append", "one", "k", "-", "--role", "assistant", stdin="hi\nthere"
    )
    assert done["total_count"] == 2
    read = holdfast("conversations", "read", "one", "k", "--tail", "1")
    assert [m["content"] for m in read["messages"]] == ["hi\nthere"]
    assert holdfast("conversations", "stats", "one", "k")["message_count"] == 2
    flushed = holdfast("conversations", "flush", "one", "k", "--force", "--dry-run")
    assert flushed["would_flush"] is False
    assert "there is no memory resource" in holdfast("conversations", "stats", "no", "k", status=4)


def test_a_key_that_is_missing_is_said_in_one_line(tmp_path):
    words = ["conversations", "stats", "one", "k", "--url", "http://127.0.0.1:9"]
    env = {"HOLDFAST_DATA_DIR": str(tmp_path), "PATH": ""}
    done = forked.run(["-m", "holdfast", *words], env=env)
    assert done.returncode == 1
    assert (
        done.stderr.strip()
        == "holdfast: no API key is known: give --api-key, or set HOLDFAST_API_KEY"
    )


async def test_lists_are_shown_with_their_owners(holdfast, org):
    for user in ("ana", "bob"):
        holdfast("conversations", "append", "sessions", f"of-{user}", "Hello", "--user", user)
    mine = holdfast("conversations", "list", "sessions", "--user", "ana", "--json")
    assert [(row["key"], row["user_id"]) for row in mine] == [("of-ana", "ana")]
    every = holdfast("conversations", "list", "sessions", "--all", "--json")
    assert [row["user_id"] for row in every] == ["bob", "ana"]
    ana = await org.mint("user", user_id="ana")
    holdfast("conversations", "list", "sessions", "--all", key=ana, status=5)
