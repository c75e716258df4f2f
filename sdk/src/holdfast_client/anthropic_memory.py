"""Anthropic's memory tool over a store: what the model writes under /memories are entries, with every version kept.

    from anthropic import Anthropic
    from holdfast_client import Client
    from holdfast_client.anthropic_memory import StoreMemoryTool

    tool = StoreMemoryTool(Client(), "memstore_…", folder="users/ana")
    Anthropic().beta.messages.run_tools(model=…, messages=…, tools=[tool])

Each command is written once, as steps: it yields the calls it needs and is given their answers, so that the tool that
waits and the tool that awaits do the same. Needs the extra `holdfast-client[anthropic]`.
"""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from anthropic.lib.tools import (
    BetaAbstractMemoryTool,
    BetaAsyncAbstractMemoryTool,
    ToolError,
)
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from holdfast_client.calls import Call
from holdfast_client.client import AsyncClient, Client
from holdfast_client.errors import Conflict, HoldfastError, NotFound
from holdfast_client.scope import Scope
from holdfast_client.stores import calls
from holdfast_client.stores.model import StoreEntry

ROOT = "/memories"
LEVELS = 2
NUMBER_WIDTH = 6
CONTEXT_LINES = 2
# How often an edit is made anew where somebody else wrote in between.
TRIES = 5
PAGE = 100

Answer = TypeVar("Answer")
# Yields calls, is given their answers, ends with what the model is told.
Steps = Generator[Call[Any], Any, Answer]


