"""What `screenshots` shows: an org that `holdfast demo` filled, with what pages of conflicts, reviews and erasures need beside it."""

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import httpx
from selenium.webdriver.common.by import By

from holdfast.console.navigation import NAVIGATION
from tests.console.chromium import sign_in
from tests.console.pictures import EMAIL, MESSAGE, PASSWORD, Service, review

OUTSIDE = {
    "sign-in": "/sign-in",
    "signed-out": "/sign-in?notice=signed_out",
    "link-refused": "/sign-in?link=used",
    "outside-not-found": "/nothing-here",
}
PATHS = {
    **{place.name: place.path for places in NAVIGATION.values() for place in places},
    "overview-30-days": "/?days=30",
    "prompt-filled": MESSAGE,
    "search-filled": "/search?q=who+wants+e-mail+only",
    "search-nothing": "/search?q=xyzzy",
    "block": "/blocks/core",
    "entries-of-agent": "/entries/assistant",
    "hydration": "/entries/assistant/hydration?budget_bytes=500",
    "entry": "/entries/assistant/entry?key=tone&scope=user",
    "conversation-list": "/conversations/demo",
    "conversation": "/conversations/demo/messages?key=assistant-04-S1&rehearse=1",
    "conversation-flushed": "/conversations/demo/messages?key=assistant-04-S1&flushed=1",
    "memory-new": "/memories/new",
    "memories-filtered": "/memories?tag=none&min_importance=9",
    "hygiene-preview": "/hygiene?preview=expired",
    "proposals-all": "/proposals?status=all",
    "project": "/projects/imaging",
    "agent": "/agents/assistant",
    "person": "/people/ben",
    "account": "/account",
    "step-up": "/step-up",
    "not-found": f"/memories/memory_{'0' * 32}",
    "refused-filter": "/memories?min_importance=77",
}
# Pages that are reached from another: its path, and the link on it.
FOLLOWED = {
    "memory": ("/memories", "main table a"),
    "node": ("/nodes?q=You", "main table a"),
    "store": ("/stores", "main table a"),
    "job": ("/jobs", "main table a"),
}
SEND = """
const [action, fields] = arguments, form = document.createElement('form');
form.method = 'post'; form.action = action;
fields._csrf = document.querySelector('[name=_csrf]').value;
for (const [name, value] of Object.entries(fields)) {
  const field = document.createElement('textarea');
  field.name = name; field.value = value; form.append(field);
}
document.body.append(form); form.submit();
"""
JOB_S = 60.0


def fill(service: Service) -> dict[str, str]:
    """What the demo has not; the paths of what forms are sent to."""
    send = service.send
    review(service)
    send("POST", "/users", {"user_id": "ben", "email": "ben@example.com", "role": "member"})
    send("POST", "/users", {"user_id": "kim", "role": "member"})
    send("PUT", "/projects/imaging", {"name": "Imaging", "visibility": "private"})
    send("PUT", "/projects/imaging/members/ben", {})
    for number in range(13):
        lines = f"Read on day {number}.\nIt is calibrated by Morag.\n"
        send("POST", "/memories", {"key": "the probe", "value": lines + f"Version {number}."})
    for number in range(3):
        entry = {"content": f"Answer in {number + 3} short sentences.", "scope": "user"}
        send("PUT", "/agents/assistant/entries/tone", entry)
    for key in ("by mail", "by e-mail"):
        send("POST", "/memories", {"key": key, "value": "Morag prefers e-mail over phone calls."})
    memories = service.http.get("/memories", params={"limit": 100}).json()["data"]
    probe = next(each["id"] for each in memories if each["key"] == "the probe")
    return {"memory": f"/memories/{probe}"}


def consent(url: str) -> str:
    """The page that asks whether an application may use the memory."""
    back = "https://connector.example/back"
    body = {"redirect_uris": [back], "client_name": "Notes connector"}
    made = httpx.post(f"{url}/oauth/register", json=body).json()
    query = {
        "response_type": "code", "client_id": made["client_id"], "redirect_uri": back,
        "scope": "read write", "code_challenge": "x" * 43, "code_challenge_method": "S256",
    }  # fmt: skip
    return f"/oauth/authorize?{urlencode(query)}"


