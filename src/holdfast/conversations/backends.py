"""What conversations need: the database, perhaps a Redis, perhaps a language model; and the log of each resource."""

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol, TypeVar

from holdfast.conversations.counting import Counter
from holdfast.conversations.logs.local import LocalLog
from holdfast.conversations.logs.postgres import PostgresLog
from holdfast.conversations.logs.protocol import MessageLog
from holdfast.conversations.logs.reads import ReadNotes
from holdfast.conversations.logs.redis import RedisLog
from holdfast.conversations.model import Instance
from holdfast.conversations.resources.config import Resource
from holdfast.conversations.resources.rules import Capabilities
from holdfast.conversations.resources.token_access import TokenAccess
from holdfast.kernel import durations
from holdfast.kernel.breaker import Breaker
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.ledger import MeteredLlm
from holdfast.kernel.redis import Redis

K = TypeVar("K")
V = TypeVar("V")

MAX_REMEMBERED = 10_000
# How long a call may take where a resource has no circuit breaker.
DEFAULT_TIMEOUT_S = 10.0


class SessionListener(Protocol):
    """Is called about messages of sessions. Who learns from conversations registers one."""

    async def appended(
        self, caller: Caller, session_id: str, instance: Instance, number: int
    ) -> None:
        """After messages of a session were appended."""
        ...

    async def before_removal(self, caller: Caller, instance: Instance) -> None:
        """Before a flush takes messages out of an instance."""
        ...


@dataclass(slots=True)
class Backends:
    """One per process."""

    db: Database
    redis: Redis | None = None
    llm: MeteredLlm | None = None
    token_access: TokenAccess = field(default_factory=TokenAccess)
    flushed_kept_for: timedelta | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    listener: SessionListener | None = None
    _reads: ReadNotes = field(init=False)
    _breakers: OrderedDict[tuple[str, str, str], Breaker] = field(
        default_factory=OrderedDict, init=False
    )
    _remembered: OrderedDict[tuple[str, str], tuple[Resource, bool]] = field(
        default_factory=OrderedDict, init=False
    )

    def __post_init__(self) -> None:
        self._reads = ReadNotes(self.db)

    @property
    def capabilities(self) -> Capabilities:
        """What a resource may use in this deployment."""
        return Capabilities(self.redis is not None, self.llm is not None, self.token_access)

    async def close(self) -> None:
        """Write the reads that are noted, and close what was opened for conversations alone."""
        await self._reads.close()
        if self.redis is not None:
            await self.redis.close()

    def counter(self, resource: Resource) -> Counter:
        """Counts the tokens of a resource's messages."""
        return Counter(resource, self.token_access)

    def remember(self, caller: Caller, resource: Resource, *, workspaces_enabled: bool) -> None:
        """Keep how a resource looked last, as a guess for the next read of it."""
        _put(self._remembered, (caller.org_id, resource.id), (resource, workspaces_enabled))

    def guess(self, caller: Caller, resource_id: str) -> tuple[Resource, bool] | None:
        """How a resource looked last, and whether its org separated workspaces. It may have changed since."""
        return self._remembered.get((caller.org_id, resource_id))

    def log(self, caller: Caller, resource: Resource) -> MessageLog:
        """The log that keeps a resource's messages."""
        match resource.persistence.type:
            case "postgres":
                breaker = self._breaker(caller, resource, "the database")
                return PostgresLog(self.db, breaker, self._reads)
            case "redis":
                if self.redis is None:
                    raise BackendUnavailable(
                        "this resource is kept in Redis, and none is configured"
                    )
                return RedisLog(self.redis, self.db, self._breaker(caller, resource, "Redis"))
            case "in_memory":
                return LocalLog(self.db)

    def _breaker(self, caller: Caller, resource: Resource, backend: str) -> Breaker:
        """The breaker of a resource, the same for as long as its settings are."""
        config = resource.breaker
        name = (caller.org_id, resource.id, f"{resource.persistence.type} {config!r}")
        breaker = self._breakers.get(name)
        if breaker is None:
            breaker = Breaker(backend, self.timeout_s, 2**62)
            if config.enabled:
                breaker = Breaker(
                    backend,
                    durations.seconds(config.timeout),
                    config.max_failures,
                    durations.seconds(config.reset_timeout),
                )
            _put(self._breakers, name, breaker)
        return breaker


def _put(cache: OrderedDict[K, V], key: K, value: V) -> None:
    cache[key] = value
    if len(cache) > MAX_REMEMBERED:
        cache.popitem(last=False)
