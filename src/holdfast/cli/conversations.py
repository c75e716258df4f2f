"""resources and conversations: memory resources from YAML files, and message lists. Clients of the API."""

import difflib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer
import yaml

from holdfast.cli.output import AsJson, show, show_all
from holdfast.cli.remote import Key, Url, call
from holdfast.conversations.resources.rules import snake_case
from holdfast.conversations.resources.yaml import read_yaml
from holdfast.kernel.errors import Invalid, NotFound

resources_app = typer.Typer(help="Memory resources, from YAML files.", no_args_is_help=True)
conversations_app = typer.Typer(help="Message lists.", no_args_is_help=True)

At = Annotated[Path, typer.Argument(metavar="PATH", help="A YAML file, or a folder of them.")]
ResourceId = Annotated[str, typer.Argument(metavar="RESOURCE", help="The memory resource.")]
InstanceKey = Annotated[str, typer.Argument(metavar="KEY", help="The key of the list.")]

# What the service adds to a resource; the rest is the author's.
_OURS = ("revision", "created_at", "updated_at")


def register(app: typer.Typer) -> None:
    """Add the commands of this face."""
    app.add_typer(resources_app, name="resources")
    app.add_typer(conversations_app, name="conversations")


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class _Change:
    """One resource of the files beside what the service has."""

    id: str
    config: dict[str, Any]
    change: str  # created, updated or unchanged
    diff: list[str]


# --- resources -------------------------------------------------------------------------------------------------------


@resources_app.command("validate")
def validate(path: At, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Say everything that is wrong with the resources in these files, with its line; exit 1 when something is."""
    wrong = _wrong(_files(path), url, key)
    show_all(wrong, ["file", "line", "field", "message"], as_json=as_json)
    if wrong:
        raise typer.Exit(1)


@resources_app.command("diff")
def diff(path: At, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """What `apply` would change; changes nothing."""
    _show(_changes(path, url, key), as_json=as_json)


@resources_app.command("apply")
def apply(
    path: At,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the diff.")] = False,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Make the service's resources what these files say; nothing is changed if anything in them is wrong."""
    changes = _changes(path, url, key)
    for change in changes:
        if not dry_run and change.change != "unchanged":
            call(url, key, "PUT", f"/memory-resources/{change.id}", json=change.config)
    _show(changes, as_json=as_json)


def _files(path: Path) -> list[_File]:
    if path.is_dir():
        found = sorted(p for p in path.rglob("*") if p.suffix in (".yaml", ".yml"))
    else:
        found = [path]
    try:
        files = [_File(each, each.read_text(encoding="utf-8")) for each in found]
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Invalid(f"{path} holds a file that is not UTF-8") from None
    if not files:
        raise Invalid(f"there is no .yaml or .yml file in {path}")
    return files


def _wrong(files: list[_File], url: str | None, key: str | None) -> list[dict[str, Any]]:
    """All that is wrong with all files."""
    found: list[dict[str, Any]] = []
    homes: dict[str, Path] = {}
    for file in files:
        answer = call(
            url, key, "POST", "/memory-resources/validate", json={"yaml": file.text}
        ).json()
        found += [{"file": str(file.path), "line": None, **error} for error in answer["errors"]]
        for config, line in _documents(file) if answer["valid"] else ():
            first = homes.setdefault(config["id"], file.path)
            if first != file.path:
                message = f"resource {config['id']!r} is in {first} too"
                found.append(
                    {"file": str(file.path), "line": line, "field": "id", "message": message}
                )
    return found


def _documents(file: _File) -> list[tuple[dict[str, Any], int | None]]:
    return [(snake_case(each.data), each.line("id")) for each in read_yaml(file.text)]


def _changes(path: Path, url: str | None, key: str | None) -> list[_Change]:
    files = _files(path)
    wrong = _wrong(files, url, key)
    if wrong:
        said = "\n".join(
            f"{e['file']}:{e['line'] or 1}: {e['field']}: {e['message']}" for e in wrong
        )
        raise Invalid(f"nothing was changed:\n{said}")
    return [_change(config, url, key) for file in files for config, _ in _documents(file)]


def _change(config: dict[str, Any], url: str | None, key: str | None) -> _Change:
    try:
        there = call(url, key, "GET", f"/memory-resources/{config['id']}").json()
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
    return yaml.safe_dump(config, sort_keys=True, allow_unicode=True).splitlines() if config else []


def _show(changes: list[_Change], *, as_json: bool) -> None:
    if as_json or not sys.stdout.isatty():
        rows = [{"id": c.id, "change": c.change, "diff": "\n".join(c.diff)} for c in changes]
        print(json.dumps(rows))
        return
    for change in changes:
        typer.echo("\n".join(change.diff) if change.diff else f"{change.id}: unchanged")


# --- conversations ---------------------------------------------------------------------------------------------------


@conversations_app.command("read")
def read(
    resource_id: ResourceId,
    instance: InstanceKey,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most this many.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Skip so many of the oldest.")] = 0,
    tail: Annotated[int | None, typer.Option(min=1, max=1000, help="The newest so many.")] = None,
    include_flushed: Annotated[
        bool, typer.Option("--include-flushed", help="Also what flushes took out.")
    ] = False,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Messages, oldest first."""
    asked: dict[str, Any] = {"key": instance, "limit": limit, "offset": offset}
    if tail is not None:
        asked["tail"] = tail
    if include_flushed:
        asked["include_flushed"] = True
    found = call(url, key, "GET", _path(resource_id, "read"), params=asked).json()
    if as_json or not sys.stdout.isatty():
        print(json.dumps(found))
        return
    show_all(found["messages"], ["role", "content", "tokens", "created_at"], as_json=False)


@conversations_app.command("append")
def append(
    resource_id: ResourceId,
    instance: InstanceKey,
    content: Annotated[str, typer.Argument(help="The text; - reads it from standard input.")],
    role: Annotated[str, typer.Option(help="user, assistant, system or tool.")] = "user",
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Add a message."""
    text = sys.stdin.read() if content == "-" else content
    body = {"key": instance, "messages": [{"role": role, "content": text}]}
    show(call(url, key, "POST", _path(resource_id, "append"), json=body).json(), as_json=as_json)


@conversations_app.command("stats")
def stats(
    resource_id: ResourceId,
    instance: InstanceKey,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """How full a list is."""
    found = call(url, key, "GET", _path(resource_id, "stats"), params={"key": instance}).json()
    show(found, as_json=as_json)


@conversations_app.command("flush")
def flush(
    resource_id: ResourceId,
    instance: InstanceKey,
    strategy: Annotated[str | None, typer.Option(help="In place of the resource's own.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would do.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Also below the threshold.")] = False,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Bring a list down to its budget."""
    body = {"key": instance, "strategy": strategy, "dry_run": dry_run, "force": force}
    show(call(url, key, "POST", _path(resource_id, "flush"), json=body).json(), as_json=as_json)


def _path(resource_id: str, operation: str) -> str:
    return f"/conversations/{quote(resource_id, safe='')}/{operation}"
