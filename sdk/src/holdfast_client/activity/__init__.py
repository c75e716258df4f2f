"""Activity: who changed what."""

from holdfast_client.activity import calls
from holdfast_client.face import AsyncFace, Face, awaited, sync


class Activity(Face):
    """Changes of everything that the caller sees, and how much the org uses the service."""

    revisions = sync(calls.list_revisions)
    stats = sync(calls.stats)


class AsyncActivity(AsyncFace):
    """Changes of everything that the caller sees."""

    revisions = awaited(calls.list_revisions)
    stats = awaited(calls.stats)
