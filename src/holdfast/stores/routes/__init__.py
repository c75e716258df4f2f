"""Stores over HTTP."""

from holdfast.stores.routes import entries, recall, stores, transfer, versions

ROUTERS = (
    stores.router,
    entries.router,
    versions.router,
    transfer.router,
    transfer.import_router,
    recall.router,
)
