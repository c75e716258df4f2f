"""resources: memory resources from YAML files. The service reads and checks them; nothing is parsed here."""

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from holdfast.cli.exits import CommandError
from holdfast.cli.options import ApiKey, AsJson, Url
from holdfast.cli.output import for_people, print_json, show_all
from holdfast.cli.remote import Remote
from holdfast_client.conversations import calls
from holdfast_client.errors import NotFound

At = Annotated[Path, typer.Argument(metavar="PATH", help="A YAML file, or a folder of them.")]

# What the service adds to a resource; the rest is the author's.
_OURS = ("revision", "created_at", "updated_at")

resources_app = typer.Typer(help="Memory resources, from YAML files.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(resources_app, name="resources")


@dataclass(frozen=True, slots=True)
class _Checked:
    """What the service says of the files: what is wrong, and the resources that they hold."""

    wrong: list[dict[str, Any]]
    configs: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Change:
    """One resource of the files beside what the service has."""

    id: str
    config: dict[str, Any]
    change: str  # created, updated or unchanged
    diff: list[str]


@resources_app.command("validate")
def validate(path: At, url: Url = None, api_key: ApiKey = None, as_json: AsJson = False) -> None:
    """Say everything that is wrong with the resources in these files, with its line; exit 1 when something is.

    Example: holdfast resources validate memory/
    """
    wrong = _check(Remote(url, api_key), _files(path)).wrong
    columns = ["file", "line", "field", "message"]
    show_all(wrong, columns, as_json=as_json, empty="Nothing is wrong.")
    if wrong:
        raise typer.Exit(1)


@resources_app.command("diff")
def diff(path: At, url: Url = None, api_key: ApiKey = None, as_json: AsJson = False) -> None:
    """What `apply` would change; changes nothing.

    Example: holdfast resources diff memory/
    """
    _show(_changes(Remote(url, api_key), path), as_json=as_json)


@resources_app.command("apply")
def apply(
    path: At,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the diff.")] = False,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Make the service's resources what these files say; nothing is changed if anything in them is wrong.

    Example: holdfast resources apply memory/ --dry-run
    """
    service = Remote(url, api_key)
    changes = _changes(service, path)
    for change in changes:
        if not dry_run and change.change != "unchanged":
            service.ask(calls.put_resource, change.id, change.config)
    _show(changes, as_json=as_json)


def _files(path: Path) -> dict[Path, str]:
    if path.is_dir():
        found = sorted(each for each in path.rglob("*") if each.suffix in (".yaml", ".yml"))
    else:
        found = [path]
    try:
        files = {each: each.read_text(encoding="utf-8") for each in found}
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CommandError(f"{path} holds a file that is not UTF-8") from None
    if not files:
        raise CommandError(f"there is no .yaml or .yml file in {path}")
    return files


def _check(service: Remote, files: dict[Path, str]) -> _Checked:
    """All that is wrong with all files, a resource that stands in two of them included."""
    checked = _Checked([], [])
    homes: dict[str, Path] = {}
    for path, text in files.items():
        answer = service.ask(calls.validate_resource, text)
        checked.wrong.extend(
            {"file": str(path), "line": None, **error} for error in answer["errors"]
        )
        for config in answer["resources"]:
            first = homes.setdefault(config["id"], path)
            if first != path:
                message = f"resource {config['id']!r} is in {first} too"
                twice = {"file": str(path), "line": None, "field": "id", "message": message}
                checked.wrong.append(twice)
            checked.configs.append(config)
    return checked


def _changes(service: Remote, path: Path) -> list[_Change]:
    checked = _check(service, _files(path))
    if checked.wrong:
        lines = [
            f"{each['file']}:{each['line'] or 1}: {each['field']}: {each['message']}"
            for each in checked.wrong
        ]
        raise CommandError("nothing was changed:\n" + "\n".join(lines))
    return [_change(service, config) for config in checked.configs]


def _change(service: Remote, config: dict[str, Any]) -> _Change:
    try:
        there = service.ask(calls.read_resource, config["id"])
    except NotFound:
        there = None
    before = {} if there is None else {n: v for n, v in there.items() if n not in _OURS}
    if before == config:
        return _Change(config["id"], config, "unchanged", [])
    lines = difflib.unified_diff(
        _as_lines(before),
        _as_lines(config),
        f"{config['id']} (service)",
        f"{config['id']} (file)",
        lineterm="",
    )
    return _Change(config["id"], config, "created" if there is None else "updated", list(lines))


def _as_lines(config: dict[str, Any]) -> list[str]:
    if not config:
        return []
    return yaml.safe_dump(config, sort_keys=True, allow_unicode=True).splitlines()


def _show(changes: list[_Change], *, as_json: bool) -> None:
    if not for_people(as_json=as_json):
        print_json([{"id": c.id, "change": c.change, "diff": "\n".join(c.diff)} for c in changes])
        return
    for change in changes:
        typer.echo("\n".join(change.diff) if change.diff else f"{change.id}: unchanged")
