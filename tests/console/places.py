"""Every page and every form of the console, with a specimen of what its path names."""

import re
from urllib.parse import quote, urlencode

from fastapi.routing import APIRoute

from holdfast.console.navigation import NAVIGATION
from holdfast.console.routes import ROUTERS
from holdfast.walls.specimens import ASKED, INSTANCE_KEY, one_of_everything

PLACES = [place.path for places in NAVIGATION.values() for place in places]
MAX_PAGE_BYTES = 200_000

# What a page needs beside its path. A page that is not here, and whose path names nothing, opens as it is.
QUERIES = {
    "/entries/{agent_id}/entry": {"key": "{key}", "scope": "user"},
    "/conversations/{resource_id}/messages": {"key": INSTANCE_KEY, "flushed": "1"},
    "/search": {"q": ASKED, "agent_id": "bot"},
    "/prompt": {"message": ASKED, "agent_id": "bot", "resource_id": "support", "key": INSTANCE_KEY},
    "/stores/{store_id}": {"path": "notes/"},
    "/stores/{store_id}/compare": {"version": "{version_id}", "with": "{version_id}"},
    "/memories": {"expired": "1", "superseded": "1"},
    "/proposals": {"status": "all"},
    "/erase/{receipt_id}": {"verify": "1"},
    "/hygiene": {"preview": "expired"},
}
# Pages that are not walked, and why.
NOT_WALKED = {
    "/sign-in": "for whoever is not signed in; test_sign_in.py",
    "/oauth/authorize": "needs a client of OAuth; test_consent.py",
    "/console/{digest}/{name}": "files that are the same for everybody",
}


def paths(method):
    """The path of every route of a method."""
    return [
        route.path
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and route.methods == {method}
    ]


def address(path, named):
    """A path with the specimens in it; fails where a part of it has none."""
    filled = re.sub(r"{(\w+)}", lambda part: quote(named[part[1]], safe=""), path)
    query = {name: value.format(**named) for name, value in QUERIES.get(path, {}).items()}
    return filled + (f"?{urlencode(query)}" if query else "")


def pages(named):
    """The path and the address of every page that is walked."""
    return [(path, address(path, named)) for path in paths("GET") if path not in NOT_WALKED]


async def specimens(ana, org, erased):
    """One of everything that ana can have; the names that paths take."""
    api = org.client(Holdfast_User="ana")
    named = await one_of_everything(org.client(), api)
    queued = await ana.send("/hygiene", kind="duplicates")
    return named | {
        "job_id": queued.headers["location"].rsplit("/", 1)[1],
        "receipt_id": (await erased("gone")).id,
    }


def check_page(text):
    """What is true of every page."""
    assert len(text.encode()) < MAX_PAGE_BYTES
    assert len(re.findall(r"<h1[ >]", text)) == 1
    assert "<main" in text
    assert " style=" not in text
    assert not re.search(r"<script(?![^>]* src=\"/)", text)
    for control in re.findall(r"<(?:input|select|textarea)[^>]*>", text):
        if 'type="hidden"' not in control:
            at = text.index(control)
            before = text[:at].rsplit("<label", 1)[-1]
            assert "</label>" not in before or 'id="find"' in control, control
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids)), ids
