"""Every example on every page runs, against the service, in an org of the page's own."""

import os
from pathlib import Path

import pytest

from tests.docs.examples import (
    ROOT,
    ExampleFailed,
    environment,
    examples_in,
    forking_command,
    pages,
    run_page,
)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
async def test_the_examples_of_a_page_run(page: Path, org, service, tmp_path):
    name = str(page.relative_to(ROOT))
    env = environment(org, service)
    if page.name != "README.md":  # that has the command as it is installed
        (tmp_path / "away").mkdir()
        env["PATH"] = f"{forking_command(tmp_path / 'away')}{os.pathsep}{env['PATH']}"
    (tmp_path / "here").mkdir()
    run_page(examples_in(page.read_text(), name), tmp_path / "here", env)


def run(text, tmp_path, env=None):
    return run_page(examples_in(text), tmp_path, env or {})


def test_blocks_share_their_session_and_run_in_the_order_of_the_page(tmp_path):
    text = """
```bash
name=ana
echo hers > file
```
Then:
```python
word = open("file").read().strip()
print(word)
```
```bash
echo "$name $(cat file)"
```
```python
print(word.upper())
```
"""
    assert run(text, tmp_path) == ["", "hers", "ana hers", "HERS"]


def test_only_bash_and_python_are_run(tmp_path):
    text = "```console\nfalse\n```\n```text\nfalse\n```\n```json\n{}\n```\n```\nfalse\n```\n"
    assert examples_in(text) == []


@pytest.mark.parametrize(
    "code",
    ["false\ntrue", "false | cat", 'echo "$not_set"', "no_such_command", "exit 0", "exit 3"],
)
def test_a_shell_example_that_fails_anywhere_fails_its_page(tmp_path, code):
    with pytest.raises(ExampleFailed, match=r"page\.md:2"):
        run(f"```bash\n{code}\n```\n", tmp_path)


@pytest.mark.parametrize("flags", ["-f", "-sf", "-fsS", "-s --fail", "-s --fail-with-body"])
def test_an_example_may_ask_curl_to_fail_in_its_own_way(tmp_path, service, flags):
    env = {"URL": service.url}
    assert run(f'```bash\ncurl {flags} "$URL/healthz"\n```\n', tmp_path, env)[0].endswith("ok")
    with pytest.raises(ExampleFailed):
        run(f'```bash\ncurl {flags} "$URL/api/v1/org"\n```\n', tmp_path, env)


def test_a_refused_request_fails_its_example_unless_it_says_so(tmp_path, service):
    env = {"URL": service.url}
    with pytest.raises(ExampleFailed, match="unauthenticated"):
        run('```bash\ncurl -s "$URL/api/v1/org"\n```\n', tmp_path, env)
    [said] = run('```bash\ncurl -s "$URL/api/v1/org" || true\n```\n', tmp_path, env)
    assert "unauthenticated" in said


def test_a_python_example_that_fails_is_named_with_the_pages_own_line(tmp_path):
    with pytest.raises(ExampleFailed, match=r'"page\.md", line 4') as failed:
        run("# Title\n```python\nfine = 1\nassert fine == 2\n```\n", tmp_path)
    assert "AssertionError" in str(failed.value)


def test_a_page_says_which_example_failed_after_those_that_did_not(tmp_path):
    with pytest.raises(ExampleFailed, match=r"page\.md:5"):
        run("```bash\necho one\n```\n```bash\nfalse\n```\n", tmp_path)
