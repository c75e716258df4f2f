"""LangGraph's long-term memory on a store of Holdfast: `pip install 'holdfast-client[langgraph]'`.

from holdfast_client import Client
from holdfast_client.langgraph import HoldfastStore

graph = builder.compile(store=HoldfastStore(Client()))
"""

from holdfast_client.langgraph.store import AsyncHoldfastStore, HoldfastStore

__all__ = ["AsyncHoldfastStore", "HoldfastStore"]
