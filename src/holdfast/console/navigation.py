"""The menu of the console, and what pages say after a change."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A page of the menu."""

    path: str
    name: str


# Titles with their pages, in the order of the menu.
NAVIGATION: dict[str, tuple[Place, ...]] = {
    "See": (
        Place("/", "Overview"),
        Place("/prompt", "Prompt preview"),
        Place("/search", "Search"),
    ),
    "Memory": (
        Place("/blocks", "Blocks"),
        Place("/entries", "Entries"),
        Place("/conversations", "Conversations"),
        Place("/memories", "Memories"),
        Place("/nodes", "Graph"),
        Place("/stores", "Stores"),
    ),
    "Upkeep": (
        Place("/activity", "Activity"),
        Place("/proposals", "Proposals"),
        Place("/hygiene", "Hygiene"),
        Place("/jobs", "Jobs"),
    ),
    "Organisation": (
        Place("/people", "People"),
        Place("/agents", "Agents"),
        Place("/projects", "Projects"),
        Place("/keys", "API keys"),
        Place("/erase", "Erase a person"),
        Place("/settings", "Settings"),
    ),
}

# A page shows one of these after a redirect; the address names it, so that no text of an address is shown.
NOTICES = {
    "saved": "Saved.",
    "created": "Created.",
    "deleted": "Deleted.",
    "erasing": "The erasure is queued; its receipt is named here when it is done.",
    "erased": "Erased, with everything derived from it.",
    "retired": "Retired: lists and recall leave it out from now on.",
    "pinned": "Pinned.",
    "unpinned": "No longer pinned.",
    "restored": "Restored as the newest version.",
    "redacted": "Redacted: the content of that version is gone.",
    "archived": "Archived: it can be read, not written.",
    "forgotten": "Forgotten.",
    "flushed": "Flushed.",
    "cancelled": "Cancelled.",
    "retried": "Queued again.",
    "reverted": "Reverted.",
    "revoked": "Revoked: the key works no longer.",
    "added": "Added.",
    "removed": "Removed.",
    "accepted": "Accepted.",
    "rejected": "Rejected.",
    "password": "The password is set. Other browsers were signed out.",
    "totp_on": "Codes are on: signing in asks for one from now on.",
    "totp_off": "Codes are off.",
    "stepped_up": "Confirmed for ten minutes.",
    "signed_out": "You are signed out.",
}
