"""Every page in a real browser: it fits a phone, light and dark, axe-core has nothing to object, and no policy is broken.

Skipped with a word where the machine has no chromium.
"""

import pytest

from tests.console.browsing import OF_LAYOUT, h1, save_twice, until, violations
from tests.console.chromium import PHONE, WIDE, look_as, missing
from tests.console.places import pages, specimens
from tests.console.waiting import over

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))


async def long_words(api):
    """What does not fit the width of a phone unless it is broken."""
    for number in range(3):
        body = {"key": f"long {number} " + "x" * 120, "value": "word " * 60, "tags": ["t" * 60]}
        assert (await api.post("/memories", json=body)).status_code == 201
    entry = {"content": "z" * 400, "scope": "user", "category": "c" * 60}
    assert (await api.put(f"/agents/bot/entries/{'k' * 200}", json=entry)).status_code == 201
    said = {"key": "w" * 200, "messages": [{"role": "user", "content": "w" * 500}]}
    assert (await api.post("/conversations/sessions/append", json=said)).status_code == 200


async def test_every_page_fits_a_phone_is_accessible_and_breaks_no_policy(
    page, service, ana, org, api_of_ana, erased
):
    """Each page is opened once and checked wide, by all rules, and on a phone, by those of layout; every second page is light
    where it is wide and dark on the phone, the others are the other way round."""
    named = await specimens(ana, org, erased)
    await long_words(api_of_ana)
    wrong = []
    schemes = ["light", "dark"]
    for _, address in pages(named):
        schemes.reverse()
        page.get(service.url + address)
        for size, scheme, rules in zip((WIDE, PHONE), schemes, ((), OF_LAYOUT), strict=True):
            look_as(page, size, scheme)
            wrong += [(address, size, scheme, each) for each in violations(page, *rules)]
        width = page.execute_script("return document.documentElement.scrollWidth")
        if width > PHONE[0]:
            wrong.append((address, f"is {width} wide on a phone"))
    wrong += [entry["message"] for entry in page.get_log("browser") if entry["level"] == "SEVERE"]
    assert wrong == [], "\n".join(str(each) for each in wrong)


# Sends a form from the page that is open, with the token of the session.
SEND = """
const [action, fields] = arguments;
const form = document.createElement('form');
form.method = 'post'; form.action = action;
fields._csrf = document.querySelector('[name=_csrf]').value;
for (const [name, value] of Object.entries(fields)) {
  const field = document.createElement('textarea');
  field.name = name; field.value = value; form.append(field);
}
document.body.append(form); form.submit();
"""


async def answers_of_forms(ana, api):
    """Forms whose answer is a page of its own: (path, fields, its title)."""
    word = "x" * 90
    memory = (await api.post("/memories", json={"key": word, "value": word})).json()
    entry = {"content": word, "scope": "user"}
    await api.put("/agents/bot/entries/style", json=entry)
    block = {"content": word, "expected_updated_at": None}
    await api.put("/memory/blocks/core", json=block)
    store = (await api.post("/memory_stores", json={"name": "notes"})).json()["id"]
    text = {"path": "a.md", "content": word}
    file = (await api.post(f"/memory_stores/{store}/memories", json=text)).json()["id"]
    await save_twice(api)
    queued = await ana.send("/hygiene", kind="duplicates")
    job = queued.headers["location"]
    await over(api, job.rsplit("/", 1)[1])
    mine = {"content": f"{word} mine", "version": "9"}
    return [
        (f"/memories/{memory['id']}", {"key": "k", "value": "v", "version": "9"}, "The memory changed meanwhile"),
        ("/entries/bot", {"key": "style", "scope": "user", "category": "core", **mine}, "The entry changed meanwhile"),
        ("/blocks/core", {"content": word, "expected_updated_at": "2026-01-31T12:00:00Z"}, "The block changed meanwhile"),
        (f"/stores/{store}/entries/{file}", {"path": "a.md", **mine}, "The entry changed meanwhile"),
        ("/memories", {"key": "", "value": word}, "Check what you entered"),
        (f"/memories/memory_{'0' * 32}/retire", {}, "Not found"),
        ("/keys", {"kind": "user", "name": word}, "Confirm that it is you"),
        (f"{job}/revert", {}, "Reverted"),
    ]  # fmt: skip


async def test_the_answers_of_forms_fit_a_phone_and_are_accessible(
    page, service, ana, org, api_of_ana
):
    """Conflicts to be merged, refusals, the step-up and what was reverted: no address leads to them."""
    wrong = []
    schemes = ["light", "dark"]
    for path, fields, title in await answers_of_forms(ana, api_of_ana):
        schemes.reverse()
        look_as(page, WIDE, schemes[0])
        page.get(f"{service.url}/account")
        page.execute_script(SEND, path, fields)
        until(page, lambda title=title: h1(page) == title)
        for size, scheme, rules in zip((WIDE, PHONE), schemes, ((), OF_LAYOUT), strict=True):
            look_as(page, size, scheme)
            wrong += [(path, size, scheme, each) for each in violations(page, *rules)]
        width = page.execute_script("return document.documentElement.scrollWidth")
        if width > PHONE[0]:
            wrong.append((path, f"is {width} wide on a phone"))
    assert wrong == [], "\n".join(str(each) for each in wrong)
