"""A memory as mem0's clients read it, and the names that their requests carry."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.kernel.errors import Invalid, NotFound
from holdfast.memories.model import Memory, NewMemory, PastMemory, Place

ENTITIES = ("user_id", "agent_id", "run_id", "app_id")
EVENTS = {"created": "ADD", "updated": "UPDATE", "restored": "UPDATE", "retired": "DELETE"}


@dataclass(frozen=True, slots=True)
class Names:
    """Whose memories a request is about: a user's, or an agent's own where no user is named."""

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    app_id: str | None = None

    @property
    def is_of_agent(self) -> bool:
        """Whether the memories belong to the agent alone."""
        return self.user_id is None and self.agent_id is not None

    @property
    def place(self) -> Place:
        """Where the call speaks from."""
        return Place(agent_id=self.agent_id) if self.is_of_agent else Place()

    @property
    def tags(self) -> list[str]:
        """The names that only narrow: an agent or a run of a user."""
        narrowing = {"run_id": self.run_id, "app_id": self.app_id}
        if not self.is_of_agent:
            narrowing["agent_id"] = self.agent_id
        return [_tag(name, value) for name, value in narrowing.items() if value is not None]

    def public_id(self, memory_id: str) -> str:
        """The id that their client gets: it also says whose memory it is, since later calls name only the id."""
        if self.is_of_agent:
            return f"{memory_id}@agent:{self.agent_id}"
        return f"{memory_id}@user:{self.user_id}" if self.user_id is not None else memory_id


def read_id(public_id: str) -> tuple[str, Names]:
    """The memory's own id, and whose it is."""
    memory_id, _, owner = public_id.partition("@")
    kind, _, name = owner.partition(":")
    if owner and (kind not in ("user", "agent") or not name):
        raise NotFound("there is no such memory")
    return memory_id, Names(**{f"{kind}_id": name}) if owner else Names()


def new_memory(
    text: str, names: Names, metadata: Mapping[str, Any], categories: Sequence[str]
) -> NewMemory:
    """A text to save; the same text is saved once."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    fields: dict[str, Any] = {
        "key": f"text-{digest}",
        "value": text,
        "tags": [*names.tags, *(_tag(key, value) for key, value in metadata.items()), *categories],
        "source": "mem0",
    }
    return NewMemory(fields, scope="agent" if names.is_of_agent else "global", place=names.place)


def shown(row: Memory | PastMemory, names: Names, score: float | None = None) -> dict[str, Any]:
    """A memory as their client reads it."""
    known, metadata, categories = read_tags(row.tags)
    answer = {
        "id": names.public_id(row.id),
        "memory": row.value,
        "hash": hashlib.md5(row.value.encode(), usedforsecurity=False).hexdigest(),
        "user_id": names.user_id,
        "agent_id": names.agent_id,
        "run_id": None,
        "app_id": None,
        **known,
        "metadata": metadata,
        "categories": categories,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }
    return answer if score is None else {**answer, "score": score}


def shown_change(past: PastMemory, before: PastMemory | None, names: Names) -> dict[str, Any]:
    """One change of a memory, as their history has it."""
    event = EVENTS.get(past.action, "UPDATE")
    _, metadata, categories = read_tags(past.tags)
    return {
        "id": f"{past.id}-{past.version}",
        "memory_id": names.public_id(past.id),
        "event": event,
        "old_memory": None if before is None else before.value,
        "new_memory": None if event == "DELETE" else past.value,
        "metadata": metadata,
        "categories": categories,
        "user_id": names.user_id,
        "created_at": past.created_at,
        "updated_at": past.updated_at,
    }


def with_metadata(tags: Sequence[str], metadata: Mapping[str, Any]) -> list[str]:
    """The tags with other metadata; names and categories stay."""
    kept = [tag for tag in tags if "=" not in tag or tag.partition("=")[0] in ENTITIES]
    return [*kept, *(_tag(key, value) for key, value in metadata.items())]


def read_tags(tags: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """The names, the metadata and the categories that tags hold."""
    names: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    categories: list[str] = []
    for tag in tags:
        key, equals, text = tag.partition("=")
        if not equals:
            categories.append(tag)
            continue
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        (names if key in ENTITIES else metadata)[key] = value
    return names, metadata, categories


def names_in(filters: Any) -> tuple[Names, list[str]]:
    """Whose memories their filters ask for, and the tags that each must have; Invalid for a filter of another kind."""
    found: dict[str, Any] = {}
    tags: list[str] = []
    for condition in _conditions(filters or {}):
        for key, value in condition.items():
            if value == "*":
                continue
            if not isinstance(value, str | int | float | bool):
                raise Invalid.field(
                    "filters", f"{key}: only a value that is equal, or `*`, is understood here"
                )
            if key in ENTITIES:
                found[key] = str(value)
            elif key == "metadata":
                continue
            else:
                tags.append(_tag(key, value))
    return Names(**found), tags


def _conditions(filters: Any) -> list[Mapping[str, Any]]:
    """The flat conditions of a filter, all of which must hold."""
    if not isinstance(filters, Mapping):
        raise Invalid.field("filters", 'must be an object, such as {"user_id": "ana"}')
    flat: dict[str, Any] = {}
    conditions: list[Mapping[str, Any]] = [flat]
    for key, value in filters.items():
        if key == "AND" and isinstance(value, list):
            for each in value:
                conditions += _conditions(each)
        elif key == "OR" and isinstance(value, list) and len(value) == 1:
            conditions += _conditions(value[0])
        elif key in ("OR", "NOT"):
            raise Invalid.field(
                "filters",
                f"{key} is not understood here: ask once for each, and put the answers together",
            )
        elif key == "metadata" and isinstance(value, Mapping):
            conditions.append(value)
        else:
            flat[key] = value
    return conditions


def _tag(key: str, value: Any) -> str:
    return f"{key}={json.dumps(value, ensure_ascii=False)}"
