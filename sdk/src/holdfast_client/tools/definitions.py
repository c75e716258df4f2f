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
            "tags": {"type": "array", "items": {"type": "string"}},
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
)
