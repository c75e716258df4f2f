"""Templates into pages: the environment, its filters, and the headers of a page."""

from datetime import datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from shlex import quote
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from holdfast import __version__
from holdfast.console.addresses import memory_address
from holdfast.kernel import clock
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.ids import is_made_id

HERE = Path(__file__).parent
STATIC = HERE / "static"
ASSETS = {"style.css": "text/css", "console.js": "text/javascript", "review.js": "text/javascript"}

# Nothing inline and nothing from another host: neither scripts nor styles.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page of a template."""
    text = _environment().get_template(template).render(**values)
    return HTMLResponse(text, status, headers={"Content-Security-Policy": POLICY})


@cache
def asset(name: str) -> bytes:
    """A file of the console."""
    return (STATIC / name).read_bytes()


@cache
def asset_path(name: str) -> str:
    """Where a file is found; the path changes with the file, so that browsers may keep it."""
    return f"/console/{sha256(asset(name)).hexdigest()[:12]}/{name}"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "when": when,
        "ago": ago,
        "number": lambda value: f"{value:,}",
        "size": size,
        "percent": lambda value: f"{value * 100:.0f} %",
        "stamp": rfc3339,
        "day": lambda at: f"{at:%Y-%m-%dT%H:%M}",
        "plural": plural,
        "short": short,
        "quoted": quote,
        "plain": plain,
        "memory_address": memory_address,
    }
    environment.globals |= {"asset": asset_path, "version": __version__}
    return environment


def when(at: datetime | None) -> Markup:
    """An instant, for reading; in UTC."""
    if at is None:
        return Markup("—")
    return _time(at, f"{at:%d %b %Y, %H:%M}")


def ago(at: datetime | None) -> Markup:
    """How long ago an instant was, or in how long it will be."""
    if at is None:
        return Markup("—")
    seconds = (clock.now() - at).total_seconds()
    distance = _distance(abs(seconds))
    return _time(
        at,
        distance
        if distance == "just now"
        else f"{distance} ago"
        if seconds > 0
        else f"in {distance}",
    )


def _time(at: datetime, text: str) -> Markup:
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        rfc3339(at), f"{at:%Y-%m-%d %H:%M:%S} UTC", text
    )


def _distance(seconds: float) -> str:
    for length, unit in (
        (86_400 * 365, "year"),
        (86_400 * 30, "month"),
        (86_400, "day"),
        (3_600, "hour"),
        (60, "minute"),
    ):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "just now"


def size(count: int) -> str:
    """Bytes, for reading."""
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1_000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def short(name: str) -> Markup:
    """An id, cut in the middle where it is one of ours; the whole of it shows when it is pointed at."""
    cut = f"{name[:8]}…{name[-6:]}" if is_made_id(name) else name
    return Markup('<code title="{}">{}</code>').format(name, cut)


def plural(count: int, one: str, many: str | None = None) -> str:
    """A number and its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def plain(value: Any) -> str:
    """A value of JSON in words: what a job or a receipt says, for reading."""
    match value:
        case None:
            return "—"
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return f"{value:,}"
        case dict():
            parts = [f"{name.replace('_', ' ')} {plain(each)}" for name, each in value.items()]
        case list() | tuple():
            parts = [plain(each) for each in value]
        case _:
            return str(value)
    return ", ".join(parts) or "none"


__all__ = ["ASSETS", "asset", "asset_path", "escape", "page"]
