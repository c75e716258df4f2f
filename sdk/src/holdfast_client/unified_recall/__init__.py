"""The methods of the client itself: remember, recall, forget."""

from holdfast_client.face import AsyncFace, Face, awaited, sync
from holdfast_client.unified_recall import calls


class Verbs(Face):
    """`client.remember(…)`, `client.recall(…)`, `client.forget(…)`."""

    remember = sync(calls.remember)
    recall = sync(calls.recall)
    forget = sync(calls.forget)


class AsyncVerbs(AsyncFace):
    """`await client.remember(…)`, `await client.recall(…)`, `await client.forget(…)`."""

    remember = awaited(calls.remember)
    recall = awaited(calls.recall)
    forget = awaited(calls.forget)
