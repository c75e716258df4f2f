"""Telling a person who opens a one-time link from a program that fetches it ahead."""

import re
from collections.abc import Mapping

# Programs that open links to show what is behind them, in chats and mails.
_previews = re.compile(r"bot\b|crawler|spider|preview|facebookexternalhit|whatsapp", re.IGNORECASE)


def is_opened_by_a_person(headers: Mapping[str, str]) -> bool:
    """Whether a GET comes from somebody who opened the link, not from a browser or a chat that fetched it ahead."""
    purposes = (headers.get(name, "") for name in ("sec-purpose", "purpose", "x-purpose", "x-moz"))
    if any(purposes) or _previews.search(headers.get("user-agent", "")):
        return False
    return headers.get("sec-fetch-mode", "navigate") == "navigate"
