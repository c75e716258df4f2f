"""entries from the command line, as a client of the API."""

import zipfile


def reaching(org):
    return {"HOLDFAST_URL": org.url, "HOLDFAST_API_KEY": org.key}


async def test_entries_are_set_got_listed_and_forgotten(holdfast, holdfast_json, org, api):
    env = reaching(org)
    made = holdfast_json(
        "entries", "set", "../a b", "tea", "--agent", "bot", "--tag", "x", "--category", "note", **env
    )  # fmt: skip
    assert (made["key"], made["created"], made["tags"]) == ("../a b", True, ["x"])
    holdfast_json("entries", "set", "piped", "-", "--agent", "bot", stdin="two\nlines", **env)
    got = holdfast_json("entries", "get", "piped", "--agent", "bot", **env)
    assert got["content"] == "two\nlines"
    _, page, _ = holdfast("entries", "get", "../a b", "--agent", "bot", "--markdown", **env)
    assert page.endswith("---\ntea")
    listed = holdfast_json("entries", "list", "--agent", "bot", **env)
    assert [entry["key"] for entry in listed] == ["piped", "../a b"]
    found = holdfast_json("entries", "list", "--agent", "bot", "--query", "TWO", **env)
    assert [entry["key"] for entry in found] == ["piped"]
    gone = holdfast_json("entries", "forget", "piped", HOLDFAST_AGENT="bot", **env)
    assert gone == {"forgotten": True}


async def test_an_agents_entries_go_to_a_zip_and_back(holdfast_json, holdfast, org, tmp_path):
    env, file = reaching(org), tmp_path / "entries.zip"
    holdfast_json("entries", "set", "k", "tea", **env)
    assert holdfast_json("entries", "export", str(file), **env)["bytes"] == file.stat().st_size
    with zipfile.ZipFile(file) as archive:
        assert archive.namelist() == ["core/k.md"]
    holdfast_json("entries", "set", "other", "x", **env)
    result = holdfast_json("entries", "import", str(file), "--mode", "replace", **env)
    assert (result["unchanged"], result["deleted"]) == (1, 1)
    code, _, err = holdfast("entries", "import", str(tmp_path / "none.zip"), **env)
    assert (code, "cannot be read" in err) == (1, True)


async def test_errors_are_one_line_with_a_code_for_scripts(holdfast, org, tmp_path):
    env = reaching(org)
    code, out, err = holdfast("entries", "get", "none", "--agent", "nobody", **env)
    assert (code, out) == (5, "")
    assert err.startswith("holdfast: there is no agent")
    assert err.count("\n") == 1
    holdfast("entries", "set", "k", "x", **env)
    assert holdfast("entries", "get", "none", **env)[0] == 4
    assert holdfast("entries", "set", "k", "x", "--expected-version", "0", **env)[0] == 5
    nowhere = {"HOLDFAST_DATA_DIR": str(tmp_path)}
    code, _, err = holdfast("entries", "list", **nowhere)
    assert (code, err) == (1, "holdfast: no service is known: give --url, or set HOLDFAST_URL\n")
    code, _, err = holdfast("entries", "list", "--url", org.url, **nowhere)
    assert (code, "HOLDFAST_API_KEY" in err) == (1, True)
    code, _, err = holdfast("entries", "list", "--url", "http://127.0.0.1:9", "--key", "k")
    assert (code, err.count("\n")) == (3, 1)
