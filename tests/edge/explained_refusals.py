"""Why requests that fit the OpenAPI document are refused with 400 or 422: the table of docs/http.md, "What the document cannot say".

`tests/edge/test_fuzzing.py` sends requests made from the document and fails on a refusal for another reason.
"""

import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Reason:
    """A reason that JSON Schema cannot state, or would state on every field; `messages` are those of its errors."""

    what: str
    messages: tuple[str, ...]
    field: str = ".*"

    def explains(self, field: str, message: str) -> bool:
        """Whether an error of an answer is of this kind."""
        return bool(re.fullmatch(self.field, field, re.DOTALL)) and any(
            re.search(each, message) for each in self.messages
        )


REASONS: tuple[Reason, ...] = (
    Reason(
        "A text with U+0000, or with a surrogate that stands alone, cannot be stored.",
        (r"may not contain U\+0000", "surrogate"),
    ),
    Reason(
        "Integers are written without a fraction: `9`, not `9.0`.",
        ("^Input should be a valid integer$",),
    ),
    Reason(
        "Names, keys, queries and contents may not be blank (only white space).",
        ("^may not be blank$", "^a tag may not be blank$"),
    ),
    Reason("An `expires_at` must be in the future.", ("^has passed",), field="expires_at"),
    Reason(
        "`after_id` and `before_id` exclude each other, and name an object of that list.",
        ("^give after_id or before_id", "^after_id, before_id: "),
    ),
    Reason(
        "A message without a content needs `tool_calls`.",
        ("^may be empty only with tool_calls$",),
        field=r"messages\.\d+\.content",
    ),
    Reason(
        "A block, node or memory of an agent or project needs its `agent_id` or `project_id`; a block of scope `user` has none.",
        (
            "^goes with scope=agent",
            "^name the agent that scope=agent",
            "needs its (project|agent)_id",
        ),
    ),
    Reason("A run is named together with its agent.", ("give the agent_id too$",), field="run_id"),
    Reason(
        "At least one of several fields must be there: a line to add or remove, the kind or the ref of a source.",
        ("^give new_line to add", "^name the kind or the ref"),
    ),
    Reason(
        "A conversation is named by a key or by variables: not by both, and not without those that the resource's template has.",
        (
            "^give a key or variables",
            "is missing, and the key needs it$",
            "^may not start or end with __$",
        ),
        field="key|variables",
    ),
    Reason(
        "`variables` in a query are a JSON object.", ("^must be a JSON object$",), field="variables"
    ),
    Reason("`clear` needs `confirm: true`.", ("^must be true",), field="confirm"),
    Reason(
        "`from` lies before `to`, and a bucket is a minute at least and not too small for that span.",
        (
            "^must be earlier than `to`$",
            "^is too short for this span",
            "^must be a minute at least$",
            "^must be minute, hour, day, or a duration",
        ),
        field="from|bucket",
    ),
    Reason(
        "A memory resource follows the rules of `/memory-resources/schema`, and its `id` is the one in the path.",
        ("^resource '",),
    ),
    Reason("A file is what the operation reads: a zip of its own form.", (".",), field="zip"),
    Reason("The name of a file has printable characters.", ("^1–255 printable",), field="name"),
    Reason(
        "A path of a store has no empty segment, no `.` or `..`, and is in Unicode normalization form C.",
        ("may not have an? (empty )?segment", "normalization form C$"),
        field="path|path_prefix|after_path",
    ),
    Reason(
        "The deployment or the object has what a choice needs: a language model for `hybrid_summary`, an agent for an entry.",
        ("^hybrid_summary needs a language model", "^an entry needs an agent"),
        field="strategy|target",
    ),
    Reason(
        "What is named is there: a language of the database, another memory, another node.",
        ("^is not a text search language", "^names no other memory", "^is the same node$"),
        field="language|superseded_by|into",
    ),
)


def table() -> str:
    """The list of docs/http.md."""
    return "\n".join(f"- {reason.what}" for reason in REASONS)


def unexplained(problem: dict[str, Any]) -> list[str]:
    """The errors of a refusal that no reason explains."""
    errors = problem.get("errors") or [{"field": "", "message": problem["detail"]}]
    return [
        f"{each['field']}: {each['message']}"
        for each in errors
        if not any(reason.explains(each["field"], each["message"]) for reason in REASONS)
    ]
