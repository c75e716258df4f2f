"""Insights: observations about a user, made from conversations."""

from holdfast_client.face import AsyncFace, Face, awaited, sync
from holdfast_client.insights import calls


class Insights(Face):
    """Save, list and erase the insights about a user."""

    save = sync(calls.save_insight)
    list = sync(calls.list_insights)
    get = sync(calls.read_insight)
    delete = sync(calls.delete_insight)
    wipe = sync(calls.wipe_insights)


class AsyncInsights(AsyncFace):
    """Save, list and erase the insights about a user."""

    save = awaited(calls.save_insight)
    list = awaited(calls.list_insights)
    get = awaited(calls.read_insight)
    delete = awaited(calls.delete_insight)
    wipe = awaited(calls.wipe_insights)
