"""The main journeys in a real browser: by keyboard, at the width of a phone, light and dark.

Skipped with a word where the machine has no chromium; the HTTP tests of this folder run everywhere.
"""

import pytest

from holdfast.directory import users
from tests.console.browsing import (
    confirm,
    enter,
    h1,
    main_text,
    press,
    save_twice,
    until,
    violations,
)
from tests.console.chromium import PHONE, look_as, missing, sign_in
from tests.console.conftest import PASSWORD
from tests.console.test_changes import propose

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

if missing() is None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys


async def test_signing_in_is_done_by_keyboard(driver, service, person):
    driver.delete_all_cookies()
    look_as(driver, PHONE, "dark")
    driver.get(f"{service.url}/sign-in")
    assert violations(driver) == []
    sign_in(driver, service.url, await person("ana"), PASSWORD)
    until(driver, lambda: driver.current_url == f"{service.url}/")


async def test_search_and_the_menu_are_reached_by_keyboard_alone(page, service, api_of_ana):
    saved = {"key": "tea", "value": "Ana takes her tea green"}
    assert (await api_of_ana.post("/memories", json=saved)).status_code == 201
    press(page, "/")
    press(page, "what tea does Ana take", Keys.ENTER)
    until(page, lambda: "/search" in page.current_url)
    hit = page.find_element(By.CSS_SELECTOR, "article.hit")
    assert "Ana takes her tea green" in hit.text
    assert "words of the query" in hit.text
    press(page, Keys.TAB)
    page.find_element(By.TAG_NAME, "body").send_keys("g")
    page.find_element(By.TAG_NAME, "body").send_keys("m")
    until(page, lambda: page.current_url.endswith("/memories"))
    assert "tea" in page.find_element(By.TAG_NAME, "main").text


# Focuses every control that a keyboard reaches; whether it took the focus, and how it is outlined then.
OUTLINED = """
const stops = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]';
const seen = [...document.querySelectorAll(stops)].filter(each => each.checkVisibility() && !each.closest('details:not([open]) > :not(summary)'));
return seen.map(each => { each.focus(); const style = getComputedStyle(each);
  return [each.tagName, each.name || each.textContent.trim(), document.activeElement === each, style.outlineStyle, parseFloat(style.outlineWidth)]; });
"""


async def test_the_first_tab_skips_to_the_content_and_focus_is_visible(page, service):
    press(page, Keys.TAB)
    focused = page.switch_to.active_element
    assert focused.text == "Skip to the content"
    assert focused.value_of_css_property("outline-style") == "solid"
    press(page, Keys.ENTER)
    assert page.switch_to.active_element.tag_name == "main"
    for address in ("/memories", "/memories/new", "/keys"):
        page.get(service.url + address)
        press(page, Keys.TAB)  # the last thing that was pressed is a key: focus is shown
        controls = page.execute_script(OUTLINED)
        assert len(controls) > 20
        plain = [each for each in controls if not (each[2] and each[3] == "solid" and each[4] >= 2)]
        assert plain == []


async def test_a_memory_is_written_edited_and_erased_with_a_step_up(page, service):
    page.get(f"{service.url}/memories/new")
    page.find_element(By.NAME, "key").send_keys("coffee")
    page.find_element(By.NAME, "value").send_keys("Never after noon")
    page.find_element(By.NAME, "summary").send_keys("no late coffee", Keys.ENTER)
    until(page, lambda: h1(page) == "coffee")
    assert "Created." in page.find_element(By.CSS_SELECTOR, "[role=status]").text
    page.find_element(By.CSS_SELECTOR, "details summary").send_keys(Keys.ENTER)
    value = page.find_element(By.NAME, "value")
    value.clear()
    value.send_keys("Never after two")
    page.find_element(By.CSS_SELECTOR, "details button.primary").send_keys(Keys.ENTER)
    until(page, lambda: "Saved." in page.find_element(By.TAG_NAME, "main").text)
    assert "Never after two" in page.find_element(By.CSS_SELECTOR, ".prose").text
    page.find_element(By.CSS_SELECTOR, "button.danger").send_keys(Keys.ENTER)
    page.switch_to.alert.accept()
    until(page, lambda: h1(page) == "Confirm that it is you")
    assert page.switch_to.active_element.get_attribute("name") == "_password"
    press(page, PASSWORD, Keys.ENTER)
    until(page, lambda: page.current_url.endswith("/memories?notice=erased"))
    assert "coffee" not in page.find_element(By.TAG_NAME, "main").text


