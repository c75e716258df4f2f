"""A model's answer: its shape, as the model is told it and as it is validated, and how it becomes candidates.

Nothing in an answer is trusted: a source that is not a new message, a quote that its message does not hold, words of a pasted document,
and facts that rest on nothing the user said are dropped. So are ids of held facts that the model was not shown: the fact itself is then
compared like any other. An answer that would replace more held facts than MAX_REPLACED is refused whole.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from holdfast.learning.model import (
    Candidate,
    Extraction,
    Kind,
    KnownFact,
    Message,
    Source,
    Target,
    Trust,
)
from holdfast.learning.rules import poison
from holdfast.learning.rules.build import cites_secret
from holdfast.learning.rules.text import fold

MAX_FACTS = 60
MAX_TEXT_CHARS = 1_000
MAX_QUOTE_CHARS = 500
MAX_WORD_CHARS = 120
MAX_REPLACED_BY_FACT = 5
MAX_REPLACED = 10
"""How many held facts one answer may name as replaced, counted before anything is dropped. In the conversations of data/memchat two of 40
messages change something; an answer that names more than this is broken or was talked into it, and nothing of it is used."""
MAX_ID_CHARS = 20

SEVERAL_VALUES = frozenset(
    {"likes", "prefers", "avoids", "allergic_to", "is", "gave_up", "does_not", "fears", "dislikes"}
)
"""Attributes that hold several values at a time: the value becomes a part of the name, as in the rules."""

_TRUST: dict[str, Trust] = {
    "user": "user",
    "assistant": "assistant",
    "system": "tool",
    "tool": "tool",
}
NOTHING_HELD: Mapping[str, KnownFact] = {}
_ORDER: tuple[Trust, ...] = ("user", "assistant", "tool", "import")


class Malformed(ValueError):
    """The answer does not have the shape that was asked for. The message holds none of its words."""


class CitedSource(BaseModel):
    """A message and the words in it."""

    model_config = ConfigDict(extra="forbid")

    message: str = Field(max_length=MAX_ID_CHARS)
    quote: str = Field(min_length=1, max_length=MAX_QUOTE_CHARS)


class FoundFact(BaseModel):
    """One fact, as the model gives it."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind
    text: str = Field(min_length=3, max_length=MAX_TEXT_CHARS)
    target: Target
    subject: str = Field("user", max_length=MAX_WORD_CHARS)
    attribute: str = Field("", max_length=MAX_WORD_CHARS)
    value: str = Field("", max_length=MAX_TEXT_CHARS)
    change: Literal["none", "replaces", "ends"] = "none"
    replaced_value: str = Field("", max_length=MAX_TEXT_CHARS)
    relation: str = Field("", max_length=MAX_WORD_CHARS)
    related: str = Field("", max_length=MAX_WORD_CHARS)
    replaces: list[str] = Field(default_factory=list, max_length=MAX_REPLACED_BY_FACT)
    restates: str = Field("", max_length=MAX_ID_CHARS)
    confidence: float = Field(ge=0, le=1)
    sources: list[CitedSource] = Field(min_length=1, max_length=8)


class Answer(BaseModel):
    """Everything the model found."""

    model_config = ConfigDict(extra="forbid")

    facts: list[FoundFact] = Field(max_length=MAX_FACTS)
    retracted: list[str] = Field(default_factory=list, max_length=100)

    @model_validator(mode="after")
    def _replaces_few(self) -> Self:
        if len({each for fact in self.facts for each in fact.replaces}) > MAX_REPLACED:
            raise PydanticCustomError(
                "too_many_replaced",
                "at most {limit} facts may be replaced",
                {"limit": MAX_REPLACED},
            )
        return self


def schema() -> dict[str, Any]:
    """The answer's JSON schema, as providers with structured output take it: every field required, no bounds."""
    made: dict[str, Any] = _strict(Answer.model_json_schema())
    return made


