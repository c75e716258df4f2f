"""Browsers of the console: they keep their cookie, send forms with the token of the page, and never run a script."""

import re
from html import unescape

import httpx
import pytest

from holdfast.access.passwords import hash_password
from holdfast.directory import users

PASSWORD = "correct horse battery staple"


class Browser:
    """Somebody at a browser."""

    def __init__(self, url: str) -> None:
        self.http = httpx.AsyncClient(base_url=url, timeout=30)
        self.csrf = ""

    async def sign_in(self, email, password=PASSWORD, **more):
        return await self.http.post("/sign-in", data={"email": email, "password": password, **more})

    async def open(self, path, /, status=200, **query):
        """A page as it is shown."""
        page = await self.http.get(path, params=query or None)
        assert page.status_code == status, (path, page.status_code, page.text[-600:])
        found = re.search(r'name="_csrf" value="([^"]+)"', page.text)
        self.csrf = unescape(found[1]) if found else self.csrf
        return page.text

    async def send(self, path, /, status=303, **fields):
        """Send a form with the session's token; the reply."""
        if not self.csrf:
            await self.open("/account")
        reply = await self.http.post(path, data={"_csrf": self.csrf, **fields})
        assert reply.status_code == status, (path, reply.status_code, reply.text[-900:])
        return reply

    async def step_up(self):
        return await self.send("/step-up", _password=PASSWORD, next="/")


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

    async def register(name="ana", *, owner=True):
        email = f"{name}-{org.id}@example.com"
        hashed = await hash_password(PASSWORD)
        await users.put_user(db, org.operator, name, email=email, owner=owner, password_hash=hashed)
        return email

    return register


@pytest.fixture
async def ana(browser, person):
    """An owner, signed in."""
    made = browser()
    assert (await made.sign_in(await person("ana"))).status_code == 303
    return made


@pytest.fixture
async def ben(browser, person):
    """A member of the same org, signed in."""
    made = browser()
    assert (await made.sign_in(await person("ben", owner=False))).status_code == 303
    return made


@pytest.fixture
def api_of_ana(org):
    """The API, acting for ana."""
    return org.client(Holdfast_User="ana")
