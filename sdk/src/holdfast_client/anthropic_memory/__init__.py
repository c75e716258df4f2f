"""Anthropic's memory tool over a store: what the model writes under /memories are entries, with every version kept.

    from anthropic import Anthropic
    from holdfast_client import Client
    from holdfast_client.anthropic_memory import StoreMemoryTool

    tool = StoreMemoryTool(Client(), "memstore_…", folder="users/ana")
    Anthropic().beta.messages.run_tools(model=…, messages=…, tools=[tool])

The answers and errors have the texts of the SDK's own `BetaLocalFilesystemMemoryTool`, which models know. Needs the extra
`holdfast-client[anthropic]`.
"""

from holdfast_client.anthropic_memory.tool import AsyncStoreMemoryTool, StoreMemoryTool

__all__ = ["AsyncStoreMemoryTool", "StoreMemoryTool"]
