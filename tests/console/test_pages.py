"""Every page opens, empty and filled; nobody sees another's; every form has its token; pages stay small."""

import re

import pytest

from holdfast.console import render
from holdfast.walls.specimens import CANARY
from tests.console.places import (
    MAX_PAGE_BYTES,
    NOT_WALKED,
    PLACES,
    QUERIES,
    address,
    check_page,
    pages,
    paths,
    specimens,
)

# Pages of the directory and of one's own account: they hold nothing of another person, so ana's are no test of ben's.
WITHOUT_CANARY = {
    "/",  # shows it among the newest memories, unless others are newer
    "/account",
    "/agents",
    "/agents/{agent_id}",
    "/conversations",
    "/conversations/{resource_id}",
    "/entries",
    "/erase",
    "/erase/{receipt_id}",
    "/hygiene",
    "/jobs",
    "/jobs/{job_id}",
    "/keys",
    "/memories/new",
    "/people",
    "/people/{user_id}",
    "/settings",
    "/step-up",
    "/stores/{store_id}/compare",
}
# Forms of a person's own account or session, which name nothing of another.
OWN_FORMS = ("/account", "/sign-out", "/sign-in", "/step-up", "/oauth")


def test_every_list_of_this_walk_names_pages_that_there_are():
    known = {*paths("GET"), *paths("POST")}
    assert {*QUERIES, *NOT_WALKED, *WITHOUT_CANARY} <= known


async def test_every_page_of_the_menu_opens_in_an_empty_org_and_says_where_it_is(ana):
    for path in PLACES:
        text = await ana.open(path)
        check_page(text)
        assert f'href="{path}" aria-current="page"' in text, path


async def test_every_page_shows_its_owner_what_it_holds_and_nobody_else(ana, ben, org, erased):
    """All pages, with one of everything: a page whose path names something without a specimen fails here."""
    named = await specimens(ana, org, erased)
    wrong = []
    for path, where in pages(named):
        mine = await ana.http.get(where, follow_redirects=True)
        assert mine.status_code == 200, (where, mine.status_code, mine.text[-500:])
        check_page(mine.text)
        if CANARY not in mine.text and path not in WITHOUT_CANARY:
            wrong.append(f"{where} does not show its owner the canary")
        theirs = await ben.http.get(where, follow_redirects=True)
        if theirs.status_code not in (200, 403, 404):
            wrong.append(f"{where} answers {theirs.status_code}")
        if CANARY in theirs.text:
            wrong.append(f"{where} shows ben what is ana's")
        check_page(theirs.text)
    assert wrong == []


async def test_no_form_of_another_person_changes_anything(ana, ben, org, erased, rows_of):
    named = await specimens(ana, org, erased)
    await ben.step_up()
    shown = {where: (await ana.http.get(where)).status_code for _, where in pages(named)}
    mine = {name: value for name, value in named.items() if name in ("key", "item_id")}
    for path in paths("POST"):
        if path.startswith(OWN_FORMS):
            continue
        fields = {"scope": "user", "version": "1", "content": "ben's", "value": "ben's", **mine}
        reply = await ben.http.post(
            address(path, named), data={"_csrf": ben.csrf, "user_id": "ana", **fields}
        )
        assert CANARY not in reply.text, path
        names_an_object = re.search(
            r"{(memory|store|node|entry|version|proposal|job|key|user|project)_id}", path
        )
        if names_an_object:
            assert reply.status_code in (400, 403, 404, 422), (path, reply.status_code)
    for where, status in shown.items():
        again = await ana.http.get(where)
        assert again.status_code == status, where
        assert "ben&#39;s" not in again.text, where


async def test_every_form_is_refused_without_its_token(ana, org, erased, owner_connection):
    named = await specimens(ana, org, erased)
    await ana.step_up()
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    # Jobs of the specimens may still run; what people and keys change is counted.
    count = "SELECT count(*) FROM revisions WHERE org_id = %s AND actor_type <> 'job'"
    before = owner_connection.execute(count, [org.id]).fetchone()
    for path in paths("POST"):
        if path == "/sign-in":
            continue  # nobody is signed in there, so there is no token; another site is refused: test_sign_in.py
        for token in ({}, {"_csrf": "x"}):
            fields = {"key": "k", "content": "c", "user_id": "ana", "again": "ana", **token}
            reply = await ana.http.post(address(path, named), data=fields)
            assert reply.status_code == 403, path
            assert "was not made for your session" in reply.text, path
        crossing = {"Sec-Fetch-Site": "cross-site"}
        data = {"_csrf": ana.csrf}
        reply = await ana.http.post(address(path, named), data=data, headers=crossing)
        assert reply.status_code == 403, path
    assert owner_connection.execute(count, [org.id]).fetchone() == before
    await ana.open("/")  # still signed in


async def test_every_form_on_a_page_carries_the_token_and_leads_to_a_form_that_there_is(
    ana, org, erased
):
    named = await specimens(ana, org, erased)
    known = [re.compile(re.sub(r"{\w+}", "[^/?]+", path) + r"(\?.*)?$") for path in paths("POST")]
    seen = 0
    for _, where in pages(named):
        text = (await ana.http.get(where, follow_redirects=True)).text
        for form in re.findall(r"<form[^>]*method=\"post\".*?</form>", text, re.DOTALL):
            action = re.search(r'action="([^"]+)"', form)[1].replace("&amp;", "&")
            assert any(path.match(action) for path in known), (where, action)
            assert 'name="_csrf"' in form, (where, action)
            seen += 1
    assert seen > 50


async def test_a_visitor_is_led_to_the_sign_in_form_from_every_page(browser, service):
    visitor = browser()
    parts = re.findall(r"{(\w+)}", " ".join([*paths("GET"), *paths("POST")]))
    named = dict.fromkeys(("key", "version_id", *parts), "core")
    for path, where in pages(named):
        reply = await visitor.http.get(where)
        assert reply.status_code == 303, path
        assert reply.headers["location"].startswith("/sign-in?next="), path
    for path in paths("POST"):
        if path != "/sign-in":
            reply = await visitor.http.post(address(path, named))
            assert reply.status_code == 303, path


def test_the_files_of_a_page_leave_room_for_the_page():
    files = sum(len(render.asset(name)) for name in render.ASSETS)
    assert files < 60_000
    assert files + 140_000 <= MAX_PAGE_BYTES


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
    files = sum(len(render.asset(name)) for name in render.ASSETS)
    for where in (
        "/blocks",
        "/blocks/archival",
        f"/memories/{memory['id']}",
        "/memories",
        "/entries/bot/entry?key=long&scope=user",
        "/entries/bot/hydration",
        "/conversations/sessions/messages?key=long",
        "/conversations/sessions/messages?key=long&flushed=1",
        "/prompt?message=long&agent_id=bot&resource_id=sessions&key=long",
        "/search?q=long&limit=100",
    ):
        text = await ana.open(where)
        check_page(text)
        assert len(text.encode()) + files < MAX_PAGE_BYTES, where


@pytest.mark.parametrize("path", ["/nowhere-page", "/memories/x/y/z"])
async def test_a_path_that_is_no_page_is_not_found(ana, path):
    """A browser gets a page, a client of the API a problem; below the API both get a problem."""
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    page = await ana.http.get(path, headers=browser)
    assert page.status_code == 404
    check_page(page.text)
    assert "There is nothing at this path." in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]
    for where, headers in ((path, {}), (f"/api/v1{path}/x", browser)):
        problem = await ana.http.get(where, headers=headers)
        assert (problem.status_code, problem.json()["code"]) == (404, "not_found"), where
