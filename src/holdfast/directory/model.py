"""What the directory holds."""

from dataclasses import dataclass, field
from typing import Any, Literal

from holdfast.kernel.clock import Instant

Visibility = Literal["team", "private"]
MAX_NAME_CHARS = 255
MAX_REFERENCES = 32

Role = Literal["owner", "member"]


@dataclass(frozen=True, slots=True)
class Org:
    """A tenant and its settings."""

    id: str
    name: str
    workspaces_enabled: bool
    review_extractions: bool
    llm_tokens_per_day: int | None
    language: str
    redact_patterns: list[str]
    recall_weights: dict[str, float] | None
    version: int
    created_at: Instant
    updated_at: Instant
    type: Literal["org"] = "org"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A part of an org; agents live in one."""

    id: str
    name: str | None
    version: int
    created_at: Instant
    updated_at: Instant
    type: Literal["workspace"] = "workspace"


@dataclass(frozen=True, slots=True)
class Project:
    """Where people share memories: every user of the org (`team`) or its members (`private`)."""

    id: str
    name: str | None
    visibility: Visibility
    workspace_id: str
    members: list[str]
    version: int
    created_at: Instant
    updated_at: Instant
    type: Literal["project"] = "project"


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent, its workspace, and the memory resources it refers to."""

    id: str
    name: str | None
    workspace_id: str
    project_id: str | None
    version: int
    created_at: Instant
    updated_at: Instant
    memory: list[dict[str, Any]] = field(default_factory=list)
    type: Literal["agent"] = "agent"


@dataclass(frozen=True, slots=True)
class User:
    """A person of the org."""

    id: str
    email: str | None
    owner: bool
    role: Role
    insight_capture: bool
    totp_enabled: bool
    version: int
    created_at: Instant
    updated_at: Instant
    type: Literal["user"] = "user"


@dataclass(frozen=True, slots=True)
class SessionConversation:
    """A conversation that messages of a session were appended to."""

    resource_id: str
    key: str
    last_activity_at: str


@dataclass(frozen=True, slots=True)
class SettledThrough:
    """The last message of a conversation that was learned from."""

    resource_id: str
    key: str
    message_id: str


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation's thread through everything: whose, with which agent, in which project."""

    id: str
    user_id: str | None
    agent_id: str | None
    project_id: str | None
    workspace_id: str
    last_activity_at: Instant
    settled_at: Instant | None
    version: int
    created_at: Instant
    updated_at: Instant
    conversations: list[SessionConversation] = field(default_factory=list)
    settled_through: list[SettledThrough] = field(default_factory=list)
    type: Literal["session"] = "session"

    def __post_init__(self) -> None:
        """A row brings its lists as JSON: they become values too."""
        for name, kind in (
            ("conversations", SessionConversation),
            ("settled_through", SettledThrough),
        ):
            given = [
                kind(**each) if isinstance(each, dict) else each for each in getattr(self, name)
            ]
            object.__setattr__(self, name, given)
