"""The guide: every page of the docs, served by the service."""

import re
from pathlib import Path

import pytest

from holdfast.edge import guide

DOCS = Path(__file__).parent.parent.parent / "docs"


async def test_the_guide_and_llms_txt_name_every_page(anonymous):
    index = await anonymous.get("/guide")
    listed = await anonymous.get("/llms.txt")
    assert index.headers["content-type"].startswith("text/html")
    assert listed.headers["content-type"].startswith("text/plain")
    for page in DOCS.glob("*.md"):
        if page.stem != "README":
            assert f"(/guide/{page.stem})" in listed.text
            assert f'href="/guide/{page.stem}"' in index.text
            assert f"({page.stem}.md)" not in listed.text  # a link of a page, relative to it
    assert (await anonymous.get("/guide/blocks")).status_code == 200
    [picture] = re.findall(r'<img src="([^"]*)"', (await anonymous.get("/guide/console")).text)
    shown = await anonymous.get(f"/guide/{picture}")
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/png")
    assert (await anonymous.get("/guide/img/..%2fREADME.md")).status_code == 404
    for name in ("nothing", "../pyproject.toml", "%2e%2e/README"):
        assert (await anonymous.get(f"/guide/{name}")).status_code == 404


@pytest.mark.parametrize("name", guide.texts())
def test_the_links_of_a_page_lead_to_pages(name):
    page = guide.rendered(name)
    for target in re.findall(r'href="([^"]*)"', page):
        if not re.match(r"[a-z]+:|#", target) and target not in ("/docs", "/guide"):
            assert target.removeprefix("/guide/").partition("#")[0] in guide.texts(), target
    assert "<!--" not in page.partition("<main>")[2]
    assert "&lt;!--" not in page
