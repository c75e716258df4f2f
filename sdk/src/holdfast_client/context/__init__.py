"""Context: what to put in a prompt, from every face, in one call and within one budget of tokens."""

from holdfast_client.context import calls
from holdfast_client.face import AsyncFace, Face, awaited, sync


class Contexts(Face):
    """`client.context(message, …)`, and user memory alone."""

    __call__ = sync(calls.assemble)
    user_memory = sync(calls.read_user_memory)


class AsyncContexts(AsyncFace):
    """`await client.context(message, …)`, and user memory alone."""

    __call__ = awaited(calls.assemble)
    user_memory = awaited(calls.read_user_memory)
