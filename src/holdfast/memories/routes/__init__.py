"""Memories over HTTP, with the graph, the insights and the assets.

A path with a fixed word (`/memories/recall`) goes before the one that takes any id.
"""

from holdfast.memories.assets import routes as assets
from holdfast.memories.graph import routes as graph
from holdfast.memories.insights import routes as insights
from holdfast.memories.routes import recall, rows, sources

ROUTERS = (
    recall.router,
    rows.router,
    rows.batch_router,
    sources.router,
    assets.router,
    assets.upload_router,
    graph.router,
    insights.router,
)
