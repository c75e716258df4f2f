"""The text of each part of a context, with one rule for what was remembered: it can neither open nor close a tag of ours.

The server renders user memory with this, the client everything else, so that there is one renderer. Where a text holds a
`<` that would open or close one of TAGS, it is written `&lt;`; every other character stays as it is.
"""

import re
from collections.abc import Iterable

TAGS = (
    "user_memory",
    "user_core",
    "agent_core",
    "agent_entries",
    "agent_entry",
    "system_reminder",
    "recalled",
)

# A `<` that a reader of tags would take for the start of one of ours, open or closed, in any case.
_opens = re.compile(rf"<(?=/?(?:{'|'.join(TAGS)})(?:[\s/>]|\Z))", re.IGNORECASE)

# Inside quotes a text ends at a quote, and a line break would look like the end of the tag's line.
_in_quotes = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        '"': "&quot;",
        **{line: f"&#{ord(line)};" for line in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"},
    }
)


def escape(text: str) -> str:
    """A text that opens and closes none of our tags."""
    return _opens.sub("&lt;", text)


def user_memory(*, user_core: str = "", agent_core: str = "") -> str:
    """`<user_memory>` around what there is; "" where there is nothing. A text without an entry is nothing."""
    inside = [
        _element(tag, escape(text))
        for tag, text in (("user_core", user_core), ("agent_core", agent_core))
        if text.strip()
    ]
    return _element("user_memory", "\n".join(inside)) if inside else ""


def entry(key: str, content: str) -> str:
    """One of the agent's entries."""
    return _element("agent_entry", escape(content), f' key="{key.translate(_in_quotes)}"')


def entries(found: Iterable[tuple[str, str]]) -> str:
    """The agent's entries, each a key and a content; "" where there are none."""
    inside = [entry(key, content) for key, content in found]
    return _element("agent_entries", "\n".join(inside)) if inside else ""


def reminder(content: str) -> str:
    """Something to have in mind for this turn."""
    return _element("system_reminder", escape(content))


def reminders(contents: Iterable[str]) -> str:
    """What to have in mind for this turn; "" where there is nothing."""
    return "\n".join(reminder(each) for each in contents)


def _element(tag: str, inside: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}>\n{inside}\n</{tag}>"
