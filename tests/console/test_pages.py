"""Every page opens, empty and filled; every text on it is escaped; nobody sees another's."""

import re
from urllib.parse import quote

import pytest
from fastapi.routing import APIRoute

from holdfast.console.navigation import NAVIGATION
from holdfast.console.routes import ROUTERS
from holdfast.walls.specimens import CANARY, INSTANCE_KEY, one_of_everything

ATTACK = "<img src=x onerror=alert(1)>\"'{{7*7}}"
PLACES = [place.path for places in NAVIGATION.values() for place in places]
MAX_PAGE_BYTES = 200_000


def get_paths():
    """The path of every page."""
    for router in ROUTERS:
        for route in router.routes:
            if (
                isinstance(route, APIRoute)
                and route.methods == {"GET"}
                and "{digest}" not in route.path
            ):
                yield route.path


def post_paths():
    """The path of every form."""
    for router in ROUTERS:
        for route in router.routes:
            if (
                isinstance(route, APIRoute)
                and route.methods == {"POST"}
                and route.path != "/sign-in"
            ):
                yield route.path


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


@pytest.mark.parametrize("path", PLACES)
async def test_every_page_of_the_menu_opens_in_an_empty_org(ana, path):
    text = await ana.open(path)
    check_page(text)
    assert f'href="{path}" aria-current="page"' in text


def addresses(named):
    """Every page, with the names of the specimens filled in."""
    query = {
        "/entries/{agent_id}/entry": f"?key={named['key']}&scope=user",
        "/conversations/{resource_id}/messages": f"?key={quote(INSTANCE_KEY)}&flushed=1",
        "/search": "?q=when+does+the+harbour+pilot+sleep&agent_id=bot",
        "/prompt": f"?message=when+does+the+harbour+pilot+sleep&agent_id=bot&resource_id=support&key={quote(INSTANCE_KEY)}",
    }
    for path in get_paths():
        yield path, re.sub(r"{(\w+)}", lambda found: named[found[1]], path) + query.get(path, "")


async def test_nobody_sees_anything_of_another_user(ana, ben, org):
    named = await one_of_everything(org.client(), org.client(Holdfast_User="ana"))
    shown_to_ana = 0
    for path, address in addresses(named):
        if path in (
            "/sign-in",
            "/step-up",
            "/oauth/authorize",
        ):  # the last needs a client of OAuth
            continue
        mine = await ana.http.get(address)
        assert mine.status_code in (200, 404), (address, mine.status_code, mine.text[-500:])
        if mine.status_code == 200:
            check_page(mine.text)
        shown_to_ana += CANARY in mine.text
        theirs = await ben.http.get(address)
        assert theirs.status_code in (200, 403, 404), (
            address,
            theirs.status_code,
            theirs.text[-500:],
        )
        assert CANARY not in theirs.text, address
    assert shown_to_ana >= 12


async def test_no_form_of_another_user_changes_anything(ana, ben, org, rows_of):
    named = await one_of_everything(org.client(), org.client(Holdfast_User="ana"))
    await ben.step_up()
    before = {path: (await ana.http.get(address)).text for path, address in addresses(named)}
    for path in post_paths():
        address = re.sub(r"{(\w+)}", lambda found: named[found[1]], path)
        if path in ("/sign-out", "/step-up") or path.startswith("/account"):
            continue
        reply = await ben.http.post(
            address,
            data={
                "_csrf": ben.csrf,
                "key": named["key"],
                "scope": "user",
                "version": "1",
                "content": "ben's",
                "value": "ben's",
            },
        )
        assert CANARY not in reply.text, address
        if any(
            name in path
            for name in ("{memory_id}", "{store_id}", "{node_id}", "{entry_id}", "{version_id}")
        ):
            assert reply.status_code in (400, 403, 404, 422), (address, reply.status_code)
    for path, address in addresses(named):
        if path.startswith(("/memories/{", "/stores/{", "/nodes/{", "/blocks/{")):
            assert (await ana.http.get(address)).text == before[path], address


async def test_every_form_is_refused_without_its_token(ana, org, rows_of):
    named = await one_of_everything(org.client(), org.client(Holdfast_User="ana"))
    await ana.step_up()
    before = rows_of(org.id)
    for path in post_paths():
        address = re.sub(r"{(\w+)}", lambda found: named[found[1]], path)
        for token in ({}, {"_csrf": "x"}):
            reply = await ana.http.post(address, data={"key": "k", "content": "c", **token})
            assert reply.status_code == 403, address
    assert rows_of(org.id) == before


