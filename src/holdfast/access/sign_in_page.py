"""The pages of a one-time link: plain HTML, no script, everything escaped."""

import re
from collections.abc import Mapping
from html import escape

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Holdfast: {title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>
 :root {{ color-scheme: light dark; }}
 body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; }}
 button {{ font: inherit; padding: .4rem 1rem; }}
</style></head><body>
<h1>{title}</h1>
{content}
</body></html>
"""

# Programs that open links to show what is behind them, in chats and mails.
_previews = re.compile(r"bot\b|crawler|spider|preview|facebookexternalhit|whatsapp", re.IGNORECASE)


def is_opened_by_a_person(headers: Mapping[str, str]) -> bool:
    """Whether a GET comes from somebody who opened the link, not from a browser or a chat that fetched it ahead."""
    purposes = (headers.get(name, "") for name in ("sec-purpose", "purpose", "x-purpose", "x-moz"))
    if any(purposes) or _previews.search(headers.get("user-agent", "")):
        return False
    return headers.get("sec-fetch-mode", "navigate") == "navigate"


def ask_page(token: str) -> str:
    """A button that uses the link."""
    return _page(
        "Sign in",
        f'<form method="post" action="/sign-in"><input type="hidden" name="link" value="{escape(token)}">'
        '<p>This link signs you in once.</p><p><button type="submit">Sign in</button></p></form>',
    )


def signed_in_page(user_id: str) -> str:
    """Said once the cookie is set."""
    return _page(
        "You are signed in",
        f"<p>This browser is signed in as <strong>{escape(user_id)}</strong>. The link is used up: set a password with "
        "<code>POST /api/v1/auth/password</code> to sign in again.</p>"
        '<ul><li><a href="/docs">The API, to read and to try</a></li>'
        '<li><a href="/">What runs here</a></li></ul>',
    )


def refused_page(detail: str) -> str:
    """Said where the link opens nothing."""
    return _page(
        "This link does not sign in",
        f"<p>{escape(detail[:1].upper() + detail[1:])}. A link opens once, within a day of its making.</p>",
    )


def _page(title: str, content: str) -> str:
    return _PAGE.format(title=escape(title), content=content)
