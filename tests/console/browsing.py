"""What tests do in a real browser: wait, press keys, and have axe-core look at a page."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.console.chromium import missing

if missing() is None:
    from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait


def until(driver, is_true):
    """Wait for something to be true; an element of the page before may go while it is looked at."""
    going = (StaleElementReferenceException, NoSuchElementException)
    return WebDriverWait(driver, 30, ignored_exceptions=going).until(lambda _: is_true())


def press(driver, *keys):
    """Keys for whatever has the focus."""
    driver.switch_to.active_element.send_keys(*keys)


def h1(driver):
    return driver.find_element(By.TAG_NAME, "h1").text


def axe():
    """The source of axe-core, where its package is installed."""
    found = find_spec("axe_core_python")
    if found is None or found.origin is None:
        return None
    return next(Path(found.origin).parent.rglob("axe.min.js")).read_text()


# The rules of axe-core whose answer can be another one at another width: of what is shown, hidden, scrolled or coloured. All
# the others look at names, roles and attributes, which are the same at every width.
OF_LAYOUT = (
    "aria-hidden-focus", "bypass", "color-contrast", "css-orientation-lock", "empty-heading", "empty-table-header", "heading-order",
    "landmark-one-main", "link-in-text-block", "link-name", "list", "page-has-heading-one", "region",
    "scrollable-region-focusable", "skip-link", "svg-img-alt", "td-has-header", "th-has-data-cells",
)  # fmt: skip


def violations(driver, *rules):
    """What axe-core objects to on the page that is open; by these rules alone, where some are named."""
    if axe() is None:
        pytest.skip("axe-core-python is not installed")
    return driver.execute_async_script(
        "const [rules, done] = arguments; axe.run(document, {resultTypes: ['violations'], "
        "...(rules.length ? {runOnly: rules} : {})}).then(r => done("
        "r.violations.map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html + ' ' + n.failureSummary)])))",
        rules,
    )


def enter(driver, css, text=None):
    """Press Enter on a control, or type a text into it."""
    control = driver.find_element(By.CSS_SELECTOR, css)
    if text is None:
        control.send_keys(Keys.ENTER)
        return
    control.clear()
    control.send_keys(text)


def confirm(driver, css):
    """Press Enter on a button that asks, and say yes."""
    enter(driver, css)
    driver.switch_to.alert.accept()


def main_text(driver):
    return driver.find_element(By.TAG_NAME, "main").text


async def save_twice(api):
    for key in ("tea", "drink"):
        body = {"key": key, "value": "Ana takes her tea green"}
        assert (await api.post("/memories", json=body)).status_code == 201
