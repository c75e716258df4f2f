"""The scope of a client: the user, workspace, agent, project and session of its calls."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypedDict


class Place(TypedDict, total=False):
    """Agent, project and session of one call; they replace those of the client's scope."""

    agent_id: str | None
    project_id: str | None
    session_id: str | None


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that a client is bound to; None: not bound.

    `user` and `workspace` are sent with every request. `agent`, `project` and `session` are the defaults of calls that name
    none.
    """

    user: str | None = None
    agent: str | None = None
    project: str | None = None
    session: str | None = None
    workspace: str | None = None

    def narrowed(self, **names: str | None) -> "Scope":
        """A copy with the given names; None keeps the present name."""
        found: dict[str, Any] = {name: value for name, value in names.items() if value is not None}
        for name, value in found.items():
            if not (value and value.isascii() and value.isprintable()):
                raise ValueError(f"{name}: 1–128 characters of A–Z a–z 0–9 _ . : @ -")
        return replace(self, **found)

    def must_agent(self, agent_id: str | None = None) -> str:
        """The given agent, else the scope's; ValueError if there is neither."""
        chosen = agent_id or self.agent
        if chosen is None:
            raise ValueError("name an agent: client.scope(agent=…), or agent_id=… in the call")
        return chosen

    def must_session(self, session_id: str | None = None) -> str:
        """The given session, else the scope's; ValueError if there is neither."""
        chosen = session_id or self.session
        if chosen is None:
            raise ValueError("name a session: client.scope(session=…), or session_id=… in the call")
        return chosen

    def place(self, named: Mapping[str, Any] | None = None) -> dict[str, str | None]:
        """Agent, project and session of a call: the given ones, else the scope's."""
        own = {"agent_id": self.agent, "project_id": self.project, "session_id": self.session}
        return {name: (named or {}).get(name) or bound for name, bound in own.items()}

    @property
    def headers(self) -> dict[str, str]:
        """The headers Holdfast-User and Holdfast-Workspace, as far as they are bound."""
        named = {"Holdfast-User": self.user, "Holdfast-Workspace": self.workspace}
        return {name: value for name, value in named.items() if value is not None}
