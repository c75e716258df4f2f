"""What commands print: tables with colours on a terminal, ids never cut, JSON without colours when piped."""

import json
import re

import pytest

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
LONG = (
    "green tea with a slice of lemon, every morning before the first meeting, and never after four"
)


@pytest.fixture
def env(service, org):
    return {"HOLDFAST_URL": service.url, "HOLDFAST_API_KEY": org.key}


@pytest.fixture
def saved(holdfast_json, env):
    return holdfast_json("remember", LONG, "--key", "ana's tea " + "k" * 60, **env)


def plain(text):
    return COLOUR.sub("", text)


@pytest.mark.parametrize("columns", [30, 80, 200])
def test_ids_and_keys_are_whole_however_narrow_the_terminal(
    holdfast_in_terminal, saved, env, columns
):
    for words in (("memories", "list"), ("recall", "tea"), ("memories", "show", saved["id"])):
        code, shown = holdfast_in_terminal(columns, *words, **env)
        assert (code, saved["id"] in plain(shown)) == (0, True), shown
        if words[1] != "show":
            assert saved["key"] in plain(shown)


def test_other_columns_are_cut_to_the_terminal(holdfast_in_terminal, saved, env):
    _, shown = holdfast_in_terminal(160, "memories", "list", **env)
    assert saved["value"] not in plain(shown)
    assert "…" in plain(shown)
    assert max(map(len, plain(shown).splitlines())) <= 160
    _, shown = holdfast_in_terminal(400, "memories", "list", **env)
    assert saved["value"] in plain(shown)


def test_a_terminal_gets_colours_unless_no_color_says_otherwise(holdfast_in_terminal, saved, env):
    _, shown = holdfast_in_terminal(100, "memories", "list", **env)
    assert COLOUR.search(shown)
    _, without = holdfast_in_terminal(100, "memories", "list", NO_COLOR="1", **env)
    assert "\x1b" not in without
    _, as_json = holdfast_in_terminal(100, "memories", "list", "--json", **env)
    assert json.loads(as_json)[0]["id"] == saved["id"]


def test_what_is_piped_is_json_without_colours_whole_and_always_the_same(holdfast, saved, env):
    first, again = (holdfast("memories", "list", FORCE_COLOR="1", **env)[1] for _ in range(2))
    assert first == again
    assert "\x1b" not in first
    [row] = json.loads(first)
    assert (row["id"], row["key"], row["value"]) == (saved["id"], saved["key"], LONG)
    assert first.count("\n") == 1
    assert json.loads(holdfast("memories", "list", COLUMNS="20", **env)[1]) == [row]


def test_stored_text_is_no_markup_and_sends_no_control_codes(holdfast_in_terminal, holdfast, env):
    holdfast("remember", "[bold]not bold[/] \x1b[31mnot red", "--key", "marked", **env)
    _, shown = holdfast_in_terminal(200, "memories", "list", **env)
    assert "[bold]not bold[/]" in plain(shown)
    assert "\x1b[31m" not in shown
    _, shown = holdfast_in_terminal(200, "context", "what is not bold?", **env)
    assert "[bold]not bold[/] \\x1b[31mnot red" in plain(shown)


def test_what_takes_long_shows_a_bar_on_a_terminal_that_goes_again(holdfast_in_terminal, holdfast):
    code, shown = holdfast_in_terminal(120, "doctor", "--quick")
    assert code == 0
    bar, table = shown.split("check ", 1)
    assert "Checking this deployment" in plain(bar)
    assert "Checking" not in plain(table)
    code, out, err = holdfast("doctor", "--quick")
    assert (code, err, json.loads(out)[0]["check"]) == (0, "", "postgres")


def test_an_error_on_a_terminal_is_one_line_that_says_what_to_do(holdfast_in_terminal, env):
    code, shown = holdfast_in_terminal(80, "memories", "show", "memory_" + "0" * 32, **env)
    assert code == 4
    assert shown.startswith("holdfast: ")
    assert shown.count("\n") == 1


def test_an_empty_list_says_so_to_people_and_is_a_list_to_programs(
    holdfast_in_terminal, holdfast_json, env
):
    assert plain(holdfast_in_terminal(80, "memories", "list", **env)[1]) == "Nothing here.\n"
    assert holdfast_json("memories", "list", **env) == []
