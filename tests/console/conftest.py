"""Browsers of the console: they keep their cookie, send forms with the token of the page, and never run a script."""

import re
from html import unescape
from typing import Any

import httpx
import pytest

from holdfast.access.passwords import hash_password
from holdfast.access.service import make_link
from holdfast.conversations.backends import Backends
from holdfast.directory import users
from holdfast.erasure import service as erasure
from holdfast.erasure.service import Erasing
from holdfast.memories.assets.objects import ObjectStore
from tests.console.browsing import axe, until
from tests.console.chromium import WIDE, chromium, look_as

PASSWORD = "correct horse battery staple"


class Browser:
    """Somebody at a browser."""

    def __init__(self, url: str, **options: Any) -> None:
        self.http = httpx.AsyncClient(base_url=url, timeout=30, **options)
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


@pytest.fixture(scope="session")
async def password_hash():
    """The hash of PASSWORD: made once, since hashing is slow on purpose."""
    return await hash_password(PASSWORD)


@pytest.fixture
async def person(db, org, password_hash):
    """Registers a person of the test's org; the address to sign in with."""

    async def register(name="ana", *, owner=True):
        email = f"{name}-{org.id}@example.com"
        await users.put_user(
            db, org.operator, name, email=email, owner=owner, password_hash=password_hash
        )
        return email

    return register


@pytest.fixture
async def signed_in(browser, person, db, org):
    """Registers a person and signs them in by a one-time link, which needs no password to be checked."""

    async def sign_in(name, *, owner=True):
        await person(name, owner=owner)
        made = browser()
        link = await make_link(db, org.operator, name)
        assert (await made.http.get("/sign-in", params={"link": link})).status_code == 303
        return made

    return sign_in


@pytest.fixture
async def ana(signed_in):
    """An owner, signed in."""
    return await signed_in("ana")


@pytest.fixture
async def ben(signed_in):
    """A member of the same org, signed in."""
    return await signed_in("ben", owner=False)


@pytest.fixture
def api_of_ana(org):
    """The API, acting for ana."""
    return org.client(Holdfast_User="ana")


@pytest.fixture
async def erased(db, org, service):
    """Erases a person of the test's org in this process; the receipt, whose files are not rewritten yet."""

    async def erase(user_id):
        await users.put_user(db, org.operator, user_id)
        erasing = Erasing(
            Backends(db=db, redis=None), ObjectStore(f"{service.data_dir}/assets"), str
        )
        return await erasure.erase(erasing, org.operator, user_id)

    return erase


@pytest.fixture(scope="session")
def driver():
    """One browser for all tests of a process, which has axe-core in every page that it opens."""
    with chromium() as opened:
        source = axe()
        if source is not None:
            opened.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
        yield opened


@pytest.fixture
async def page(driver, service, person, db, org):
    """A browser in which ana, an owner, has signed in by a one-time link."""
    await person("ana")
    driver.delete_all_cookies()
    look_as(driver, WIDE, "light")
    driver.get(f"{service.url}/sign-in?link={await make_link(db, org.operator, 'ana')}")
    until(driver, lambda: driver.current_url == f"{service.url}/")
    driver.get_log("browser")
    return driver
