"""An org of one test: its callers, its keys and its HTTP clients."""

from dataclasses import dataclass
from typing import Any

import httpx

from holdfast.access import keys
from holdfast.kernel.caller import Caller, operator
from holdfast.kernel.db import Database
from tests import several_processes


@dataclass(frozen=True)
class Org:
    """A tenant of this test alone."""

    id: str
    key: str
    db: Database
    url: str
    clients: list[httpx.AsyncClient]
    second_url: str | None = None

    def caller(self, user: str | None = "owner", **names: Any) -> Caller:
        """A Caller of this org, as a service key would make it."""
        return Caller(
            org_id=self.id,
            credential="service",
            credential_id="key_test",
            workspace_id=names.pop("workspace_id", "default"),
            user_id=user,
            **names,
        )

    @property
    def operator(self) -> Caller:
        """The command line's caller."""
        return operator(self.id)

    def client(self, key: str | None = None, **headers: str) -> httpx.AsyncClient:
        """An HTTP client with a key of this org; header names take `_` for `-`."""
        client = httpx.AsyncClient(
            base_url=f"{self.url}/api/v1",
            headers={
                "Authorization": f"Bearer {key or self.key}",
                **{name.replace("_", "-"): value for name, value in headers.items()},
            },
            timeout=60,
            transport=self.second_url and several_processes.InTurn(self.url, self.second_url),
        )
        self.clients.append(client)
        return client

    async def mint(self, kind: Any, **options: Any) -> str:
        """Another API key of this org."""
        return (await keys.create_key(self.db, self.operator, kind, **options)).key
