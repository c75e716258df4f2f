"""The tools: names, what the model reads, and the schemas of their arguments."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a model."""

    name: str
    description: str
    properties: dict[str, Any]
    required: tuple[str, ...] = ()
    set: str = "core"

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return {
            "type": "object",
            "properties": self.properties,
            "required": list(self.required),
            "additionalProperties": False,
        }


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _number(description: str, most: int) -> dict[str, Any]:
    return {"type": "integer", "description": description, "minimum": 1, "maximum": most}


_KEY = _text("The fact's stable name.")
_WORDS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}

TOOLS = (
    Tool(
        "context",
        "What memory holds for a message: the user's core facts, reminders and the agent's notes. Call it before answering.",
        {
            "message": _text("The message to answer."),
            "max_tokens": _number("The most tokens to return.", 100_000),
        },
        ("message",),
    ),
    Tool(
        "remember",
        "Save one fact, decision or preference that matters later, as a sentence that is clear without the conversation.",
        {
            "text": _text("The fact."),
            "key": _text(
                "A short stable name; saving under the same name again replaces the fact."
            ),
            "category": _text("A kind of your choice, such as preference or decision."),
            "tags": _WORDS,
        },
        ("text",),
    ),
    Tool(
        "recall",
        "Search everything that was remembered, by word and by meaning, best first.",
        {
            "query": _text("What to look for, as a question or a few words."),
            "limit": _number("The most results.", 100),
        },
        ("query",),
    ),
    Tool(
        "forget",
        "Retire a memory that is wrong or no longer wanted, by its id or, for the best match, by a query.",
        {"id": _text("The id of a recalled memory."), "query": _text("What the memory says.")},
    ),
    Tool(
        "memory_store",
        "Store one fact under a stable key. Storing a key again replaces what was there.",
        {
            "key": _KEY,
            "content": _text("The fact, in a sentence or two."),
            "category": _text(
                "core (the default): kept, always in context. daily: gone after 72 hours. workspace: shared with every "
                "agent of the workspace. Any other name: kept, in context while there is room."
            ),
            "tags": _WORDS,
        },
        ("key", "content"),
        "entries",
    ),
    Tool(
        "memory_recall",
        "Read the one fact under a key; empty when there is none.",
        {"key": _KEY},
        ("key",),
        "entries",
    ),
    Tool(
        "memory_list",
        "List the stored facts, newest first.",
        {
            "filter": {
                "type": "object",
                "description": "Leave it out for everything.",
                "properties": {
                    "category": _text("Only this category."),
                    "tags": _WORDS,
                    "query": _text("Part of a key or content."),
                    "updated_after": _text("Stored after this time, as in 2026-01-31T00:00:00Z."),
                    "limit": _number("The most facts.", 100),
                },
                "additionalProperties": False,
            }
        },
        (),
        "entries",
    ),
    Tool(
        "memory_forget",
        "Forget the fact under a key.",
        {"key": _KEY},
        ("key",),
        "entries",
    ),
)
