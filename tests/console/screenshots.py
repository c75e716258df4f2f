"""Pictures of the console of a running service: `python -m tests.console.screenshots LINK FOLDER [PATH…]`.

LINK is a one-time link, as `holdfast serve` prints it on its first start and `holdfast users add` for somebody else. Without
a PATH every page that the menu and the lists lead to is taken; `holdfast demo` fills an org to look at.
"""

import sys
from pathlib import Path
from urllib.parse import urlsplit

from selenium.webdriver.common.by import By

from holdfast.console.navigation import NAVIGATION
from tests.console.chromium import PHONE, WIDE, chromium, look_as

SHAPES = {
    "light": (WIDE, "light"),
    "dark": (WIDE, "dark"),
    "phone": (PHONE, "light"),
    "phone-dark": (PHONE, "dark"),
}
PATHS = [
    *(place.path for places in NAVIGATION.values() for place in places),
    "/prompt?message=Write+to+Morag+about+the+new+probe&agent_id=assistant&max_tokens=1200",
    "/search?q=who+wants+e-mail+only",
    "/blocks/core",
    "/entries/assistant",
    "/entries/assistant/hydration?budget_bytes=500",
    "/conversations/demo",
    "/conversations/demo/messages?key=assistant-04-S1&flushed=1",
    "/memories/new",
    "/account",
    "/step-up",
]
# Pages that are reached from another: the page (its path, or a name above), and the link on it.
FOLLOW = [
    ("memory", "/memories", "main table a"),
    ("node", "/nodes?q=You", "main table a"),
    ("store", "/stores", "main table a"),
    ("entry", "/entries/assistant", "main table a"),
    ("job", "/jobs", "main table a"),
    ("agent", "/agents", "main table a"),
    ("person", "/people", "main table a"),
    ("store-folder", "store", "main .tree a"),
    ("store-entry", "store-folder", "main .tree a"),
    ("store-version", "store-entry", "main table a"),
]


def main(link: str, folder: str, *paths: str) -> None:
    """Take the pictures, wide and narrow, light and dark."""
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    parts = urlsplit(link)
    url = f"{parts.scheme}://{parts.netloc}"
    with chromium() as driver:
        look_as(driver, WIDE, "light")
        driver.get(f"{url}/sign-in")
        signing_in = driver.get_screenshot_as_png()
        driver.get(link)
        (out / "sign-in-light.png").write_bytes(signing_in)
        wanted = {_name(path): path for path in paths or PATHS}
        for name, page, found in FOLLOW if not paths else ():
            driver.get(url + wanted.get(page, page))
            first = driver.find_elements(By.CSS_SELECTOR, found)
            if first:
                wanted[name] = first[0].get_attribute("href").removeprefix(url)
        for name, path in wanted.items():
            driver.get(url + path)
            for shape, (size, scheme) in SHAPES.items():
                look_as(driver, size, scheme)
                driver.save_screenshot(str(out / f"{name}-{shape}.png"))


def _name(path: str) -> str:
    page, _, query = path.partition("?")
    name = page.strip("/").replace("/", "-") or "overview"
    return f"{name}-filled" if query and page in ("/prompt", "/search") else name


if __name__ == "__main__":
    main(*sys.argv[1:])
