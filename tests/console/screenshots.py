"""Pictures of the console of a running service: `python -m tests.console.screenshots URL EMAIL PASSWORD FOLDER [PATH…]`."""

import sys
from pathlib import Path

from selenium.webdriver.common.by import By

from tests.console.chromium import PHONE, WIDE, chromium, look_as, sign_in

PATHS = [
    "/",
    "/prompt?message=Write+to+Morag+about+the+new+probe&agent_id=assistant&max_tokens=1200",
    "/search?q=who+wants+e-mail+only",
    "/blocks",
    "/blocks/core",
    "/entries/assistant",
    "/entries/assistant/hydration?budget_bytes=500",
    "/conversations/demo",
    "/conversations/demo/messages?key=assistant-04-S1&flushed=1",
    "/memories",
    "/nodes",
    "/stores",
    "/keys",
    "/settings",
    "/jobs",
]
# Pages that are reached from another: the page, and the link on it.
FOLLOW = [
    ("memory", "/memories", "main table a"),
    ("node", "/nodes?q=You", "main table a"),
    ("store", "/stores", "main table a"),
]


def main(url: str, email: str, password: str, folder: str, *paths: str) -> None:
    """Take the pictures, wide and narrow, light and dark."""
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    with chromium() as driver:
        look_as(driver, WIDE, "light")
        driver.get(f"{url}/sign-in")
        driver.save_screenshot(str(out / "sign-in.png"))
        sign_in(driver, url, email, password)
        wanted = {_name(path): path for path in paths or PATHS}
        for name, page, link in FOLLOW if not paths else ():
            driver.get(url + page)
            found = driver.find_elements(By.CSS_SELECTOR, link)
            if found:
                wanted[name] = found[0].get_attribute("href").removeprefix(url)
        for name, path in wanted.items():
            for size, scheme in ((WIDE, "light"), (WIDE, "dark"), (PHONE, "light")):
                look_as(driver, size, scheme)
                driver.get(url + path)
                shape = "phone" if size == PHONE else scheme
                driver.save_screenshot(str(out / f"{name}-{shape}.png"))


def _name(path: str) -> str:
    return path.split("?")[0].strip("/").replace("/", "-") or "overview"


if __name__ == "__main__":
    main(*sys.argv[1:])
