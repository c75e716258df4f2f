"""Who is asking and how they proved it. What a caller may see and change is decided in sight.py."""

from dataclasses import dataclass, replace
from typing import Literal

from holdfast.kernel.errors import ScopeDenied, StepUpRequired

CredentialKind = Literal["service", "user", "agent", "session", "operator", "job"]
ActorType = Literal["api_key", "user", "agent", "job", "operator"]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who made a change, as history tells it."""

    type: ActorType
    id: str


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is asking, and how they proved it. Immutable: speaking from another place makes another Caller."""

    org_id: str
    credential: CredentialKind
    credential_id: str
    workspace_id: str
    user_id: str | None = None
    agent_id: str | None = None
    project_id: str | None = None
    run_id: str | None = None
    session_id: str | None = None
    request_id: str | None = None
    owner: bool = False  # the user acted for is an owner of the org; never set for agent keys
    stepped_up: bool = False  # password or TOTP given again within the last ten minutes
    read_only: bool = False  # a token that may read and change nothing
    user_is_new: bool = False  # named for the first time: the first write registers it

    @property
    def actor(self) -> Actor:
        """Who history names for what this caller changes."""
        match self.credential:
            case "service" | "user":
                return Actor("api_key", self.credential_id)
            case "agent":
                return Actor("agent", self.agent_id or self.credential_id)
            case "session":
                return Actor("user", self.user_id or self.credential_id)
            case "job":
                return Actor("job", self.credential_id)
            case "operator":
                return Actor("operator", self.credential_id)

    def speaking_as(self, agent_id: str) -> "Caller":
        """This caller, speaking for an agent: any agent for service, user and browser; its own for an agent's key."""
        if self.credential == "agent" and agent_id != self.agent_id:
            raise ScopeDenied(f"this key is bound to agent {self.agent_id!r}")
        return self if self.agent_id == agent_id else replace(self, agent_id=agent_id)

    def must_be_user(self) -> str:
        """The user asked for; refused where the credential has none."""
        if self.user_id is None:
            raise ScopeDenied(
                "this needs a user, and the agent key was made without one"
                if self.credential == "agent"
                else "this needs a user: name one with the Holdfast-User header"
            )
        return self.user_id

    @property
    def administers(self) -> bool:
        """Whether this caller looks after the org itself: its settings, workspaces and other people's keys."""
        return self.credential in ("service", "operator") or (
            self.credential in ("session", "user") and self.owner
        )

    def must_administer(self, what: str) -> None:
        """Refuse (MEM-001) a caller that may not look after the org."""
        if not self.administers:
            raise ScopeDenied(f"{what} needs a service key or an owner of the org")

    def must_have_stepped_up(self) -> None:
        """Refuse unless this is a browser session with a fresh step-up; no API key ever passes."""
        if self.credential != "session" or not self.stepped_up:
            raise StepUpRequired()


def operator(org_id: str, request_id: str | None = None) -> Caller:
    """The command line with access to the database: it acts for the org's owner."""
    return Caller(
        org_id=org_id,
        credential="operator",
        credential_id="cli",
        workspace_id="default",
        user_id="owner",
        request_id=request_id,
    )
