"""remember and recall from the command line, as a client of the API."""

import io
import json
import sys

import pytest
from rich.console import Console

from holdfast.cli import main, output, verbs
from holdfast_client.unified_recall.calls import key_of


@pytest.fixture
def holdfast(monkeypatch, capsys, org, service):
    """Runs `holdfast …` against the service, piped or on a terminal: (exit code, what it printed, complaints)."""

    def run(*words, stdin="", terminal=False, **env):
        env = {"HOLDFAST_URL": org.url, "HOLDFAST_API_KEY": org.key, **env}
        with monkeypatch.context() as patch:
            for name, value in {"HOLDFAST_DATA_DIR": service.data_dir, **env}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["holdfast", *words])
            patch.setattr(sys, "stdin", io.StringIO(stdin))
            if terminal:
                patch.setattr(sys.stdout, "isatty", lambda: True)
                wide = Console(width=200, color_system=None)
                patch.setattr(verbs, "console", lambda: wide)
                patch.setattr(output, "console", lambda: wide)
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


async def test_what_is_remembered_is_recalled(holdfast_json, api):
    made = holdfast_json(
        "remember",
        "Ana takes her tea green",
        *("--key", "tea", "--category", "preference", "--tag", "drinks", "--tag", "ana"),
        *("--importance", "8", "--pinned"),
    )
    stored = (await api.get(f"/memories/{made['id']}")).json()
    assert (stored["key"], stored["value"]) == ("tea", "Ana takes her tea green")
    assert (stored["category"], stored["tags"]) == ("preference", ["drinks", "ana"])
    assert (stored["importance"], stored["pinned"], stored["scope"]) == (8, True, "global")
    [found] = holdfast_json("recall", "green tea")
    assert (found["id"], found["kind"], found["explain"]) == (made["id"], "memory", None)
    assert holdfast_json("recall", "green tea", "--kind", "entry") == []

    changed = holdfast_json("remember", "Ana drinks oolong", "--key", "tea")
    assert (changed["id"], changed["created"], changed["pinned"]) == (made["id"], False, True)


async def test_a_text_without_a_key_is_remembered_once(holdfast_json):
    first = holdfast_json("remember", "The door code is 4711")
    again = holdfast_json("remember", "-", stdin="The door code is 4711")
    assert first["key"] == key_of("The door code is 4711")
    assert (again["id"], again["created"]) == (first["id"], False)


async def test_scope_agent_and_user_say_whose_it_is(holdfast, holdfast_json):
    bots = holdfast_json("remember", "Answer in rhyme", "--scope", "agent", "--agent", "bot")
    assert (bots["scope"], bots["agent_id"]) == ("agent", "bot")
    anas = holdfast_json("remember", "Speaks in rhyme", "--user", "ana")
    assert anas["user_id"] == "ana"
    assert [each["id"] for each in holdfast_json("recall", "rhyme", "--user", "ana")] == [
        anas["id"]
    ]
    found = holdfast_json("recall", "rhyme", "--user", "ben", HOLDFAST_AGENT="bot")
    assert [each["id"] for each in found] == [bots["id"]]
    code, _, err = holdfast("remember", "x", "--scope", "agent")
    assert (code, err.count("\n")) == (1, 1)
    code, _, err = holdfast("recall", "x", "--kind", "nonsense")
    assert (code, err.count("\n")) == (1, 1)
    assert holdfast("recall", "x", "--api-key", "hf_live_wrong")[0] == 5
    assert holdfast("remember", "x", "--api-key", "hf_live_wrong")[0] == 5


async def test_on_a_terminal_there_is_a_table_and_explain_shows_the_parts(holdfast, holdfast_json):
    _, out, _ = holdfast("remember", "Ana takes her tea green [/bold]no sugar", terminal=True)
    assert "Ana takes her tea green [/bold]no sugar" in out
    _, out, _ = holdfast("recall", "green tea", terminal=True)
    head, line, key = out.strip("\n").splitlines()
    assert head.split() == ["score", "kind", "id", "and", "key", "text"]
    assert key.strip().startswith("text-")
    score, kind, shown_id, text = line.split(maxsplit=3)
    assert (kind, text.strip()) == ("memory", "Ana takes her tea green [/bold]no sugar")
    assert len(shown_id) == len("memory_") + 32

    [found] = holdfast_json("recall", "green tea", "--explain")
    parts = found["explain"]["parts"]
    assert found["score"] == pytest.approx(sum(parts.values()))
    _, out, _ = holdfast("recall", "green tea", "--explain", terminal=True)
    _, line, shown = out.strip("\n").splitlines()  # the parts stand beside the key
    assert float(score) == pytest.approx(found["score"], abs=0.01)
    assert [word for word in shown.split() if word in parts] == list(parts)

    assert holdfast("recall", "zebra crossing", "--mode", "lexical", terminal=True)[1] == (
        "Nothing fits.\n"
    )
    _, out, _ = holdfast("recall", "green tea", "--json", terminal=True)
    assert json.loads(out)[0]["id"] == found["id"]


async def test_what_is_forgotten_is_not_recalled_and_stays_in_its_history(holdfast, holdfast_json):
    made = holdfast_json("remember", "The door code is 4711")
    assert holdfast_json("forget", made["id"])["valid_to"] is not None
    assert holdfast_json("recall", "door code") == []
    assert holdfast_json("memories", "list") == []
    shown = holdfast_json("memories", "show", made["id"])
    assert shown["value"] == "The door code is 4711"
    assert len(holdfast_json("memories", "show", made["id"], "--history")) == 2

    holdfast_json("remember", "Ana likes green tea", "--key", "tea")
    assert holdfast_json("forget", "--query", "green tea")["key"] == "tea"
    for words in ((), (made["id"], "--query", "tea")):
        code, _, err = holdfast("forget", *words)
        assert (code, "one of the two" in err) == (1, True)
    assert holdfast("forget", "memory_" + "0" * 32)[0] == 4


async def test_a_context_is_shown_part_by_part(holdfast, holdfast_json, api):
    body = {"content": "Ana likes tea", "expected_updated_at": None}
    await api.put("/memory/blocks/core", json=body)
    found = holdfast_json("context", "what does she drink?")
    assert "Ana likes tea" in found["user_memory"]["content"]
    _, out, _ = holdfast("context", "what does she drink?", terminal=True)
    assert "user memory" in out
    assert "Ana likes tea" in out


async def test_lists_show_whole_ids_on_a_narrow_terminal(holdfast_json, monkeypatch, capsys):
    made = holdfast_json("remember", "A long text that has no room beside its id " * 3)
    monkeypatch.setattr(output, "console", lambda: Console(width=60, color_system=None))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    output.show_all([made], ["id", "key", "value"], as_json=False)
    shown = capsys.readouterr().out
    assert made["id"] in shown
    assert made["key"] in shown
