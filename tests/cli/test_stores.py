"""`holdfast stores …` as a shell has it."""

import io
import json
import subprocess
import sys
import zipfile

import pytest


@pytest.fixture
def at(service, org):
    """Where the commands of this test's org go."""
    return {"HOLDFAST_URL": service.url, "HOLDFAST_API_KEY": org.key}


@pytest.fixture
def run(holdfast_json, at):
    return lambda *words, **options: holdfast_json("stores", *words, **options, **at)


@pytest.fixture
def refused(holdfast, at):
    def run(*words, **options):
        code, out, err = holdfast("stores", *words, **options, **at)
        assert out == ""
        assert err.startswith("holdfast: ")
        return code, err

    return run


async def test_text_is_put_listed_read_and_removed(run, holdfast, at, tmp_path):
    store = run("create", "notes", "--description", "d")
    assert [each["id"] for each in run("list", "--name", "NO")] == [store["id"]]
    first = run("put", "notes", "a/b.md", stdin="Grüße\r\n")
    assert (first["version"], first["path"]) == (1, "a/b.md")
    (tmp_path / "two").write_bytes(b"two\n")
    assert run("put", store["id"], "a/b.md", str(tmp_path / "two"))["version"] == 2
    run("put", "notes", "c", stdin="x")
    assert [each["path"] for each in run("ls", "notes")] == ["a/b.md", "c"]
    assert [each["path"] for each in run("ls", "notes", "--depth", "1")] == ["a/", "c"]
    assert [each["path"] for each in run("ls", "notes", "a", "--limit", "1")] == ["a/b.md"]
    assert run("show", "notes")["entry_count"] == 2
    assert holdfast("stores", "cat", "notes", "a/b.md", **at)[:2] == (0, "two\n")
    new, old = run("versions", "notes", "a/b.md")
    assert (new["version"], old["version"]) == (2, 1)
    told = holdfast("stores", "diff", "notes", old["id"], new["id"], **at)
    assert "+two\n" in told[1]
    assert run("diff", "notes", old["id"], new["id"], "--json")["files"][0]["path"] == "a/b.md"
    assert holdfast("stores", "rm", "notes", "c", **at)[0] == 0
    assert run("archive", "notes")["status"] == "archived"


async def test_content_goes_through_the_shell_byte_for_byte(run, service, at):
    run("create", "bytes")
    content = "a\r\nb\u2028\x0b\ufeff end without newline".encode()
    base = [sys.executable, "-m", "holdfast", "stores"]
    env = {**__import__("os").environ, "HOLDFAST_DATA_DIR": service.data_dir, **at}
    subprocess.run(
        [*base, "put", "bytes", "x"], input=content, env=env, check=True, capture_output=True
    )
    shown = subprocess.run([*base, "cat", "bytes", "x"], env=env, check=True, capture_output=True)
    assert shown.stdout == content


async def test_a_zip_goes_out_and_in(run, holdfast, at, tmp_path):
    run("create", "one")
    run("create", "two")
    run("put", "one", "a", stdin="text")
    out = tmp_path / "one.zip"
    assert holdfast("stores", "export", "one", str(out), **at)[0] == 0
    with zipfile.ZipFile(io.BytesIO(out.read_bytes())) as archive:
        assert archive.read("a") == b"text"
    run("put", "two", "b", stdin="goes")
    done = run("import", "two", str(out), "--replace")
    assert done == {"created": 1, "updated": 0, "unchanged": 0, "deleted": 1}


async def test_refusals_have_their_exit_codes_and_one_line(run, refused):
    run("create", "notes")
    assert refused("cat", "notes", "nothing")[0] == 4
    assert refused("show", "nobody")[0] == 4
    assert refused("cat", "notes", "../../x")[0] == 4
    run("put", "notes", "a", stdin="x")
    run("put", "notes", "a", stdin="y")
    code, err = refused("put", "notes", "a", "--version", "1", stdin="z")
    assert (code, "version 2" in err) == (5, True)
    assert refused("rm", "notes", "a", "--version", "1")[0] == 5
    run("create", "notes")
    assert "2 stores" in refused("show", "notes")[1]
    assert refused("put", "notes", "a", "/nowhere/file")[0] == 1


async def test_without_url_and_key_it_finds_the_service_of_the_data_folder(holdfast, service):
    code, out, err = holdfast("stores", "list", "--json", HOLDFAST_URL="", HOLDFAST_API_KEY="")
    assert code == 0, err
    assert isinstance(json.loads(out), list)
    code, _, err = holdfast("stores", "list", "--url", "http://127.0.0.1:9", "--api-key", "k")
    assert (code, "nothing answers" in err) == (3, True)
