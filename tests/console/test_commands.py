"""The commands that pages give to be pasted are commands that there are."""

import re
import shlex
from html import unescape

import pytest
import typer

from holdfast.cli import app
from tests.console.places import PLACES

# Pages that show a command only when there is something, or nothing, in what their path names.
MORE = [
    "/entries/bot",
    "/entries/bot/hydration",
    "/conversations/sessions",
    "/conversations/sessions/messages?key=chat:one",
    "/conversations/sessions/messages?key=chat:one&flushed=1",
]
# Pages with a list that may be empty, or with an answer that was not asked for yet.
TEACHES = [
    "/",
    "/prompt",
    "/search",
    "/blocks",
    "/entries",
    "/conversations",
    "/memories",
    "/nodes",
    "/stores",
    "/activity",
    "/proposals",
    "/hygiene",
    "/jobs",
    "/agents",
    "/projects",
]


def parse(command):
    """Have the command line read a command, without running it."""
    words = shlex.split(command)
    assert words.pop(0) == "holdfast"
    group = typer.main.get_command(app)
    context = group.make_context("holdfast", words[:1] or ["--help"], resilient_parsing=True)
    name, rest = words[0], words[1:]
    found = group.get_command(context, name)
    assert found is not None, command
    while hasattr(found, "get_command"):
        context = found.make_context(name, rest[:1], parent=context, resilient_parsing=True)
        name, rest = rest[0], rest[1:]
        found = found.get_command(context, name)
        assert found is not None, command
    found.make_context(name, rest, parent=context)  # raises where an option or an argument is wrong


def commands(text):
    """The commands of the command line on a page."""
    for pasted in re.findall(r'<div class="paste"><pre[^>]*><code>(.*?)</code>', text, re.DOTALL):
        for line in unescape(pasted).split("\n"):
            if "holdfast " in line and not line.startswith("curl"):
                yield line[line.index("holdfast ") :]


async def test_every_command_on_the_pages_of_an_empty_org_is_one(ana, org):
    await org.client().put("/agents/bot", json={})
    store = (await ana.send("/stores", name="Empty")).headers["location"].split("?")[0]
    empty = [await ana.open(path) for path in [*PLACES, *MORE, store]]
    found = {command for text in empty for command in commands(text)}
    assert len(found) >= 12
    wrong = []
    for command in sorted(found):
        try:
            parse(command)
        except Exception as error:  # every one is named
            wrong.append(f"{command}: {error!r}")
    assert wrong == []


async def test_an_empty_page_gives_a_command_for_the_next_step(signed_in):
    nobody = await signed_in("nobody", owner=False)
    silent = [path for path in TEACHES if not [*commands(await nobody.open(path))]]
    assert silent == []


def test_a_command_that_is_none_is_noticed():
    with pytest.raises(Exception, match=r"[Mm]issing|required"):
        parse("holdfast stores put")
    with pytest.raises(AssertionError):
        parse("holdfast stores write x y")
