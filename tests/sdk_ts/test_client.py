"""The tests of sdk-ts/test under Node's own test runner, with the running service; and the examples of its pages."""

import pytest

from tests.sdk_ts.conftest import FOLDER, PAGES, example_name

TESTS = sorted(path.name.removesuffix(".ts") for path in (FOLDER / "test").glob("*.test.ts"))


@pytest.mark.parametrize("name", TESTS)
def test_the_client(name, run_built):
    told = run_built("--test", "--test-reporter=tap", f"build/{name}.js")
    assert "# fail 0" in told
    assert "# pass 0" not in told, "no test was run"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_the_examples_of_a_page_run(page, run_built):
    run_built(f"build/examples/{example_name(page)}.js")


def test_the_package_has_what_it_needs_and_nothing_else(built):
    package = FOLDER / "dist"
    assert (package / "index.js").exists()
    assert (package / "index.d.ts").exists()
    for module in package.rglob("*.js"):
        imported = [
            line.rpartition(" from ")[2].strip('";')
            for line in module.read_text().splitlines()
            if line.startswith(("import ", "export ")) and " from " in line
        ]
        assert all(each.startswith(".") for each in imported), f"{module.name} imports {imported}"
