"""Pictures of every page of the console: `python -m tests.console.screenshots FOLDER [NAME…]`.

Starts a service of its own, fills it with `holdfast demo` and goes through the pages, those included that answer a form (`tour.py`). Each
is taken whole, wide and at the width of a phone, light and dark; a page that is wider than its screen is named. With names, only
pages that begin with one of them are taken.
"""

import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.console.chromium import PHONE, WIDE, chromium, look_as
from tests.console.pictures import serving, set_clock
from tests.console.tour import Tour

SHAPES = {
    "light": (WIDE, "light"),
    "dark": (WIDE, "dark"),
    "phone": (PHONE, "light"),
    "phone-dark": (PHONE, "dark"),
}
MAX_HEIGHT = 3_000


def main(folder: str, *names: str) -> None:
    """Take the pictures."""
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        Path(scratch).chmod(0o711)
        with serving(Path(scratch)) as service, chromium() as driver:
            set_clock(service.behind, timedelta())
            url, key = service.ready["url"], service.ready["api_key"]
            command = (sys.executable, "-m", "holdfast", "demo", "--url", url, "--api-key", key)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            look_as(driver, WIDE, "light")
            for page in Tour(driver, service).pages():
                name = page.lower().replace(" ", "-")
                if not names or name.startswith(names):
                    take(driver, out, name)


def take(driver: Any, out: Path, name: str) -> None:
    """The page that is open, in every shape."""
    for shape, ((width, height), scheme) in SHAPES.items():
        look_as(driver, (width, height), scheme)
        wide, high = driver.execute_script(
            "const page = document.documentElement; return [page.scrollWidth, page.scrollHeight]"
        )
        if wide > width:
            print(f"{name} is {wide} wide on a screen of {width}")
        look_as(driver, (width, min(max(height, high), MAX_HEIGHT)), scheme)
        driver.save_screenshot(str(out / f"{name}-{shape}.png"))
    look_as(driver, WIDE, "light")


if __name__ == "__main__":
    main(*sys.argv[1:])
