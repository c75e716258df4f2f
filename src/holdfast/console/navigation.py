"""The menu of the console, and what pages say after a change."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A page of the menu; `icon` is the path of a drawing of 16 by 16, drawn with a line."""

    path: str
    name: str
    icon: str


# Titles with their pages, in the order of the menu.
NAVIGATION: dict[str, tuple[Place, ...]] = {
    "See": (
        Place("/", "Overview", "M2 13V8M6 13V3M10 13V6M14 13v-3"),
        Place("/prompt", "Prompt preview", "M3 4h10M3 8h10M3 12h6"),
        Place("/search", "Search", "M11 7a4 4 0 1 1-8 0 4 4 0 0 1 8 0M10 10l4 4"),
    ),
    "Memory": (
        Place("/blocks", "Blocks", "M2 3h12v4H2zM2 9h12v4H2z"),
        Place("/entries", "Entries", "M5 3L3 13M12 3l-2 10M2 6h12M2 10h12"),
        Place("/conversations", "Conversations", "M2 3h12v8H7l-3 3v-3H2z"),
        Place("/memories", "Memories", "M4 2h8v12l-4-3-4 3z"),
        Place(
            "/nodes",
            "Graph",
            "M6 4a2 2 0 1 1-4 0 2 2 0 0 1 4 0M14 6a2 2 0 1 1-4 0 2 2 0 0 1 4 0M9 12a2 2 0 1 1-4 0 2 2 0 0 1 4 0M6 4.5l4 1M4.5 5.5l2 5M11 7.5l-3 3.5",
        ),
        Place("/stores", "Stores", "M2 4h5l1.5 2H14v7H2z"),
    ),
    "Upkeep": (
        Place("/activity", "Activity", "M1 8h3l2-5 4 10 2-5h3"),
        Place("/proposals", "Proposals", "M3 3h10v10H3zM5.5 8l2 2 3.5-4"),
        Place("/hygiene", "Hygiene", "M8 2l1.5 4.5L14 8l-4.5 1.5L8 14l-1.5-4.5L2 8l4.5-1.5z"),
        Place("/jobs", "Jobs", "M14 8a6 6 0 1 1-12 0 6 6 0 0 1 12 0M8 4.5V8l2.5 1.5"),
    ),
    "Organisation": (
        Place(
            "/people",
            "People",
            "M10.5 5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0M3 14c0-3 2-5 5-5s5 2 5 5",
        ),
        Place("/agents", "Agents", "M3 6h10v7H3zM8 6V3M6 9v1M10 9v1"),
        Place("/projects", "Projects", "M2 5l6-3 6 3-6 3zM2 8l6 3 6-3M2 11l6 3 6-3"),
        Place("/keys", "API keys", "M7 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0M6.5 8.5L13 2M10 5l2 2"),
        Place("/erase", "Erase a person", "M3 4h10M6 4V2h4v2M4 4l1 10h6l1-10"),
        Place("/settings", "Settings", "M2 5h7M13 5h1M2 11h1M7 11h7M11 3v4M5 9v4"),
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
    "measuring": "A job measures now; this page shows its result when it is done.",
    "cancelled": "Cancelled.",
    "retried": "Queued again.",
    "reverted": "Reverted.",
    "deactivated": "Deactivated: the account, its keys and its browsers are ended. The memory stays until it is erased.",
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