async def test_a_block_that_changed_meanwhile_is_merged_by_hand(page, service, api_of_ana):
    page.get(f"{service.url}/blocks/core")
    page.find_element(By.NAME, "content").send_keys("Likes tea")
    theirs = {"content": "Likes coffee", "expected_updated_at": None}
    assert (await api_of_ana.put("/memory/blocks/core", json=theirs)).status_code == 201
    page.find_element(By.CSS_SELECTOR, "main button.primary").send_keys(Keys.ENTER)
    until(page, lambda: h1(page) == "The block changed meanwhile")
    diff = page.find_element(By.CSS_SELECTOR, "table.diff").text
    assert "Likes coffee" in diff
    assert "Likes tea" in diff
    merged = page.find_element(By.NAME, "content")
    merged.clear()
    merged.send_keys("Likes tea and coffee")
    page.find_element(By.CSS_SELECTOR, "main button.primary").send_keys(Keys.ENTER)
    until(page, lambda: "Saved." in page.find_element(By.TAG_NAME, "main").text)
    assert (await api_of_ana.get("/memory/blocks/core")).json()["content"] == "Likes tea and coffee"


async def test_the_menu_opens_and_closes_on_a_phone(page, service):
    look_as(page, PHONE, "light")
    page.get(f"{service.url}/memories")
    menu = page.find_element(By.ID, "menu")
    assert not menu.is_displayed()
    page.find_element(By.LINK_TEXT, "Menu").click()
    until(page, menu.is_displayed)
    page.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
    until(page, lambda: not menu.is_displayed())


async def test_proposals_are_reviewed_by_keyboard_alone(page, service, org):
    api, made = await propose(
        org,
        "Remember that I park on level 3.",
        "Remember that my locker is number 12.",
        "Remember that I work from Lisbon.",
    )
    page.get(f"{service.url}/proposals")
    shown = [each.get_attribute("id") for each in page.find_elements(By.CSS_SELECTOR, ".proposal")]
    assert len(shown) == len(made)
    until(page, lambda: page.switch_to.active_element.get_attribute("id") == shown[0])
    press(page, "a")
    until(page, lambda: page.switch_to.active_element.get_attribute("id") == shown[1])
    press(page, "r")
    until(page, lambda: page.switch_to.active_element.get_attribute("id") == shown[2])
    press(page, "e")
    text = page.switch_to.active_element
    assert text.get_attribute("name") == "content"
    text.clear()
    text.send_keys("Edited by hand", Keys.TAB, Keys.TAB, Keys.ENTER)
    until(page, lambda: "notice=accepted" in page.current_url)
    decided = {each["id"]: each for each in (await api.get("/proposals")).json()["data"]}
    assert [decided[each]["status"] for each in shown[:3]] == ["applied", "rejected", "applied"]
    assert decided[shown[2]]["content"] == "Edited by hand"


async def test_a_file_of_a_store_is_written_compared_restored_and_redacted_by_keyboard(
    page, service
):
    page.get(f"{service.url}/stores")
    enter(page, "form[action='/stores'] [name=name][required]", "Handbook")
    enter(page, "details form button.primary")
    until(page, lambda: h1(page) == "Handbook")
    enter(page, "[name=path]", "notes/tea.md")
    enter(page, "[name=content]", "Green")
    enter(page, "form[action$='/entries'] button.primary")
    until(page, lambda: h1(page) == "notes/tea.md")
    enter(page, "[name=content]", "Black")
    enter(page, "main form button.primary")
    until(page, lambda: "Save as version 3" in main_text(page))
    enter(page, "form[action$='/compare'] button")
    until(page, lambda: h1(page) == "Version 2")
    shown = page.find_element(By.CSS_SELECTOR, "table.diff").text
    assert "Green" in shown
    assert "Black" in shown
    page.back()
    enter(page, "tbody tr:last-child a")
    until(page, lambda: h1(page) == "Version 1")
    enter(page, "form[action$='/restore'] button")
    until(page, lambda: "Restored as the newest version." in main_text(page))
    assert page.find_element(By.NAME, "content").get_attribute("value") == "Green"
    enter(page, "tbody tr:nth-child(2) a")
    until(page, lambda: h1(page) == "Version 2")
    confirm(page, "form[action$='/redact'] button")
    until(page, lambda: "was redacted" in main_text(page))
    assert "Black" not in main_text(page)


