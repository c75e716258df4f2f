"""The pages of `docs/`, served by the service itself: `/guide` for people, `/llms.txt` for models.

In a wheel the pages are in the package, in a checkout they are the folder `docs`. They are rendered when first read.
"""

import html
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse
from markdown_it import MarkdownIt

from holdfast.edge.route import OpenRoute
from holdfast.kernel.errors import NotFound

router = APIRouter(route_class=OpenRoute, include_in_schema=False)

INDEX = "README"
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
 :root {{ color-scheme: light dark; }}
 body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }}
 img {{ max-width: 100%; }}
 pre {{ overflow-x: auto; padding: .75rem; border: 1px solid #8884; border-radius: .4rem; }}
 table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
 td, th {{ border: 1px solid #8884; padding: .25rem .5rem; text-align: left; vertical-align: top; }}
</style></head><body>
<nav><a href="/guide">Guide</a> · <a href="/docs">API</a></nav>
<main>{body}</main></body></html>
"""

_comment = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_link = re.compile(r'href="(?![a-z]+:|/|#)([^"#]+?)(#[^"]*)?"')
_inline_link = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def _folder() -> Path:
    packaged = Path(str(files("holdfast"))) / "guide"
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "docs"


@cache
def pictures() -> dict[str, Path]:
    """The pictures that pages show, by the name of their file."""
    return {file.name: file for file in sorted((_folder() / "img").glob("*.png"))}


@cache
def texts() -> dict[str, str]:
    """Every page by its name: `blocks`, `decisions/0001-…`."""
    folder = _folder()
    return {
        page.relative_to(folder).with_suffix("").as_posix(): page.read_text("utf-8")
        for page in sorted(folder.rglob("*.md"))
    }


def title_of(name: str) -> str:
    """The first heading of a page."""
    return texts()[name].partition("\n")[0].lstrip("# ").strip()


@cache
def rendered(name: str) -> str:
    """A page as HTML. Links to other pages lead to them; those to files outside of the docs become text."""
    text = _comment.sub("", texts()[name])
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    folder = name.rpartition("/")[0]
    body = _link.sub(lambda found: _href(folder, found[1], found[2] or ""), body)
    return _PAGE.format(title=html.escape(title_of(name)), body=body)


def _href(folder: str, target: str, anchor: str) -> str:
    parts: list[str] = [each for each in folder.split("/") if each]
    for part in target.removesuffix(".md").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    name = "/".join(parts)
    return f'href="/guide/{html.escape(name)}{anchor}"' if name in texts() else ""


@router.get("/guide", response_class=HTMLResponse)
async def guide() -> str:
    """The first page: what there is to read."""
    return rendered(INDEX)


@router.get("/guide/img/{name}", response_class=FileResponse)
async def guide_picture(name: str) -> FileResponse:
    """A picture of a page."""
    if name not in pictures():
        raise NotFound("there is no such picture in the guide")
    return FileResponse(pictures()[name], media_type="image/png")


@router.get("/guide/{name:path}", response_class=HTMLResponse)
async def guide_page(name: str) -> str:
    """One page."""
    name = name.removesuffix(".md")
    if name not in texts():
        raise NotFound("there is no such page in the guide")
    return rendered(name)


@router.get("/llms.txt", response_class=PlainTextResponse)
async def llms() -> str:
    """The pages of the guide by name, for models."""
    pages = [name for name in texts() if name != INDEX and "/" not in name]
    lines = [f"- [{title_of(name)}](/guide/{name}): {_first_sentence(name)}" for name in pages]
    return (
        "# Holdfast\n\n> One memory service for AI agents. The API is described at /openapi.json.\n\n## Guide\n"
        + "\n".join(lines)
        + "\n"
    )


def _first_sentence(name: str) -> str:
    first = texts()[name].partition("\n")[2].strip().split("\n\n")[0].replace("\n", " ")
    # Links of a page are relative to it; here they would lead nowhere.
    return _inline_link.sub(r"\1", first).partition(". ")[0].rstrip(".") + "."


__all__ = ["rendered", "router", "texts"]