class StoreMemoryTool(BetaAbstractMemoryTool):
    """The memory tool on a store, below `folder` of it if one is given."""

    def __init__(
        self,
        client: Client,
        store_id: str,
        *,
        folder: str = "",
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._client = client
        self._files = _Files(store_id, folder)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a folder, two levels deep, or a file with its lines numbered."""
        return self._do(_view(self._files, command.path, command.view_range))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return self._do(_create(self._files, command.path, command.file_text))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that is in the file exactly once."""
        edit = _replacing(command.path, command.old_str, command.new_str)
        return self._do(_edit(self._files, command.path, edit))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text after a line."""
        edit = _inserting(command.path, command.insert_line, command.insert_text)
        return self._do(_edit(self._files, command.path, edit))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a folder with all that is in it."""
        return self._do(_delete(self._files, command.path))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder to a free path."""
        return self._do(_rename(self._files, command.old_path, command.new_path))

    def clear_all_memory(self) -> str:
        """Delete everything under /memories."""
        return self._do(_clear(self._files))

    def _do(self, steps: Steps[str]) -> str:
        try:
            call = next(steps)
            while True:
                try:
                    answer = self._client.send(call)
                except HoldfastError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(answer)
        except StopIteration as end:
            return str(end.value)
        except HoldfastError as error:
            raise ToolError(error.detail) from error


class AsyncStoreMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool on a store, for the async client."""

    def __init__(
        self,
        client: AsyncClient,
        store_id: str,
        *,
        folder: str = "",
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._client = client
        self._files = _Files(store_id, folder)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a folder, two levels deep, or a file with its lines numbered."""
        return await self._do(_view(self._files, command.path, command.view_range))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return await self._do(_create(self._files, command.path, command.file_text))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that is in the file exactly once."""
        edit = _replacing(command.path, command.old_str, command.new_str)
        return await self._do(_edit(self._files, command.path, edit))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text after a line."""
        edit = _inserting(command.path, command.insert_line, command.insert_text)
        return await self._do(_edit(self._files, command.path, edit))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a folder with all that is in it."""
        return await self._do(_delete(self._files, command.path))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder to a free path."""
        return await self._do(_rename(self._files, command.old_path, command.new_path))

    async def clear_all_memory(self) -> str:
        """Delete everything under /memories."""
        return await self._do(_clear(self._files))

    async def _do(self, steps: Steps[str]) -> str:
        try:
            call = next(steps)
            while True:
                try:
                    answer = await self._client.send(call)
                except HoldfastError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(answer)
        except StopIteration as end:
            return str(end.value)
        except HoldfastError as error:
            raise ToolError(error.detail) from error


# --- where files are -------------------------------------------------------------------------------------------------


class _Files:
    """The part of a store that is /memories to the model, and the calls on it."""

    def __init__(self, store_id: str, folder: str) -> None:
        self._store_id = store_id
        self._folder = folder.strip("/")
        self._scope = Scope()

    def path(self, shown: str) -> str:
        """The path in the store of what the model calls `shown`; "" is the store itself. Nothing leads out of it."""
        segments = shown.rstrip("/").split("/")
        if segments[:2] != ["", "memories"] or {".", "..", ""} & set(segments[2:]):
            raise ToolError(f"{shown} is not a path below {ROOT}")
        return "/".join([*([self._folder] if self._folder else []), *segments[2:]])

    def must_not_be_root(self, shown: str, doing: str) -> str:
        """The path of something below the root."""
        path = self.path(shown)
        if path == self._folder:
            raise ToolError(f"{ROOT} itself cannot be {doing}")
        return path

    def find(self, path: str) -> Steps[StoreEntry | None]:
        """The file at a path, if there is one."""
        if not path:
            return None
        try:
            found: StoreEntry = yield calls.read_entry_at(self._scope, self._store_id, path)
        except NotFound:
            yield calls.read_store(self._scope, self._store_id)  # no store is no empty one
            return None
        return found

    def walk(self, folder: str, *, depth: int = 0, most: int | None = None) -> Steps[list[Any]]:
        """What lies below a folder."""
        found: list[Any] = []
        after: str | None = None
        while True:
            page = yield calls.list_entries(
                self._scope,
                self._store_id,
                path_prefix=folder or None,
                depth=depth,
                limit=PAGE if most is None else most,
                after_path=after,
            )
            found += page.data
            if not page.has_more or most is not None:
                return found
            after = page.next_path

    def create(self, path: str, content: str) -> Call[StoreEntry]:
        return calls.create_entry(self._scope, self._store_id, path, content)

    def write(
        self, entry: StoreEntry, content: str, *, path: str | None = None
    ) -> Call[StoreEntry]:
        return calls.update_entry(
            self._scope,
            self._store_id,
            entry.id,
            content,
            version=entry.version,
            path=path or entry.path,
        )

    def read(self, entry: StoreEntry) -> Call[StoreEntry]:
        return calls.read_entry(self._scope, self._store_id, entry.id)

    def delete(self, entry: StoreEntry) -> Call[None]:
        return calls.delete_entry(self._scope, self._store_id, entry.id)


# --- the commands, as steps ------------------------------------------------------------------------------------------


def _view(files: _Files, shown: str, view_range: list[int] | None) -> Steps[str]:
    path = files.path(shown)
    entry = yield from files.find(path)
    if entry is not None:
        return _numbered_file(shown, entry.content or "", view_range)
    below = yield from files.walk(path, depth=LEVELS)
    if not below and path != files.path(ROOT):
        raise ToolError(f"The path {shown} does not exist. Please provide a valid path.")
    return _listing(shown.rstrip("/"), path, below)


def _create(files: _Files, shown: str, text: str) -> Steps[str]:
    path = files.must_not_be_root(shown, "written")
    try:
        yield files.create(path, text)
    except Conflict:
        raise ToolError(f"File {shown} already exists") from None
    return f"File created successfully at: {shown}"


# From the content as it is: the content as it shall be, and what the model is told.
Edit = Callable[[str], tuple[str, str]]


def _edit(files: _Files, shown: str, edit: Edit) -> Steps[str]:
    path = files.must_not_be_root(shown, "edited")
    entry = yield from files.find(path)
    if entry is None:
        raise ToolError(f"The path {shown} does not exist. Please provide a valid path.")
    for _ in range(TRIES):
        content, told = edit(entry.content or "")
        try:
            yield files.write(entry, content)
        except Conflict as lost:
            if lost.current is not None:
                # Somebody wrote in between: the edit is made on what they wrote.
                entry = yield files.read(entry)
            continue
        return told
    raise ToolError(f"{shown} is being written by others; try again")


def _replacing(shown: str, old: str, new: str) -> Edit:
    def edit(content: str) -> tuple[str, str]:
        starts = _occurrences(content, old)
        if not starts:
            raise ToolError(
                f"No replacement was performed, old_str `{old}` did not appear verbatim in {shown}."
            )
        lines = [content.count("\n", 0, start) + 1 for start in starts]
        if len(starts) > 1:
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
                f"{', '.join(map(str, lines))}. Please ensure it is unique"
            )
        changed = content.replace(old, new, 1)
        first = max(1, lines[0] - CONTEXT_LINES)
        around = changed.split("\n")[first - 1 : lines[0] + CONTEXT_LINES]
        return changed, "\n".join(["The memory file has been edited.", *_numbered(around, first)])

    return edit


def _inserting(shown: str, line: int, text: str) -> Edit:
    def edit(content: str) -> tuple[str, str]:
        lines = content.removesuffix("\n").split("\n") if content else []
        if not 0 <= line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
            )
        lines[line:line] = text.removesuffix("\n").split("\n")
        return "\n".join(lines) + "\n", f"The file {shown} has been edited."

    return edit


def _delete(files: _Files, shown: str) -> Steps[str]:
    path = files.must_not_be_root(shown, "deleted")
    entry = yield from files.find(path)
    below = yield from files.walk(path)
    doomed = [*([entry] if entry else []), *below]
    if not doomed:
        raise ToolError(f"The path {shown} does not exist")
    yield from _delete_each(files, doomed)
    return f"Successfully deleted {shown}"


def _clear(files: _Files) -> Steps[str]:
    yield from _delete_each(files, (yield from files.walk(files.path(ROOT))))
    return "All memory cleared"


def _delete_each(files: _Files, entries: list[StoreEntry]) -> Steps[None]:
    for entry in entries:
        try:
            yield files.delete(entry)
        except NotFound:
            continue  # somebody else was quicker


def _rename(files: _Files, shown: str, shown_new: str) -> Steps[str]:
    path = files.must_not_be_root(shown, "renamed")
    new = files.must_not_be_root(shown_new, "overwritten")
    if f"{new}/".startswith(f"{path}/"):
        raise ToolError(f"{shown} cannot be moved to {shown_new}")
    if (yield from files.find(new)) or (yield from files.walk(new, most=1)):
        raise ToolError(f"The destination {shown_new} already exists")
    entry = yield from files.find(path)
    below = yield from files.walk(path)
    moved = [*([entry] if entry else []), *below]
    if not moved:
        raise ToolError(f"The path {shown} does not exist")
    for each in moved:
        present = each if each.content is not None else (yield files.read(each))
        yield files.write(present, present.content, path=f"{new}{each.path[len(path) :]}")
    return f"Successfully renamed {shown} to {shown_new}"


# --- what the model reads --------------------------------------------------------------------------------------------


def _listing(shown: str, path: str, below: list[Any]) -> str:
    """Files with their sizes and folders, two levels deep, hidden ones left out."""
    prefix = f"{path}/" if path else ""
    rows: dict[str, str] = {}
    for item in below:
        name = item.path.removeprefix(prefix)
        segments = name.rstrip("/").split("/")
        if any(segment.startswith(".") for segment in segments):
            continue
        if len(segments) > 1:
            rows.setdefault(f"{segments[0]}/", "-")
        rows[name] = _size(item.size) if isinstance(item, StoreEntry) else "-"
    header = (
        f"Here're the files and directories up to {LEVELS} levels deep in {shown}, "
        "excluding hidden items:"
    )
    return "\n".join(
        [header, f"-\t{shown}", *(f"{rows[name]}\t{shown}/{name}" for name in sorted(rows))]
    )


def _numbered_file(shown: str, content: str, view_range: list[int] | None) -> str:
    lines, first = content.split("\n"), 1
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0])
        last = len(lines) if view_range[1] == -1 else view_range[1]
        lines = lines[first - 1 : last]
    return "\n".join(
        [f"Here's the content of {shown} with line numbers:", *_numbered(lines, first)]
    )


def _numbered(lines: list[str], first: int) -> list[str]:
    return [f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first)]


def _occurrences(content: str, wanted: str) -> list[int]:
    """Where a text begins in another, overlapping ones too."""
    found, start = [], content.find(wanted)
    while start != -1 and wanted:
        found.append(start)
        start = content.find(wanted, start + 1)
    return found


def _size(size: int) -> str:
    """A size as a person reads it."""
    amount = float(size)
    for unit in ("B", "K", "M"):
        if amount < 1024 or unit == "M":
            break
        amount /= 1024
    return f"{amount:.1f}".removesuffix(".0") + unit
