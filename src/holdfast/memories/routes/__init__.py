"""Memories, nodes and insights over HTTP: a file per story.

A path with a fixed word (`/memories/recall`) goes before the one that takes any id.
"""

from holdfast.memories.routes import attached, graph, insights, recall, rows

ROUTERS = (
    recall.router,
    rows.router,
    attached.router,
    attached.upload_router,
    graph.router,
    insights.router,
)
