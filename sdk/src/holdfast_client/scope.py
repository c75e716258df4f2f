"""On whose behalf a client speaks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypedDict


class Place(TypedDict, total=False):
    """Where a call speaks from, in place of what the client was bound to."""

    agent_id: str | None
    project_id: str | None
    session_id: str | None


@dataclass(frozen=True, slots=True)
class Scope:
    """The names a client was bound to; None is a name it does not carry.

    `user` and `workspace` go with every request. `agent`, `project` and `session` are what the faces fall back on where
    a call names none.
    """

    user: str | None = None
    agent: str | None = None
    project: str | None = None
    session: str | None = None
    workspace: str | None = None

    def narrowed(self, **names: str | None) -> "Scope":
        """This scope with the names that are given; None leaves a name as it was."""
        found: dict[str, Any] = {name: value for name, value in names.items() if value is not None}
        for name, value in found.items():
            if not (value and value.isascii() and value.isprintable()):
                raise ValueError(f"{name}: 1–128 characters of A–Z a–z 0–9 _ . : @ -")
        return replace(self, **found)

    def must_agent(self, agent_id: str | None = None) -> str:
        """The agent a call is about: the one it names, else this scope's."""
        chosen = agent_id or self.agent
        if chosen is None:
            raise ValueError("name an agent: client.scope(agent=…), or agent_id=… in the call")
        return chosen

    def must_session(self, session_id: str | None = None) -> str:
        """The session a call is about: the one it names, else this scope's."""
        chosen = session_id or self.session
        if chosen is None:
            raise ValueError("name a session: client.scope(session=…), or session_id=… in the call")
        return chosen

    def place(self, named: Mapping[str, Any] | None = None) -> dict[str, str | None]:
        """Where a call speaks from: the agent, project and session it names, else this scope's."""
        own = {"agent_id": self.agent, "project_id": self.project, "session_id": self.session}
        return {name: (named or {}).get(name) or bound for name, bound in own.items()}

    @property
    def headers(self) -> dict[str, str]:
        """What tells the server whom this is for."""
        named = {"Holdfast-User": self.user, "Holdfast-Workspace": self.workspace}
        return {name: value for name, value in named.items() if value is not None}
