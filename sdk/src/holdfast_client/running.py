"""Runs a flow on whichever client an integration was given."""

import asyncio
from typing import TypeVar

from holdfast_client.client import AsyncClient, Client
from holdfast_client.flows import Flow, run, run_async

T = TypeVar("T")


async def run_on(memory: Client | AsyncClient, flow: Flow[T]) -> T:
    """Send the calls of a flow; those of a sync client in a thread, so that the event loop is not blocked."""
    if isinstance(memory, Client):
        return await asyncio.to_thread(run, flow, memory.send)
    return await run_async(flow, memory.send)
