"""The console with several API processes: any of them answers any request of a session."""

import httpx

from holdfast.access.service import make_link
from holdfast.console.navigation import NAVIGATION
from holdfast.engine import find_running
from holdfast.kernel.caller import operator
from holdfast.kernel.db import Database
from tests.console.conftest import Browser

PLACES = [place.path for places in NAVIGATION.values() for place in places]


async def walk_without_stickiness(url, api_key, data_dir):
    """Sign in, open every page of the menu, write and sign out, each request over a connection of its own."""
    headers = {"Authorization": f"Bearer {api_key}"}
    async with httpx.AsyncClient(base_url=f"{url}/api/v1", headers=headers, timeout=30) as api:
        org_id = (await api.get("/org")).json()["id"]
    endpoints = find_running(data_dir)
    assert endpoints is not None
    database = Database(endpoints.app_url, min_size=1, max_size=2)
    await database.open()
    try:
        link = await make_link(database, operator(org_id), "owner")
    finally:
        await database.close()
    # Processes take connections in turn, whoever asked before.
    none_kept = httpx.Limits(max_keepalive_connections=0)
    browser = Browser(url, limits=none_kept)
    try:
        assert (await browser.http.get("/sign-in", params={"link": link})).status_code == 303
        again = [(await browser.http.get("/sign-in", params={"link": link})) for _ in range(4)]
        assert {reply.status_code for reply in again} == {401}  # used up in every process
        for path in PLACES:
            await browser.open(path)
        for number in range(8):
            made = await browser.send("/memories", key=f"k{number}", value="v")
            await browser.open(made.headers["location"])
        await browser.send("/sign-out")
        ended = [(await browser.http.get("/memories")).status_code for _ in range(8)]
        assert set(ended) == {303}
    finally:
        await browser.http.aclose()