async def test_a_fix_is_looked_at_started_watched_and_reverted_by_keyboard(
    page, service, api_of_ana
):
    await save_twice(api_of_ana)
    page.get(f"{service.url}/hygiene")
    enter(page, "a[href='#duplicates']")
    until(page, lambda: page.current_url.endswith("#duplicates"))
    assert "is merged" in main_text(page)
    confirm(page, "form:has([value=duplicates]) button")
    until(page, lambda: "/jobs/" in page.current_url)
    page.execute_script("window.sameDocument = true")
    until(page, lambda: "succeeded" in h1(page))
    # The page was kept up to date without being loaded again, unless the job was faster than the page.
    watched = page.find_element(By.ID, "job").get_attribute("data-again")
    assert watched is None
    assert page.execute_script("return window.sameDocument")
    page.refresh()
    confirm(page, "form[action$='/revert'] button")
    until(page, lambda: h1(page) == "Reverted")
    assert len((await api_of_ana.get("/memories")).json()["data"]) == 2


async def test_a_prompt_is_previewed_and_a_key_is_minted_and_revoked_by_keyboard(
    page, service, api_of_ana
):
    entry = {"content": "Answer in short sentences", "scope": "user"}
    assert (await api_of_ana.put("/agents/bot/entries/style", json=entry)).status_code == 201
    page.get(f"{service.url}/prompt")
    enter(page, "[name=message]", "Hello")
    page.find_element(By.NAME, "agent_id").send_keys("bot")
    enter(page, "[name=max_tokens]", "500")
    enter(page, "main button.primary")
    until(page, lambda: "of 500" in main_text(page))
    assert "Answer in short sentences" in main_text(page)
    page.get(f"{service.url}/keys")
    enter(page, "[name=name]", "laptop")
    enter(page, "section button.primary")
    until(page, lambda: h1(page) == "Confirm that it is you")
    press(page, PASSWORD, Keys.ENTER)
    until(page, lambda: "shown this once" in main_text(page))
    key = page.find_element(By.CSS_SELECTOR, ".paste code").text
    assert key.startswith("hf_live_")
    row = "//tr[contains(., 'laptop')]//button"
    page.find_element(By.XPATH, row).send_keys(Keys.ENTER)
    page.switch_to.alert.accept()
    until(page, lambda: "Revoked" in main_text(page))
    assert key not in page.page_source
    assert page.find_elements(By.XPATH, row) == []


async def test_an_entry_that_changed_meanwhile_is_merged_by_keyboard(page, service, api_of_ana):
    path, stored = "/agents/bot/entries/style", {"content": "Short sentences", "scope": "user"}
    assert (await api_of_ana.put(path, json=stored)).status_code == 201
    page.get(f"{service.url}/entries/bot")
    enter(page, "tbody a")
    until(page, lambda: h1(page) == "style")
    await api_of_ana.put(path, json=stored | {"content": "Long sentences"})
    enter(page, "[name=content]", "Short words")
    enter(page, "main button.primary")
    until(page, lambda: h1(page) == "The entry changed meanwhile")
    assert page.switch_to.active_element.get_attribute("name") == "content"
    enter(page, "[name=content]", "Long sentences, short words")
    enter(page, "main button.primary")
    until(page, lambda: "Saved." in main_text(page))
    assert (await api_of_ana.get(path)).json()["content"] == "Long sentences, short words"


async def test_a_person_is_erased_after_a_step_up_by_keyboard(page, service, db, org):
    await users.put_user(db, org.operator, "cleo")
    page.get(f"{service.url}/people")
    enter(page, "a[href='/people/cleo']")
    until(page, lambda: h1(page).startswith("cleo"))
    enter(page, "a[href='/erase?user_id=cleo']")
    until(page, lambda: h1(page) == "Erase a person")
    enter(page, "[name=again]", "cleo")
    confirm(page, "main form button.danger")
    until(page, lambda: h1(page) == "Confirm that it is you")
    press(page, PASSWORD, Keys.ENTER)
    until(page, lambda: "/jobs/" in page.current_url)
    assert "receipt is named here" in main_text(page)
