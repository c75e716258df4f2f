"""What was said last in a session, as far as this process knows: a guess, by which a save starts its embedding before it asks."""

from collections import OrderedDict
from time import monotonic

MAX_SESSIONS = 2_048
FORGOTTEN_AFTER_S = 600.0

_Key = tuple[str, str, str]


class LastSaid:
    """The end of the last memory that this process made in each session, with its speaker, for the sessions of late."""

    def __init__(self) -> None:
        self._by_session: OrderedDict[_Key, tuple[str, float]] = OrderedDict()

    def of(self, org_id: str, scope: str, session_id: str) -> str | None:
        """What was said last in a session among the memories of a scope; None where that is not known."""
        said, at = self._by_session.get((org_id, scope, session_id), (None, 0.0))
        return said if monotonic() - at <= FORGOTTEN_AFTER_S else None

    def note(self, org_id: str, scope: str, session_id: str, said: str) -> None:
        """Remember it. What is too old, or too much, is forgotten."""
        now = monotonic()
        self._by_session.pop((org_id, scope, session_id), None)
        self._by_session[org_id, scope, session_id] = said, now
        while len(self._by_session) > MAX_SESSIONS or self._oldest < now - FORGOTTEN_AFTER_S:
            self._by_session.popitem(last=False)

    @property
    def _oldest(self) -> float:
        _, at = next(iter(self._by_session.values()))
        return at
