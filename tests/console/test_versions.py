"""Histories on pages: some versions at a time, each compared with the one before it, none skipped and none shown twice."""

import re

from holdfast.console.versions import VERSIONS_SHOWN

NUMBER = 2 * VERSIONS_SHOWN + 3


async def walk(browser, page):
    """The versions on a page and on the older ones that it leads to, with the last page."""
    versions = []
    while True:
        versions.append([int(each) for each in re.findall(r'aria-label="Version (\d+)"', page)])
        link = re.search(r'<a href="([^"]+)">Older versions', page)
        if link is None:
            return versions, page
        page = await browser.open(link[1].replace("&amp;", "&"))


def check(pages, last):
    assert [len(each) for each in pages] == [VERSIONS_SHOWN, VERSIONS_SHOWN, 3]
    assert [each for page in pages for each in page] == [*range(NUMBER, 0, -1)]
    assert "Newest versions" in last


async def test_a_long_history_of_a_block_is_read_in_pages(ana, ben, api_of_ana):
    stamp = None
    for number in range(NUMBER):
        body = {"content": f"line {number}", "expected_updated_at": stamp}
        reply = await api_of_ana.put("/memory/blocks/core", json=body)
        stamp = reply.json()["updated_at"]
    first = await ana.open("/blocks/core")
    # The oldest version on a page is compared with the newest of the next page.
    at = NUMBER - VERSIONS_SHOWN
    assert f"removed: </span>line {at - 1}<" in first
    assert f"line {at - 2}<" not in first
    check(*await walk(ana, first))
    link = re.search(r'<a href="([^"]+)">Older versions', first)[1]
    assert "line" not in (await ben.open(link)).split("History")[1]
    await ana.open("/blocks/core", 400, versions_from="x")
    await ana.open("/blocks/core", 400, versions_from="evt_" + "0" * 32)


async def test_a_long_history_of_a_memory_still_says_who_wrote_it_first(ana, api_of_ana):
    path = (await ana.send("/memories", key="tea", value="version 1")).headers["location"]
    for number in range(2, NUMBER + 1):
        body = {"key": "tea", "value": f"version {number}"}
        assert (await api_of_ana.post("/memories", json=body)).status_code == 200
    page = await ana.open(path.split("?")[0])
    why = page.split("Why is this known?")[1].split("</section>")[0]
    assert "user" in why.split("source")[0]
    assert "api key" not in why
    check(*await walk(ana, page))


async def test_a_long_history_of_an_entry_is_read_in_pages(ana, api_of_ana):
    for number in range(NUMBER):
        body = {"content": f"line {number}", "scope": "user"}
        await api_of_ana.put("/agents/bot/entries/greeting", json=body)
    check(*await walk(ana, await ana.open("/entries/bot/entry", key="greeting", scope="user")))
    await ana.open("/entries/bot/entry", 404, key="farewell", scope="user")
