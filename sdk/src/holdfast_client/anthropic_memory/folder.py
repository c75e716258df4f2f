"""The part of a store that the model sees as /memories: paths in and out of it, and the calls on it."""

from collections.abc import Generator
from typing import Any, TypeVar

from anthropic.lib.tools import ToolError

from holdfast_client.calls import Call
from holdfast_client.errors import NotFound
from holdfast_client.scope import Scope
from holdfast_client.stores import calls
from holdfast_client.stores.model import StoreEntry

ROOT = "/memories"
PAGE = 100

Answer = TypeVar("Answer")
# A command as a generator: it yields calls and receives their answers, so that the sync and the async tool share it. It
# returns the text for the model.
Steps = Generator[Call[Any], Any, Answer]


class Folder:
    """/memories as a folder of a store, or as the whole store."""

    def __init__(self, store_id: str, folder: str) -> None:
        self._store_id = store_id
        self._folder = [segment for segment in folder.split("/") if segment]
        self._scope = Scope()

    @property
    def root(self) -> str:
        """The path of /memories in the store; "" is the whole store."""
        return "/".join(self._folder)

    def path(self, shown: str) -> str:
        """The store path for the path `shown` that the model uses; `.` and `..` are resolved and cannot leave the folder."""
        if shown != ROOT and not shown.startswith(f"{ROOT}/"):
            raise ToolError(f"Path must start with {ROOT}, got: {shown}")
        resolved: list[str] = []
        for segment in shown.removeprefix(ROOT).split("/"):
            if segment == ".." and not resolved:
                raise ToolError(f"Path {shown} would escape {ROOT} directory")
            if segment == "..":
                resolved.pop()
            elif segment not in ("", "."):
                resolved.append(segment)
        return "/".join([*self._folder, *resolved])

    def parents(self, path: str) -> list[str]:
        """The folders between the root and a path, the nearest to the root first."""
        segments = path.split("/")
        return ["/".join(segments[:end]) for end in range(len(self._folder) + 1, len(segments))]

    def shown(self, path: str) -> str:
        """The path that the model uses for a path of the store."""
        return f"{ROOT}/{path.removeprefix(self.root).removeprefix('/')}".removesuffix("/")

    def file(self, path: str) -> Steps[StoreEntry | None]:
        """The file at a path, if there is one."""
        if not path:
            return None
        try:
            found: StoreEntry = yield calls.read_entry_at(self._scope, self._store_id, path)
        except NotFound:
            # A store that is missing is an error, and not an empty folder.
            yield calls.read_store(self._scope, self._store_id)
            return None
        return found

    def below(self, folder: str, *, depth: int = 0) -> Steps[list[Any]]:
        """Every file below a folder; with `depth`, deeper files are returned as their folders."""
        found: list[Any] = []
        after: str | None = None
        while True:
            page = yield self._list(folder, depth=depth, limit=PAGE, after_path=after)
            found += page.data
            if not page.has_more:
                return found
            after = page.next_path

    def is_folder(self, path: str) -> Steps[bool]:
        """Whether there is a file below a path."""
        page = yield self._list(path, depth=0, limit=1, after_path=None)
        return bool(page.data)

    def create(self, path: str, content: str) -> Call[StoreEntry]:
        """Write a new file."""
        return calls.create_entry(self._scope, self._store_id, path, content)

    def write(
        self, entry: StoreEntry, content: str, *, path: str | None = None
    ) -> Call[StoreEntry]:
        """Replace a file's content, or move it, if nobody has changed it since it was read."""
        return calls.update_entry(
            self._scope,
            self._store_id,
            entry.id,
            content,
            version=entry.version,
            path=path or entry.path,
        )

    def read(self, entry: StoreEntry) -> Call[StoreEntry]:
        """A file that was listed, with its content."""
        return calls.read_entry(self._scope, self._store_id, entry.id)

    def delete(self, entry: StoreEntry) -> Call[None]:
        """Delete a file."""
        return calls.delete_entry(self._scope, self._store_id, entry.id)

    def _list(self, folder: str, *, depth: int, limit: int, after_path: str | None) -> Call[Any]:
        return calls.list_entries(
            self._scope,
            self._store_id,
            path_prefix=folder or None,
            depth=depth,
            limit=limit,
            after_path=after_path,
        )
