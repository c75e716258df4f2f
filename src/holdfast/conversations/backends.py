"""What conversations stand on: the database, perhaps a Redis, perhaps a language model; and the log of each resource."""

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import timedelta

from holdfast.conversations.logs.local import LocalLog
from holdfast.conversations.logs.postgres import PostgresLog
from holdfast.conversations.logs.protocol import MessageLog
from holdfast.conversations.logs.redis import RedisLog
from holdfast.conversations.resources.config import Resource
from holdfast.conversations.resources.rules import Capabilities
from holdfast.kernel import durations
from holdfast.kernel.breaker import Breaker
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.ledger import MeteredLlm
from holdfast.kernel.redis import Redis

MAX_BREAKERS = 10_000


@dataclass(slots=True)
class Backends:
    """One per process."""

    db: Database
    redis: Redis | None = None
    llm: MeteredLlm | None = None
    token_endpoints: tuple[str, ...] = ()
    flushed_kept_for: timedelta | None = None
    _breakers: OrderedDict[tuple[str, str, str], Breaker] = field(
        default_factory=OrderedDict, init=False
    )

    @property
    def capabilities(self) -> Capabilities:
        """What a resource may count on here."""
        return Capabilities(self.redis is not None, self.llm is not None, self.token_endpoints)

    async def close(self) -> None:
        """Close what was opened for conversations alone."""
        if self.redis is not None:
            await self.redis.close()

    def log(self, caller: Caller, resource: Resource) -> MessageLog:
        """Where a resource's messages are kept."""
        match resource.persistence.type:
            case "postgres":
                return PostgresLog(self.db, self._breaker(caller, resource, "the database"))
            case "redis":
                if self.redis is None:
                    raise BackendUnavailable(
                        "this resource is kept in Redis, and none is configured"
                    )
                return RedisLog(self.redis, self.db, self._breaker(caller, resource, "Redis"))
            case "in_memory":
                return LocalLog(self.db)

    def _breaker(self, caller: Caller, resource: Resource, backend: str) -> Breaker:
        """The breaker of a resource, kept between calls for as long as its settings stay."""
        config = resource.breaker
        place = (caller.org_id, resource.id, f"{resource.persistence.type} {config!r}")
        breaker = self._breakers.get(place)
        if breaker is None:
            breaker = self._breakers[place] = (
                Breaker(
                    backend,
                    durations.seconds(config.timeout),
                    config.max_failures,
                    durations.seconds(config.reset_timeout),
                )
                if config.enabled
                else Breaker(backend, None, 2**62)
            )
            if len(self._breakers) > MAX_BREAKERS:
                self._breakers.popitem(last=False)
        return breaker
