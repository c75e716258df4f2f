"""The pictures of the README and of docs/console.md: `python -m tests.console.pictures docs/img`.

Everything in them was written through the API: `holdfast demo` fills an org of a service that is started for it, and an assistant's
work of two weeks is played on it. The service's clock begins two weeks ago and is moved on from day to day.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from selenium.webdriver.support.ui import WebDriverWait

from holdfast.cli.demo import AGENT, RESOURCE, read_space
from tests.console.chromium import chromium, look_as, sign_in

SIZE = (1180, 780)
MESSAGE = "/prompt?message=Write+to+Morag+about+the+new+probe&agent_id=assistant&max_tokens=1200"
PICTURES = {"prompt": MESSAGE, "overview": "/?days=14"}
EMAIL, PASSWORD = "tomasz@example.com", "correct horse battery staple"
DAYS, SPACE = 14, "assistant-04"
# What nobody ever said: a recall of these finds nothing.
UNKNOWN = ("What is my blood group?", "the PIN of the garage", "who won the chess tournament")
SERVE = """
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from holdfast.kernel import clock
behind = Path(sys.argv.pop(1))
clock.set_source(lambda: datetime.now(UTC) - timedelta(seconds=float(behind.read_text())))
from holdfast.cli import main
main()
"""


class Service:
    """A running service, and how far its clock is behind."""

    def __init__(self, ready: dict[str, str], behind: Path) -> None:
        self.ready, self.behind = ready, behind
        headers = {"Authorization": f"Bearer {ready['api_key']}"}
        self.http = httpx.Client(base_url=f"{ready['url']}/api/v1", headers=headers, timeout=60)

    def send(self, method: str, path: str, body: dict[str, Any]) -> None:
        """A call that has to succeed."""
        reply = self.http.request(method, path, json=body)
        if reply.is_error:
            raise SystemExit(f"{method} {path}: {reply.status_code} {reply.text[:300]}")


@contextmanager
def serving(folder: Path) -> Iterator[Service]:
    """A service on an empty folder, two weeks ago; it ends with the block."""
    behind = folder / "behind"
    set_clock(behind, timedelta(days=DAYS - 1))
    command = (sys.executable, "-c", SERVE, str(behind), "serve", "--json", "--port", "0")
    env = {**os.environ, "HOLDFAST_DATA_DIR": str(folder / "data"), "HOLDFAST_LOG_LEVEL": "error"}
    env |= {"HOLDFAST_OWNER_EMAIL": EMAIL, "HOLDFAST_OWNER_PASSWORD": PASSWORD}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=env)
    try:
        line = process.stdout.readline() if process.stdout else b""
        service = Service(json.loads(line), behind)
        yield service
        service.http.close()
    finally:
        process.terminate()
        process.wait()


def set_clock(behind: Path, by: timedelta) -> None:
    """In one step: the service reads the file at any moment."""
    fresh = behind.with_suffix(".new")
    fresh.write_text(str(by.total_seconds()))
    fresh.rename(behind)


def play(service: Service) -> None:
    """What the assistant does in two weeks: more on some days than on others, little at weekends."""
    chance = random.Random(4)
    space = read_space(SPACE)
    asked = [each["q"] for each in space["questions"]]
    said = [turn["text"] for session in space["sessions"] for turn in session["turns"]]
    for days in reversed(range(DAYS)):
        day = datetime.now(UTC) - timedelta(days=days)
        calls = chance.randrange(5, 9) if day.weekday() > 4 else chance.randrange(18, 40)
        for number in range(calls):
            hours = (calls - number) * 8 / calls if days else 0.01
            set_clock(service.behind, timedelta(days=days, hours=hours))
            _one_turn(service, chance, asked, said, f"day-{day:%m-%d}")
    set_clock(service.behind, timedelta())


def _one_turn(
    service: Service, chance: random.Random, asked: list[str], said: list[str], key: str
) -> None:
    """A question with its context; sometimes a search, and what was said is kept."""
    question = chance.choice(UNKNOWN) if chance.random() < 0.12 else chance.choice(asked)
    what = chance.random()
    if what < 0.45:
        body = {"message": question, "agent_id": AGENT, "max_tokens": 1_500}
        service.send("POST", "/context", body)
    elif what < 0.65:
        service.send("POST", "/recall", {"query": question, "limit": 5})
    elif what < 0.8:
        service.send("POST", "/memories/recall", {"q": question, "limit": 5})
    else:
        messages = [{"role": "user", "content": chance.choice(said)} for _ in range(3)]
        service.send(
            "POST", f"/conversations/{RESOURCE}/append", {"key": key, "messages": messages}
        )
    if chance.random() < 0.3:
        note = {"content": chance.choice(said)[:400], "category": "daily", "scope": "user"}
        service.send("PUT", f"/agents/{AGENT}/entries/{key}-{chance.randrange(4)}", note)


def review(service: Service) -> None:
    """The org reviews what is learned: two proposals wait for a decision."""
    service.send("PATCH", "/org", {"name": "Halden imaging", "review_extractions": True})
    learned = (
        "Remember that Morag is back from leave on 3 December.",
        "I no longer visit Tweedbank.",
    )
    messages = [{"role": "user", "content": text} for text in learned]
    service.send("POST", "/memories/extract", {"messages": messages})


def main(folder: str) -> None:
    """Fill a service, and take the pictures of it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        Path(scratch).chmod(0o711)
        with serving(Path(scratch)) as service, chromium() as driver:
            url, key = service.ready["url"], service.ready["api_key"]
            command = (sys.executable, "-m", "holdfast", "demo", "--url", url, "--api-key", key)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            play(service)
            review(service)
            look_as(driver, SIZE, "light")
            sign_in(driver, url, EMAIL, PASSWORD)
            WebDriverWait(driver, 30).until(lambda _: driver.current_url == f"{url}/")
            for name, path in PICTURES.items():
                driver.get(url + path)
                driver.save_screenshot(str(Path(folder) / f"{name}.png"))


if __name__ == "__main__":
    main(*sys.argv[1:])