def _strict(node: Any) -> Any:
    """Without the keywords that strict structured output refuses."""
    if isinstance(node, list):
        return [_strict(each) for each in node]
    if not isinstance(node, dict):
        return node
    dropped = (
        "maxLength",
        "minLength",
        "maxItems",
        "minItems",
        "maximum",
        "minimum",
        "default",
        "title",
    )
    kept = {
        key: _strict(value)
        for key, value in node.items()
        if key not in dropped or key == "properties"
    }
    if kept.get("type") == "object" and "properties" in kept:
        kept["required"] = list(kept["properties"])
    return kept


def parse(text: str) -> Answer:
    """The answer in a model's words, with or without a fence around it; Malformed where it is none."""
    bare = text.strip()
    if bare.startswith("```"):
        bare = bare.removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        return Answer.model_validate(json.loads(bare))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(each) for each in first["loc"]) or "the answer"
        raise Malformed(f"{where}: {first['type']}, {error.error_count()} faults") from None
    except ValueError:
        raise Malformed("it is not JSON") from None


def as_extraction(
    answer: Answer, by_id: Mapping[str, Message], held: Mapping[str, KnownFact] = NOTHING_HELD
) -> Extraction:
    """The candidates of an answer that hold; `by_id` are the new messages, `held` the held facts, by the ids that the model was given."""
    candidates = [
        _naming(made, fact, held)
        for fact in answer.facts
        if (made := _candidate(fact, by_id)) is not None
    ]
    retracted = dict.fromkeys(
        by_id[each].id for each in answer.retracted if each in by_id and by_id[each].role == "user"
    )
    kept = [
        each
        for each in candidates
        if not cites_secret(each) and not {s.message_id for s in each.sources} <= set(retracted)
    ]
    return Extraction(tuple(kept), tuple(retracted))


def _candidate(fact: FoundFact, by_id: Mapping[str, Message]) -> Candidate | None:
    cited = list(_found(fact, by_id))
    said = [message for message, _ in cited if message.role == "user"]
    if len(cited) < len(fact.sources) or not said:
        return None  # words that nobody said, or that the user did not say
    attribute = _attribute(fact)
    return Candidate(
        kind=fact.kind,
        text=fact.text.strip(),
        subject=_slug(fact.subject) or "user",
        attribute=attribute,
        value=fact.value.strip() if attribute else "",
        target=fact.target,
        confidence=round(fact.confidence, 3),
        trust=max((_TRUST[message.role] for message, _ in cited), key=_ORDER.index),
        rule="llm",
        reason="a language model found it in these words",
        sources=tuple(Source(message.id, quote) for message, quote in cited),
        valid_from=max(message.created_at for message in said),
        change=None if fact.change == "none" else fact.change,
        replaced_value=fact.replaced_value.strip() or None,
        related=(fact.relation.strip().lower(), fact.related.strip())
        if fact.relation.strip() and fact.related.strip()
        else None,
    )


def _naming(made: Candidate, fact: FoundFact, held: Mapping[str, KnownFact]) -> Candidate:
    """The candidate with the held facts that the model names for it."""
    same = held.get(fact.restates.strip())
    replaced = [held[each.strip()].id for each in fact.replaces if each.strip() in held]
    return replace(
        made,
        replaces=tuple(dict.fromkeys(replaced)),
        restates=None if same is None else same.id,
    )


def _found(fact: FoundFact, by_id: Mapping[str, Message]) -> Iterator[tuple[Message, str]]:
    """The sources that hold: a new message, and a quote that stands in it outside of pasted text."""
    for source in fact.sources:
        message = by_id.get(source.message)
        quote = source.quote.strip()
        start = message.content.find(quote) if message is not None else -1
        if message is not None and quote and start >= 0 and not _is_pasted(message, start):
            yield message, quote


def _is_pasted(message: Message, start: int) -> bool:
    return message.role == "user" and any(
        first <= start < last for first, last in poison.pasted_spans(fold(message.content))
    )


def _attribute(fact: FoundFact) -> str:
    name, value = _slug(fact.attribute), _slug(fact.value)
    if not name or not value:
        return ""
    return f"{name}:{value}" if name in SEVERAL_VALUES else name


def _slug(text: str) -> str:
    return "_".join(fold(text).lower().split())
