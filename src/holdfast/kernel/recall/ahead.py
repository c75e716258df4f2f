"""Saves a round trip of a recall: the query is embedded before it is known which of its words are names of speakers.

Names are taken out of a query before it is embedded, and only the database knows them (`recall_begin`). A process remembers the
names in the queries of each caller. A query is embedded on the assumption that it has no others, and the index is asked in the
round trip that finds the names. Where they are not as assumed, that answer is discarded, and the recall takes its usual course.
"""

from collections import OrderedDict
from dataclasses import dataclass

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.recall.model import Found
from holdfast.kernel.recall.search import Begun, Understood
from holdfast.kernel.recall.slow import Stopwatch
from holdfast.kernel.recall.words import spoken

MAX_CALLERS = 4_096
MAX_NAMES = 256
"""How many names of one caller are remembered; with more, all are forgotten."""

_Key = tuple[str, str | None, str | None]


@dataclass(frozen=True, slots=True)
class Searched:
    """A query with what it brought up, and the time that this took."""

    asked: Understood
    found: Found
    watch: Stopwatch


class KnownNames:
    """The names of speakers that were found in the queries of each caller, for the callers of late."""

    def __init__(self) -> None:
        self._by_caller: OrderedDict[_Key, frozenset[str]] = OrderedDict()

    def among(self, caller: Caller, words: set[str]) -> frozenset[str]:
        """Those of these words that are known as names."""
        return self._by_caller.get(_key(caller), frozenset()) & words

    def learn(self, caller: Caller, words: set[str], names: frozenset[str]) -> None:
        """Remember which of a query's words are names, and that the others are not."""
        key = _key(caller)
        known = (self._by_caller.pop(key, frozenset()) - words) | names
        if known:
            self._by_caller[key] = known if len(known) <= MAX_NAMES else names
        while len(self._by_caller) > MAX_CALLERS:
            self._by_caller.popitem(last=False)


def assume(db: Database, caller: Caller, query: str) -> Begun | None:
    """What is likely to be true of a query; None where the query is embedded elsewhere, which would cost more than a round
    trip if it had to be done twice."""
    model = db.services.get(Embedders).active_local
    if model is None:
        return None
    names = db.services.get(KnownNames).among(caller, spoken(query))
    return Begun(sorted(names), model, None)


def confirm(db: Database, caller: Caller, query: str, assumed: Begun, found: Begun) -> bool:
    """Whether what was assumed is what was found; remembers the names."""
    names = frozenset(found.names)
    db.services.get(KnownNames).learn(caller, spoken(query), names)
    return frozenset(assumed.names) == names and assumed.model == found.model


def _key(caller: Caller) -> _Key:
    return caller.org_id, caller.user_id, caller.agent_id
