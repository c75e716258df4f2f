"""Chromium without a window, driven over WebDriver: the machine's own browser, nothing is downloaded."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

WIDE, PHONE = (1280, 900), (390, 844)


def missing() -> str | None:
    """Why there is no browser to test with; None where there is one."""
    try:
        import selenium  # noqa: F401  (whether it is there)
    except ImportError:
        return "selenium is not installed"
    if _program("chromium", "chromium-browser", "google-chrome") is None:
        return "there is no chromium on this machine"
    if _program("chromedriver") is None:
        return "there is no chromedriver on this machine"
    return None


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; it ends with the block."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(_program("chromium", "chromium-browser", "google-chrome"))
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--disable-background-networking", "--no-first-run", "--force-device-scale-factor=1"):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(_program("chromedriver"))))
    driver.set_page_load_timeout(60)
    try:
        yield driver
    finally:
        driver.quit()


def look_as(driver: Any, size: tuple[int, int], scheme: str) -> None:
    """Take on the size of a screen, and its colour scheme."""
    width, height = size
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {
            "features": [
                {"name": "prefers-color-scheme", "value": scheme},
                # A picture, and a measured contrast, is of the end of a transition.
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ]
        },
    )


def sign_in(driver: Any, url: str, email: str, password: str) -> None:
    """Through the form, by keyboard."""
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    driver.get(f"{url}/sign-in")
    driver.find_element(By.NAME, "email").send_keys(email)
    driver.find_element(By.NAME, "password").send_keys(password, Keys.ENTER)


def _program(*names: str) -> str | None:
    return next((found for name in names if (found := shutil.which(name))), None)
