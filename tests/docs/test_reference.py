"""The tables of the docs are the code's own: every route, command, setting and error has its line there.

Each table stands between `<!-- name -->` and `<!-- /name -->` on its page. After a change of the code,
`HOLDFAST_WRITE_DOCS=1 pytest tests/docs/test_reference.py` writes them anew; the words around them are written by hand.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from holdfast.app import make_app, toolboxes
from holdfast.cli import app as cli
from holdfast.cli.group import COMMANDS
from holdfast.deployment import Config, Deployment
from holdfast.kernel import errors, sight
from holdfast.settings import Settings
from tests.edge import explained_refusals

DOCS = Path(__file__).parent.parent.parent / "docs"

# Defaults that depend on the machine, said in words.
DEFAULTS_IN_WORDS = {"data_dir": "`holdfast` in the user's data folder"}

_drawn = re.compile(r"[├└]── (\w+) +(\d{3}) +(\S.*)")


def row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def table(*head: str, rows: list[str]) -> str:
    return "\n".join([row(*head), "|" + "---|" * len(head), *rows])


def error_table() -> str:
    """Every error, in the order of the drawing in kernel/errors.py."""
    by_name = {each.__name__: each for each in errors.every_error()}
    drawn = [found.groups() for found in _drawn.finditer(errors.__doc__ or "")]
    rows = [
        row(f"`{by_name[name].code}`", status, f"`{name}`", when) for name, status, when in drawn
    ]
    return table("code", "status", "error", "when", rows=rows)


def settings_table() -> str:
    """Every setting, in the order of settings.py."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = field.get_default()
        said = DEFAULTS_IN_WORDS.get(name) or (
            "" if default is None or field.default_factory else f"`{_toml(default)}`"
        )
        rows.append(row(f"`HOLDFAST_{name.upper()}`", f"`{name}`", said, field.description or ""))
    return table("variable", "in the file", "default", "meaning", rows=rows)


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def command_table() -> str:
    """Every command, as `--help` has it."""
    names = [name for entries in COMMANDS.values() for name in entries]
    loaded = ((name, typer.main.get_command(cli).get_command(None, name)) for name in names)
    rows = [row(*line) for name, command in loaded for line in _commands(command, name)]
    return table("command", "options", "what it does", rows=rows)


def _commands(command: Any, name: str) -> Iterator[tuple[str, str, str]]:
    for below, each in sorted(getattr(command, "commands", {}).items()):
        yield from _commands(each, f"{name} {below}")
    if not hasattr(command, "commands") or command.invoke_without_command:
        arguments = [p.name.upper() for p in command.params if p.param_type_name == "argument"]
        options = [f"`{p.opts[0]}`" for p in command.params if p.param_type_name == "option"]
        summary = (command.help or "").strip().splitlines()
        said = summary[0] if summary else ""
        yield f"`holdfast {' '.join([name, *arguments])}`", " ".join(options), said


def route_table() -> str:
    """Every operation of the OpenAPI document."""
    paths = make_app(Config(database_url="postgresql://nowhere")).openapi()["paths"]
    rows = [
        row(f"{method.upper()} `{path}`", operation.get("description", "").split("\n")[0])
        for path, operations in paths.items()
        for method, operation in operations.items()
    ]
    return table("operation", "what it does", rows=rows)


def tool_table() -> str:
    """Every MCP tool, with its arguments (`?`: may be left out) and what it does to what is there."""
    rows = []
    for tool in (each for box in _toolboxes() for each in box.tools):
        schema = tool.arguments(of_one_agent=False).model_json_schema()
        required = schema.get("required", [])
        arguments = [name if name in required else f"{name}?" for name in schema["properties"]]
        nature = tool.nature
        does = "reads" if nature.read_only else "destroys" if nature.destructive else "adds"
        first = " ".join(tool.description.split("\n\n")[0].split()).partition(". ")[0].rstrip(".")
        rows.append(row(f"`{tool.name}({', '.join(arguments)})`", does, first))
    return table("tool", "nature", "what it does", rows=rows)


def page_table() -> str:
    """Every page, by its title and its first sentence."""
    rows = []
    for page in sorted(DOCS.glob("*.md")):
        title, _, rest = page.read_text().partition("\n")
        if page.name != "README.md":
            first = rest.strip().split("\n\n")[0].replace("\n", " ")
            rows.append(
                row(f"[{title.lstrip('# ')}]({page.name})", first.partition(". ")[0].rstrip("."))
            )
    return table("page", "about", rows=rows)


TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "errors": ("errors.md", error_table),
    "settings": ("settings.md", settings_table),
    "commands": ("cli.md", command_table),
    "operations": ("http.md", route_table),
    "tools": ("mcp.md", tool_table),
    "pages": ("README.md", page_table),
    "sight": ("security.md", sight.table),
    "refusals": ("http.md", explained_refusals.table),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_docs_is_what_the_code_says(name):
    page, make = TABLES[name]
    path = DOCS / page
    text = path.read_text()
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    assert text.count(start) == text.count(end) == 1, f"{page} has no place for this table"
    before, rest = text.split(start)
    shown, after = rest.split(end)
    if os.environ.get("HOLDFAST_WRITE_DOCS"):
        path.write_text(f"{before}{start}{make()}\n{end}{after}")
        return
    assert shown == f"{make()}\n", "write it anew: HOLDFAST_WRITE_DOCS=1 pytest tests/docs"


def _toolboxes():
    """The tools do not depend on a database that answers."""
    config = Config("postgresql://none/none")
    return toolboxes(Deployment(config).conversations)


def test_the_drawing_of_the_errors_shows_every_one_with_its_status():
    drawn = {name: int(status) for name, status, _ in _drawn.findall(errors.__doc__ or "")}
    assert drawn == {each.__name__: each.status for each in errors.every_error()}


def test_every_setting_and_every_operation_says_what_it_is_for():
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
    for make in (route_table, command_table):
        assert [line for line in make().splitlines() if line.endswith("|  |")] == []


@pytest.mark.parametrize(
    "page", [*DOCS.rglob("*.md"), DOCS.parent / "README.md", DOCS.parent / "sdk" / "README.md"],
    ids=lambda page: page.name,
)  # fmt: skip
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name}: {target}"
