"""The memory tool for the sync and for the async client."""

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

from holdfast_client.anthropic_memory import commands
from holdfast_client.anthropic_memory.folder import Folder, Steps
from holdfast_client.client import AsyncClient, Client
from holdfast_client.errors import HoldfastError


class StoreMemoryTool(BetaAbstractMemoryTool):
    """The memory tool on a store, or on the part of it below `folder`."""

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
        self._folder = Folder(store_id, folder)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a folder, two levels deep, or a file with its lines numbered."""
        return self._run(commands.view(self._folder, command.path, command.view_range))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return self._run(commands.create(self._folder, command.path, command.file_text))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that is in the file exactly once."""
        edit = commands.replacing(command.path, command.old_str, command.new_str)
        return self._run(commands.edit(self._folder, command.path, edit))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text after a line."""
        edit = commands.inserting(command.path, command.insert_line, command.insert_text)
        return self._run(commands.edit(self._folder, command.path, edit))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a folder with its contents."""
        return self._run(commands.delete(self._folder, command.path))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder to a free path."""
        return self._run(commands.rename(self._folder, command.old_path, command.new_path))

    def clear_all_memory(self) -> str:
        """Delete everything under /memories."""
        return self._run(commands.clear(self._folder))

    def _run(self, steps: Steps[str]) -> str:
        """Send each call that the command yields, and pass its answer or error back to it."""
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
    """`StoreMemoryTool` for the async client."""

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
        self._folder = Folder(store_id, folder)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a folder, two levels deep, or a file with its lines numbered."""
        return await self._run(commands.view(self._folder, command.path, command.view_range))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return await self._run(commands.create(self._folder, command.path, command.file_text))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that is in the file exactly once."""
        edit = commands.replacing(command.path, command.old_str, command.new_str)
        return await self._run(commands.edit(self._folder, command.path, edit))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text after a line."""
        edit = commands.inserting(command.path, command.insert_line, command.insert_text)
        return await self._run(commands.edit(self._folder, command.path, edit))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a folder with its contents."""
        return await self._run(commands.delete(self._folder, command.path))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder to a free path."""
        return await self._run(commands.rename(self._folder, command.old_path, command.new_path))

    async def clear_all_memory(self) -> str:
        """Delete everything under /memories."""
        return await self._run(commands.clear(self._folder))

    async def _run(self, steps: Steps[str]) -> str:
        """Send each call that the command yields, and pass its answer or error back to it."""
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
