"""People who can sign in."""

import httpx
import pytest

from holdfast.access.passwords import hash_password
from holdfast.directory import users

PASSWORD = "correct horse battery staple"


class Browser:
    """A browser: keeps its cookie and sends the CSRF token with writes."""

    def __init__(self, url: str) -> None:
        self.http = httpx.AsyncClient(base_url=f"{url}/api/v1", timeout=30)

    async def login(self, email, password=PASSWORD, **more):
        reply = await self.http.post(
            "/auth/login", json={"email": email, "password": password, **more}
        )
        if reply.status_code == 200:
            self.http.headers["X-CSRF-Token"] = reply.json()["csrf_token"]
        return reply

    async def step_up(self, **proof):
        return await self.http.post("/auth/step-up", json=proof or {"password": PASSWORD})


@pytest.fixture
async def browser(service):
    opened = []

    def make():
        opened.append(Browser(service.url))
        return opened[-1]

    yield make
    for each in opened:
        await each.http.aclose()


@pytest.fixture
async def person(db, org):
    """Registers a person of the test's org; the address to sign in with."""

    async def register(name="ana", *, owner=True, password=PASSWORD):
        email = f"{name}-{org.id}@example.com"
        hashed = await hash_password(password) if password else None
        await users.put_user(db, org.operator, name, email=email, owner=owner, password_hash=hashed)
        return email

    return register


@pytest.fixture
async def signed_in(browser, person):
    """An owner at a browser."""
    made = browser()
    assert (await made.login(await person())).status_code == 200
    return made
