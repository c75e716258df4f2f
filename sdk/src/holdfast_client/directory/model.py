"""The values of the directory."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Visibility = Literal["team", "private"]

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
    created_at: datetime
    updated_at: datetime
    type: Literal["org"] = "org"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A part of an org; an agent belongs to one."""

    id: str
    name: str | None
    version: int
    created_at: datetime
    updated_at: datetime
    type: Literal["workspace"] = "workspace"


@dataclass(frozen=True, slots=True)
class Project:
    """A place to share memories: visible to every user of the org (`team`) or to its members (`private`)."""

    id: str
    name: str | None
    visibility: Visibility
    workspace_id: str
    members: list[str]
    version: int
    created_at: datetime
    updated_at: datetime
    type: Literal["project"] = "project"


@dataclass(frozen=True, slots=True)
class MemoryReference:
    """A memory resource that an agent reads, and writes if its mode allows."""

    id: str
    key: str | None = None
    mode: Literal["read-write", "read-only"] = "read-write"


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent, its workspace, and the memory resources it refers to."""

    id: str
    name: str | None
    workspace_id: str
    project_id: str | None
    version: int
    created_at: datetime
    updated_at: datetime
    memory: list[MemoryReference] = field(default_factory=list)
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
    created_at: datetime
    updated_at: datetime
    type: Literal["user"] = "user"


@dataclass(frozen=True, slots=True)
class SessionConversation:
    """A conversation that messages of a session were appended to."""

    resource_id: str
    key: str
    last_activity_at: datetime


@dataclass(frozen=True, slots=True)
class SettledThrough:
    """The last message of a conversation that was learned from."""

    resource_id: str
    key: str
    message_id: str


@dataclass(frozen=True, slots=True)
class Session:
    """A session: its user, and its agent and project if it has them."""

    id: str
    user_id: str | None
    agent_id: str | None
    project_id: str | None
    workspace_id: str
    last_activity_at: datetime
    settled_at: datetime | None
    version: int
    created_at: datetime
    updated_at: datetime
    conversations: list[SessionConversation] = field(default_factory=list)
    settled_through: list[SettledThrough] = field(default_factory=list)
    type: Literal["session"] = "session"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key without its secret."""

    id: str
    kind: Literal["service", "user", "agent"]
    name: str | None
    prefix: str
    user_id: str | None
    agent_id: str | None
    workspace_id: str | None
    requests_per_minute: int | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    type: Literal["api_key"] = "api_key"
