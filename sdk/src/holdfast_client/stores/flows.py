"""Operations on an entry by its path, of several calls each."""

from collections.abc import Mapping

from holdfast_client.errors import Conflict, NotFound
from holdfast_client.flows import Flow
from holdfast_client.scope import Scope
from holdfast_client.stores import calls
from holdfast_client.stores.model import StoreEntry
from holdfast_client.values import UNSET


def put(
    scope: Scope,
    store_id: str,
    path: str,
    content: str,
    *,
    version: int | None = None,
    metadata: Mapping[str, str] | None = None,
) -> Flow[StoreEntry]:
    """Write a text at a path, whether there is an entry or not; metadata that is not given is kept.

    With `version`, only if that is the entry's version (0: there is none yet); otherwise Conflict, with the present entry as
    `current`. Without it, whatever is there is replaced: its versions stay.
    """
    while True:
        if not version:
            try:
                made: StoreEntry = yield calls.create_entry(
                    scope, store_id, path, content, metadata=metadata
                )
                return made
            except Conflict as conflict:
                if version == 0:
                    raise
                current: StoreEntry = conflict.current
        else:
            current = yield calls.read_entry_at(scope, store_id, path)
        try:
            changed: StoreEntry = yield calls.update_entry(
                scope,
                store_id,
                current.id,
                content,
                version=version or current.version,
                metadata=UNSET if metadata is None else metadata,
            )
            return changed
        except (Conflict, NotFound):
            if version:
                raise


def delete(scope: Scope, store_id: str, path: str, *, version: int | None = None) -> Flow[None]:
    """Delete the entry at a path; with `version`, only if that is current. Its versions stay."""
    entry = yield calls.read_entry_at(scope, store_id, path)
    yield calls.delete_entry(scope, store_id, entry.id, version=version)
