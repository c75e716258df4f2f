"""stores: text at paths, with every version kept. A client of the API."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from holdfast.cli.output import AsJson, console, show, show_all
from holdfast.cli.remote import Key, Url, call
from holdfast.kernel.errors import Invalid, NotFound
from holdfast.kernel.ids import is_id

PAGE = 100
# On a terminal nobody reads further; a script asks for what it needs.
DEFAULT_LIMIT = 100

Store = Annotated[str, typer.Argument(metavar="STORE", help="A store's id, or its name.")]
At = Annotated[str, typer.Argument(metavar="PATH", help="Where the entry lies.")]
Limit = Annotated[int, typer.Option(min=1, help="At most this many.")]

stores_app = typer.Typer(help="Text at paths, with every version kept.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this face."""
    app.add_typer(stores_app, name="stores")


# --- stores ----------------------------------------------------------------------------------------------------------


@stores_app.command("create")
def create(
    name: str,
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Make a store."""
    body = {"name": name, "description": description}
    show(call(url, key, "POST", "/memory_stores", json=body).json(), as_json=as_json)


@stores_app.command("list")
def list_stores(
    name: Annotated[str | None, typer.Option(help="How the name begins, in any case.")] = None,
    archived: Annotated[bool, typer.Option("--archived", help="Archived ones too.")] = False,
    limit: Limit = DEFAULT_LIMIT,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """The stores, newest first."""
    asked = {"name": name, "include_archived": archived}
    rows = _pages(url, key, "/memory_stores", asked, limit)
    columns = ["id", "name", "status", "entry_count", "total_size", "updated_at"]
    show_all(rows, columns, as_json=as_json)


@stores_app.command("show")
def show_store(store: Store, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """A store, with the number and the size of what is in it."""
    show(call(url, key, "GET", _store(url, key, store)).json(), as_json=as_json)


@stores_app.command("archive")
def archive(store: Store, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Close a store to writing, for good."""
    show(call(url, key, "POST", f"{_store(url, key, store)}/archive").json(), as_json=as_json)


# --- entries ---------------------------------------------------------------------------------------------------------


@stores_app.command("ls")
def ls(
    store: Store,
    prefix: Annotated[str | None, typer.Argument(help="Only below this folder.")] = None,
    depth: Annotated[int, typer.Option(min=0, help="Roll up what lies deeper; 0: nothing.")] = 0,
    limit: Limit = DEFAULT_LIMIT,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """What lies in a store, by path."""
    asked = {"path_prefix": prefix, "depth": depth}
    rows = _pages(url, key, f"{_store(url, key, store)}/memories", asked, limit, by="next_path")
    show_all(rows, ["path", "size", "version", "updated_at"], as_json=as_json)


@stores_app.command("cat")
def cat(store: Store, path: At, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """An entry's content, byte for byte."""
    entry = call(url, key, "GET", _entry_at(_store(url, key, store), path)).json()
    if as_json:
        show(entry, as_json=True)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(entry["content"].encode())


@stores_app.command("put")
def put(
    store: Store,
    path: At,
    file: Annotated[
        Path | None, typer.Argument(help="What to write; the standard input if left out.")
    ] = None,
    version: Annotated[
        int | None, typer.Option(min=1, help="Only if the entry is still at this version.")
    ] = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Write a text at a path: a new entry, or a new version of the one that is there."""
    where, content = _store(url, key, store), _read_text(file)
    try:
        there = call(url, key, "GET", _entry_at(where, path)).json()
    except NotFound:
        body = {"path": path, "content": content}
        written = call(url, key, "POST", f"{where}/memories", json=body)
    else:
        change = {"content": content, "version": version or there["version"]}
        written = call(url, key, "PUT", f"{where}/memories/{there['id']}", json=change)
    entry = written.json()
    entry.pop("content")
    show(entry, as_json=as_json)


@stores_app.command("rm")
def rm(
    store: Store,
    path: At,
    version: Annotated[
        int | None, typer.Option(min=1, help="Only if the entry is still at this version.")
    ] = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Delete an entry; its versions stay."""
    where = _store(url, key, store)
    entry = call(url, key, "GET", _entry_at(where, path)).json()
    params = {} if version is None else {"version": version}
    call(url, key, "DELETE", f"{where}/memories/{entry['id']}", params=params)


# --- versions --------------------------------------------------------------------------------------------------------


@stores_app.command("versions")
def versions(
    store: Store,
    path: Annotated[str | None, typer.Argument(help="Only of what lay at this path.")] = None,
    action: Annotated[str | None, typer.Option(help="created, updated or deleted.")] = None,
    limit: Limit = 20,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """The versions of a store's entries, newest first."""
    asked = {"path": path, "action": action}
    rows = _pages(url, key, f"{_store(url, key, store)}/versions", asked, limit)
    columns = ["id", "entry_path", "version", "action", "size", "redacted", "created_at"]
    show_all(rows, columns, as_json=as_json)


@stores_app.command("diff")
def diff(
    store: Store,
    since: Annotated[str, typer.Argument(metavar="FROM", help="A version or a time.")],
    until: Annotated[str, typer.Argument(metavar="TO", help="A version or a time.")],
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """What changed between two versions or two times, as a unified diff."""
    where = f"{_store(url, key, store)}/diff"
    changed = call(url, key, "GET", where, params={"from": since, "to": until}).json()
    if as_json:
        show(changed, as_json=True)
        return
    for file in changed["files"]:
        text = file["diff"] or f"# {file['action']}: {file['path']}\n"
        console.print(text, end="", markup=False, highlight=False, soft_wrap=True)


# --- zip in and out --------------------------------------------------------------------------------------------------


@stores_app.command("export")
def export(
    store: Store,
    file: Annotated[Path, typer.Argument(help="Where to write the zip; - for standard output.")],
    url: Url = None,
    key: Key = None,
) -> None:
    """Write a store to a zip: files at their paths, and a manifest with their metadata."""
    zipped = call(url, key, "GET", f"{_store(url, key, store)}/export").content
    if str(file) == "-":
        sys.stdout.buffer.write(zipped)
    else:
        file.write_bytes(zipped)


@stores_app.command("import")
def import_zip(
    store: Store,
    file: Annotated[Path, typer.Argument(help="The zip; - for standard input.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Also delete what is not in it.")
    ] = False,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Write every file of a zip to its path, or nothing of it."""
    body = sys.stdin.buffer.read() if str(file) == "-" else _read_file(file)
    done = call(
        url,
        key,
        "POST",
        f"{_store(url, key, store)}/import",
        params={"mode": "replace" if replace else "upsert"},
        content=body,
        headers={"Content-Type": "application/zip"},
    )
    show(done.json(), as_json=as_json)


# --- what they share -------------------------------------------------------------------------------------------------


def _store(url: str | None, key: str | None, named: str) -> str:
    """The path of a store that was named by id, or by a name that only one has."""
    if is_id(named, "memstore"):
        return f"/memory_stores/{named}"
    found = [
        store["id"]
        for store in _pages(url, key, "/memory_stores", {"name": named, "include_archived": True})
        if store["name"] == named
    ]
    if not found:
        raise NotFound(f"there is no store {named!r} (holdfast stores list)")
    if len(found) > 1:
        raise Invalid(f"{len(found)} stores are called {named!r}; name one by its id")
    return f"/memory_stores/{found[0]}"


def _entry_at(store: str, path: str) -> str:
    """The path of an entry by its own. Dots are encoded too: `..` is refused, not followed."""
    return f"{store}/memories/by-path/{quote(path, safe='').replace('.', '%2E')}"


def _pages(
    url: str | None,
    key: str | None,
    path: str,
    asked: dict[str, Any],
    limit: int | None = None,
    *,
    by: str = "last_id",
) -> list[dict[str, Any]]:
    """Everything a list has, or the first `limit` of it."""
    return list(_rows(url, key, path, asked, limit, by))


def _rows(
    url: str | None, key: str | None, path: str, asked: dict[str, Any], limit: int | None, by: str
) -> Iterator[dict[str, Any]]:
    params = {name: value for name, value in asked.items() if value}
    cursor = {"last_id": "after_id", "next_path": "after_path"}[by]
    left = sys.maxsize if limit is None else limit
    while left > 0:
        page = call(url, key, "GET", path, params={**params, "limit": min(left, PAGE)}).json()
        yield from page["data"]
        left -= len(page["data"])
        if not page["has_more"]:
            return
        params[cursor] = page[by]


def _read_text(file: Path | None) -> str:
    raw = sys.stdin.buffer.read() if file is None or str(file) == "-" else _read_file(file)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise Invalid("what is to be written is not UTF-8 text") from None


def _read_file(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise Invalid(f"{file}: {error.strerror}") from None