async def test_stored_texts_are_escaped_wherever_they_are_shown(ana, org):
    """The attack in every field that takes free text."""
    api = org.client(Holdfast_User="ana")
    admin = org.client()

    async def make(client, method, path, /, **body):
        reply = await client.request(method, path, json=body)
        assert reply.status_code in (200, 201, 202), (path, reply.text)
        return reply.json()

    await make(admin, "PATCH", "/org", name=ATTACK)
    await make(admin, "PUT", "/agents/bot", name=ATTACK)
    await make(api, "PUT", "/projects/plan", name=ATTACK)
    await make(admin, "PUT", "/workspaces/w", name=ATTACK)
    for kind in ("core", "archival"):
        for text in (ATTACK, f"{ATTACK}\n{ATTACK} again"):
            current = (await api.get(f"/memory/blocks/{kind}")).json().get("updated_at")
            await make(
                api, "PUT", f"/memory/blocks/{kind}", content=text, expected_updated_at=current
            )
    await make(
        api,
        "PUT",
        f"/agents/bot/entries/{quote(ATTACK, safe='')}",
        content=ATTACK,
        tags=[ATTACK],
        category=ATTACK,
        scope="user",
    )
    memory = await make(
        api, "POST", "/memories", key=ATTACK, value=ATTACK, summary=ATTACK, category=ATTACK, tags=[ATTACK],
        source=ATTACK, sources=[{"kind": "url", "ref": f"https://x/{ATTACK}", "quote": ATTACK}],
    )  # fmt: skip
    node = await make(
        api,
        "POST",
        "/memory-nodes",
        name=ATTACK,
        kind=ATTACK,
        aliases=["b" + ATTACK],
        summary=ATTACK,
        items=[{"content": ATTACK, "source": ATTACK}],
    )
    other = await make(api, "POST", "/memory-nodes", name="other " + ATTACK, kind=ATTACK)
    await make(
        api,
        "POST",
        "/memory-nodes/edges",
        **{"from": node["id"], "to": other["id"], "relation": ATTACK},
    )
    store = await make(api, "POST", "/memory_stores", name=ATTACK, description=ATTACK)
    entry = await make(
        api,
        "POST",
        f"/memory_stores/{store['id']}/memories",
        path="a/" + ATTACK.replace("/", ""),
        content=ATTACK,
    )
    await make(
        api,
        "PUT",
        f"/memory_stores/{store['id']}/memories/{entry['id']}",
        content=ATTACK * 2,
        version=1,
    )
    versions = (await api.get(f"/memory_stores/{store['id']}/versions")).json()["data"]
    message = {"role": "user", "content": ATTACK, "name": "ana", "metadata": {"x": ATTACK}}
    await make(api, "POST", "/conversations/sessions/append", key="chat", messages=[message])
    pages = [
        *PLACES,
        "/account",
        f"/memories/{memory['id']}",
        f"/nodes/{node['id']}",
        f"/stores/{store['id']}",
        f"/stores/{store['id']}?path=a/",
        f"/stores/{store['id']}/versions",
        f"/stores/{store['id']}/entries/{entry['id']}",
        f"/stores/{store['id']}/versions/{versions[0]['id']}",
        "/blocks/core",
        "/blocks/archival",
        "/entries/bot",
        "/entries/bot/hydration",
        f"/entries/bot/entry?key={quote(ATTACK)}",
        "/conversations/sessions",
        "/conversations/sessions/messages?key=chat",
        f"/search?q={quote(ATTACK)}&agent_id=bot",
        f"/prompt?message={quote(ATTACK)}&agent_id=bot",
        f"/memories?category={quote(ATTACK)}",
        f"/nodes?q={quote(ATTACK)}",
    ]
    shown = 0
    for address in pages:
        text = await ana.open(address)
        assert "<img" not in text, address
        assert "49" not in re.findall(r"&gt;&#34;&#39;(\d+)", text), address
        check_page(text)
        shown += "onerror" in text
    assert shown >= 20


async def test_pages_stay_small_with_the_largest_texts(ana, org):
    """The longest texts that the API takes, in several versions: no page loads all of it."""
    api = org.client(Holdfast_User="ana")
    memory = {}
    for number in range(6):
        stamp = (await api.get("/memory/blocks/archival")).json().get("updated_at")
        block = {"content": f"{number}" * 8_000, "expected_updated_at": stamp}
        assert (await api.put("/memory/blocks/archival", json=block)).status_code in (200, 201)
        saved = await api.post("/memories", json={"key": "long", "value": f"{number} <" * 2_000})
        memory = saved.json()
        entry = {"content": f"{number} & " * 3_000, "scope": "user"}
        assert (await api.put("/agents/bot/entries/long", json=entry)).status_code in (200, 201)
    said = [{"role": "user", "content": f"{number} <b> " * 4_000} for number in range(45)]
    for part in (said[:20], said[20:40], said[40:]):
        body = {"key": "long", "messages": part}
        assert (await api.post("/conversations/sessions/append", json=body)).status_code == 200
    for address in (
        "/blocks",
        "/blocks/archival",
        f"/memories/{memory['id']}",
        "/memories",
        "/entries/bot/entry?key=long&scope=user",
        "/entries/bot/hydration",
        "/conversations/sessions/messages?key=long&flushed=1",
        "/prompt?message=long&agent_id=bot&resource_id=sessions&key=long",
    ):
        check_page(await ana.open(address))
