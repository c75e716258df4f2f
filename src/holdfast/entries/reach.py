"""Which entries a caller reaches through an agent, and where a new one is kept.

A key is unique in an audience: a run, a user with an agent, an agent, or a workspace. `Reach` has the audiences of one caller
and one agent; entries/functions.sql (`entries_seen`) has the same list in SQL.
"""

from dataclasses import dataclass, replace

from holdfast.entries.model import CONVERSATION, WORKSPACE, Scope
from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import Invalid, ScopeDenied
from holdfast.kernel.sight import Audience


@dataclass(frozen=True, slots=True)
class Reach:
    """The names that a caller carries while it works with an agent."""

    agent_id: str
    workspace_id: str
    user_id: str | None = None
    run_id: str | None = None

    @classmethod
    def of(cls, caller: Caller, agent_id: str, run_id: str | None = None) -> "Reach":
        """What the caller reaches through an agent, in a run of it where one is named."""
        return cls(agent_id, caller.workspace_id, caller.user_id, run_id)

    def within(self, run_id: str | None) -> "Reach":
        """The same in another run, or in none."""
        return replace(self, run_id=run_id)

    @property
    def agent(self) -> Audience:
        """The agent alone."""
        return Audience(agent_id=self.agent_id)

    @property
    def workspace(self) -> Audience:
        """Every agent of the workspace."""
        return Audience(workspace_id=self.workspace_id)

    def nearest_first(
        self, category: str | None = None, scope: Scope | None = None
    ) -> list[Audience]:
        """Where to look for a key; a category or a scope leaves out the audiences that hold none such."""
        run = [] if self.run_id is None else [Audience(run_id=self.run_id)]
        user = [] if self.user_id is None else [self._user()]
        found = [*run, *user, self.agent, self.workspace]
        if category is not None:
            found = [each for each in found if _may_hold(each, category)]
        if scope is not None:
            found = [each for each in found if (each.user_id is not None) == (scope == "user")]
        return found

    def for_new(self, category: str, scope: Scope) -> Audience:
        """Where a new entry is kept; `conversation` needs a run, scope `user` a user."""
        if scope == "user":
            if category in (CONVERSATION, WORKSPACE):
                raise Invalid.field("scope", f"a {category} entry cannot belong to one user")
            return self._user()
        if category == WORKSPACE:
            return self.workspace
        if category != CONVERSATION:
            return self.agent
        if self.run_id is None:
            raise Invalid.field("run_id", "a conversation entry needs the run it belongs to")
        return Audience(run_id=self.run_id)

    def quota_of(self, audience: Audience) -> str:
        """The audience, as a text, in whose 1,000 an entry counts: a run's entries count in those of its agent."""
        return (self.agent if audience.run_id is not None else audience).text

    @property
    def quotas(self) -> list[str]:
        """Every quota that entries of this reach count in, in the order in which they are locked, run or not."""
        return [each.text for each in self.within(None).nearest_first()]

    @property
    def params(self) -> dict[str, str | None]:
        """The parameters of `entries_seen` in SQL."""
        return {
            "by_user": self.user_id,
            "by_agent": self.agent_id,
            "by_project": None,
            "by_workspace": self.workspace_id,
            "by_run": self.run_id,
        }

    def _user(self) -> Audience:
        if self.user_id is None:
            raise ScopeDenied("scope `user` needs a credential that acts for a user")
        return Audience(agent_id=self.agent_id, user_id=self.user_id)


def must_change(caller: Caller, audience: Audience) -> None:
    """Refuse (MEM-001) a user's key that would change an agent's, a run's or a workspace's entry."""
    if audience.user_id is None:
        sight.must_act_as_agent(caller, "changing an entry that is not one user's (scope `user`)")


def _may_hold(audience: Audience, category: str) -> bool:
    if category == WORKSPACE:
        return audience.workspace_id is not None
    return (audience.run_id is not None) == (category == CONVERSATION) and (
        audience.workspace_id is None
    )
