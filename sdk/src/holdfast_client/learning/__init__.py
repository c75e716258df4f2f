"""Learning: sessions that are learned from, and the proposals that come of it."""

# Memories first: its face has a call of this package, which uses its values.
import holdfast_client.memories  # noqa: F401  isort: skip
from holdfast_client.face import AsyncFace, Face, awaited, sync
from holdfast_client.learning import calls


class Sessions(Face):
    """Append to a session, and have it learned from."""

    append = sync(calls.append_messages)
    settle = sync(calls.settle_session)


class AsyncSessions(AsyncFace):
    """Append to a session, and have it learned from."""

    append = awaited(calls.append_messages)
    settle = awaited(calls.settle_session)


class Proposals(Face):
    """List, edit, accept and reject what learning proposes."""

    list = sync(calls.list_proposals)
    get = sync(calls.read_proposal)
    edit = sync(calls.edit_proposal)
    accept = sync(calls.accept_proposal)
    reject = sync(calls.reject_proposal)
    accept_many = sync(calls.accept_proposals)


class AsyncProposals(AsyncFace):
    """List, edit, accept and reject what learning proposes."""

    list = awaited(calls.list_proposals)
    get = awaited(calls.read_proposal)
    edit = awaited(calls.edit_proposal)
    accept = awaited(calls.accept_proposal)
    reject = awaited(calls.reject_proposal)
    accept_many = awaited(calls.accept_proposals)


class Learning(Face):
    """Consolidate memory, and measure how clean it is."""

    consolidate = sync(calls.consolidate)
    hygiene = sync(calls.hygiene)


class AsyncLearning(AsyncFace):
    """Consolidate memory, and measure how clean it is."""

    consolidate = awaited(calls.consolidate)
    hygiene = awaited(calls.hygiene)