class Tour:
    """A browser that goes from page to page."""

    def __init__(self, driver: Any, service: Service) -> None:
        self.driver, self.service = driver, service
        self.url = service.ready["url"]

    def pages(self) -> Iterator[str]:
        """Opens one page after the other; the name of the one that is open."""
        yield from self._opened(OUTSIDE)
        sign_in(self.driver, self.url, EMAIL, "a wrong password")
        self._until(lambda: self.driver.find_elements(By.CLASS_NAME, "problem"))
        yield "sign-in-refused"
        sign_in(self.driver, self.url, EMAIL, PASSWORD)
        self._until(lambda: self.driver.current_url == f"{self.url}/")
        named = fill(self.service)
        yield from self._opened(PATHS | {"consent": consent(self.url)})
        for name, (page, link) in FOLLOWED.items():
            self.driver.get(self.url + page)
            self.driver.get(self.driver.find_element(By.CSS_SELECTOR, link).get_attribute("href"))
            yield name
        yield from self._answers(named)
        yield from self._jobs()

    def _opened(self, paths: dict[str, str]) -> Iterator[str]:
        for name, path in paths.items():
            self.driver.get(self.url + path)
            yield name

    def _answers(self, named: dict[str, str]) -> Iterator[str]:
        """Pages that answer a form: conflicts, refusals, the step-up, what is shown once."""
        mine = {"content": "Answer at length.", "version": "1"}
        forms: dict[str, tuple[str, dict[str, str]]] = {
            "conflict-memory": (named["memory"], {"key": "the probe", "value": "Mine.", "version": "1"}),
            "conflict-entry": ("/entries/assistant", {"key": "tone", "scope": "user", **mine}),
            "conflict-block": ("/blocks/core", {"content": "Mine.", "expected_updated_at": "2026-01-31T12:00:00Z"}),
            "refused-form": ("/memories", {"key": "", "value": "A text that was typed."}),
            "step-up-form": ("/keys", {"kind": "user", "name": "laptop"}),
            "stepped-up": ("/step-up", {"_password": PASSWORD, "next": "/"}),
            "key-made": ("/keys", {"kind": "user", "name": "laptop"}),
            "person-added": ("/people", {"user_id": "zoe", "role": "member"}),
            "codes-offered": ("/account/totp", {}),
            "erase-refused": ("/erase", {"user_id": "kim", "again": "kin"}),
        }  # fmt: skip
        for name, (path, fields) in forms.items():
            self._send(path, fields)
            yield name

    def _jobs(self) -> Iterator[str]:
        """A fix that is reverted, and an erasure with its receipt."""
        self.service.send("PATCH", "/org", {"review_extractions": False})
        self._send("/hygiene", {"kind": "duplicates"})
        yield "job-queued"
        job = self._done()
        yield "job-done"
        self._send(f"{job}/revert", {})
        yield "reverted"
        self._send("/erase", {"user_id": "kim", "again": "kim"})
        self._done()
        yield "erased"
        self.driver.find_element(By.LINK_TEXT, "The receipt").click()
        self.driver.get(f"{self.driver.current_url}?verify=1")
        yield "receipt"

    def _send(self, path: str, fields: dict[str, str]) -> None:
        self.driver.get(f"{self.url}/account")
        before = self.driver.find_element(By.TAG_NAME, "html").id
        self.driver.execute_script(SEND, path, fields)
        self._until(lambda: self.driver.find_element(By.TAG_NAME, "html").id != before)

    def _done(self) -> str:
        """Wait for the job whose page is open; its path."""
        self._until(lambda: not self.driver.find_elements(By.CSS_SELECTOR, "[data-again]"))
        self.driver.refresh()
        return str(self.driver.current_url).removeprefix(self.url).partition("?")[0]

    def _until(self, is_true: Any) -> None:
        end = time.monotonic() + JOB_S
        while not is_true():
            if time.monotonic() > end:
                raise SystemExit(f"waited too long at {self.driver.current_url}")
            time.sleep(0.1)
