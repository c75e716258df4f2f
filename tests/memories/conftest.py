"""A browser at the desk of a person, beside the keys of the kernel's harness."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest

from holdfast.access.passwords import hash_password
from holdfast.directory import users
from holdfast.kernel.caller import Caller
from holdfast.kernel.sql import Query

SignIn = Callable[..., Awaitable[httpx.AsyncClient]]
PASSWORD = "correct horse battery staple"


@pytest.fixture(scope="session")
async def password_hash() -> str:
    """Hashing is slow on purpose: once is enough."""
    return await hash_password(PASSWORD)


_expire = Query(
    "expire",
    "UPDATE memories SET expires_at = %(now)s - interval '1 day' WHERE org_id = %(org_id)s AND id = %(id)s",
)


@pytest.fixture
def expire(db) -> Callable[[Caller, str], Awaitable[None]]:
    """Lets a memory's expiry lie in the past, which no call may ask for, without waiting for it."""

    async def expire(caller: Caller, memory_id: str) -> None:
        async with db.begin(caller) as tx:
            await tx.run(_expire, id=memory_id)

    return expire


@pytest.fixture
async def sign_in(org, service, password_hash) -> AsyncIterator[SignIn]:
    """Signs a user of the test's org in at a browser of their own."""
    clients: list[httpx.AsyncClient] = []

    async def browser(
        user: str = "owner", *, step_up: bool = True, **headers: str
    ) -> httpx.AsyncClient:
        email = f"{user}-{secrets.token_hex(6)}@example.com"
        await users.put_user(org.db, org.operator, user, email=email, password_hash=password_hash)
        client = httpx.AsyncClient(base_url=f"{service.url}/api/v1", timeout=30)
        clients.append(client)
        signed_in = await client.post("/auth/login", json={"email": email, "password": PASSWORD})
        assert signed_in.status_code == 200, signed_in.text
        client.headers["X-CSRF-Token"] = signed_in.json()["csrf_token"]
        client.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
        if step_up:
            confirmed = await client.post("/auth/step-up", json={"password": PASSWORD})
            assert confirmed.status_code == 200, confirmed.text
        return client

    yield browser
    for client in clients:
        await client.aclose()
