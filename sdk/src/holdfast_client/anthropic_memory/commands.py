"""The six commands of the memory tool, each written once for both clients (see `folder.Steps`)."""

from collections.abc import Callable

from anthropic.lib.tools import ToolError

from holdfast_client.anthropic_memory import texts
from holdfast_client.anthropic_memory.folder import ROOT, Folder, Steps
from holdfast_client.errors import Conflict, NotFound
from holdfast_client.stores.model import StoreEntry

# How often an edit is repeated if the file was changed after it was read.
TRIES = 5

# From the content of a file to its new content and the answer for the model.
Edit = Callable[[str], tuple[str, str]]


def view(folder: Folder, shown: str, view_range: list[int] | None) -> Steps[str]:
    """A file with its lines numbered, or the files and folders below a folder."""
    path = folder.path(shown)
    entry = yield from folder.file(path)
    if entry is not None:
        return texts.numbered_file(shown, entry.content or "", view_range)
    below = yield from folder.below(path, depth=texts.LEVELS)
    if not below and path != folder.root:
        raise _missing(shown)
    return texts.listing(shown.rstrip("/"), path, below)


def create(folder: Folder, shown: str, text: str) -> Steps[str]:
    """Write a file at a free path, below no other file."""
    path = folder.path(shown)
    if path == folder.root or (yield from folder.is_folder(path)):
        raise ToolError(f"File {shown} already exists")
    yield from _must_be_folders(folder, path)
    try:
        yield folder.create(path, text)
    except Conflict:
        raise ToolError(f"File {shown} already exists") from None
    return f"File created successfully at: {shown}"


def edit(folder: Folder, shown: str, edit: Edit) -> Steps[str]:
    """Change a file; if it was written meanwhile, the change is repeated on the new content."""
    path = folder.path(shown)
    entry = yield from folder.file(path)
    if entry is None:
        if path == folder.root or (yield from folder.is_folder(path)):
            raise ToolError(f"The path {shown} is not a file.")
        raise _missing(shown)
    for _ in range(TRIES):
        content, answer = edit(entry.content or "")
        try:
            yield folder.write(entry, content)
        except Conflict as conflict:
            if conflict.current is not None:
                entry = yield folder.read(entry)
            continue
        except NotFound:
            raise ToolError(
                f"The file {shown} no longer exists (may have been deleted or renamed concurrently)."
            ) from None
        return answer
    raise ToolError(f"The file {shown} is being changed by others; try again")


def replacing(shown: str, old: str, new: str) -> Edit:
    """The edit of `str_replace`."""

    def replace(content: str) -> tuple[str, str]:
        lines = texts.lines_of(content, old)
        if not lines:
            raise ToolError(
                f"No replacement was performed, old_str `{old}` did not appear verbatim in {shown}."
            )
        if len(lines) > 1:
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
                f"{', '.join(map(str, lines))}. Please ensure it is unique"
            )
        changed = content.replace(old, new, 1)
        return changed, texts.snippet(changed, lines[0])

    return replace


def inserting(shown: str, line: int, text: str) -> Edit:
    """The edit of `insert`."""

    def insert(content: str) -> tuple[str, str]:
        lines = content.removesuffix("\n").split("\n") if content else []
        if not 0 <= line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(line, text.rstrip("\n"))
        changed = "\n".join(lines)
        changed += "" if changed.endswith("\n") else "\n"
        return changed, f"The file {shown} has been edited."

    return insert


def delete(folder: Folder, shown: str) -> Steps[str]:
    """Delete the file at a path; if there is none, every file below it."""
    path = folder.path(shown)
    if path == folder.root:
        raise ToolError(f"Cannot delete the {ROOT} directory itself")
    found = yield from _at(folder, path)
    if not found:
        raise ToolError(f"The path {shown} does not exist")
    yield from _delete_each(folder, found)
    return f"Successfully deleted {shown}"


def rename(folder: Folder, shown: str, shown_new: str) -> Steps[str]:
    """Move the file at a path; if there is none, every file below it."""
    path, new = folder.path(shown), folder.path(shown_new)
    if path == folder.root:
        raise ToolError(f"Cannot rename the {ROOT} directory itself")
    if new == folder.root or (yield from folder.file(new)) or (yield from folder.is_folder(new)):
        raise ToolError(f"The destination {shown_new} already exists")
    found = yield from _at(folder, path)
    if not found:
        raise ToolError(f"The path {shown} does not exist")
    if new.startswith(f"{path}/"):
        raise ToolError(f"The path {shown} cannot be moved into itself")
    yield from _must_be_folders(folder, new)
    for each in found:
        entry = each if each.content is not None else (yield folder.read(each))
        yield folder.write(entry, entry.content or "", path=f"{new}{entry.path[len(path) :]}")
    return f"Successfully renamed {shown} to {shown_new}"


def clear(folder: Folder) -> Steps[str]:
    """Delete every file."""
    yield from _delete_each(folder, (yield from folder.below(folder.root)))
    return "All memory cleared"


def _at(folder: Folder, path: str) -> Steps[list[StoreEntry]]:
    """The file at a path, or the files below it. If the store has both, only the file."""
    entry = yield from folder.file(path)
    if entry is not None:
        return [entry]
    return (yield from folder.below(path))


def _must_be_folders(folder: Folder, path: str) -> Steps[None]:
    """Refuse a path below a file."""
    for parent in folder.parents(path):
        if (yield from folder.file(parent)) is not None:
            raise ToolError(f"The path {folder.shown(parent)} is not a directory")


def _delete_each(folder: Folder, entries: list[StoreEntry]) -> Steps[None]:
    for entry in entries:
        try:
            yield folder.delete(entry)
        except NotFound:
            continue  # somebody else has deleted it


def _missing(shown: str) -> ToolError:
    return ToolError(f"The path {shown} does not exist. Please provide a valid path.")
