"""Files and functions stay small enough to be read whole."""

import ast
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("src", "sdk/src", "sdk-ts/src", "minilm/src", "minilm/train", "bench", "tests")
KINDS = (".py", ".sql", ".ts", ".js", ".css", ".html")
GENERATED = "generated"

LINES_OF_A_FILE = 400
LINES_OF_A_SQL_FUNCTION = 80
LINES_OF_NINE_IN_TEN_FUNCTIONS = 24

_PLPGSQL = re.compile(
    r"^CREATE OR REPLACE (?:FUNCTION|PROCEDURE) (?P<name>\w+)(?:(?!^CREATE).)*?^END;? \$\$;",
    re.MULTILINE | re.DOTALL,
)


def files(*folders: str) -> list[Path]:
    """The files of code below these folders, but for those that a program wrote."""
    return [
        path
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in KINDS and GENERATED not in path.parts and "node_modules" not in path.parts
    ]


def lengths(path: Path) -> Iterator[int]:
    """How many lines each function of a Python file has."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            yield node.end_lineno - node.lineno + 1


@pytest.mark.parametrize("folder", CODE)
def test_no_file_is_longer_than_400_lines(folder):
    measured = {path: len(path.read_text().splitlines()) for path in files(folder)}
    assert measured
    long = {path: lines for path, lines in measured.items() if lines > LINES_OF_A_FILE}
    assert not long, {str(path.relative_to(ROOT)): lines for path, lines in long.items()}


def test_nine_in_ten_functions_have_at_most_24_lines():
    found = [n for path in files("src") if path.suffix == ".py" for n in lengths(path)]
    assert statistics.quantiles(found, n=10)[-1] <= LINES_OF_NINE_IN_TEN_FUNCTIONS


def test_no_function_in_plpgsql_is_longer_than_80_lines():
    found = [
        (made["name"], made[0].count("\n") + 1)
        for path in files("src")
        if path.suffix == ".sql"
        for made in _PLPGSQL.finditer(path.read_text())
    ]
    assert len(found) > 20
    assert [each for each in found if each[1] > LINES_OF_A_SQL_FUNCTION] == []
