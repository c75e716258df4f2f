"""Who sees what inside an org, and who may change it: the one place that decides.

An object carries names: a workspace, a project, a user, an agent, a run. Together they are its `Audience`, kept as one text
(`user:ana`, `agent:bot+user:ana`, `org` for none). A caller sees an object when it carries every name that the object
carries; a user also carries the projects it is a member of. The same rule stands in SQL (`audience`, `audiences`,
`sees` and `in_workspace` in functions.sql), and a property test holds the two together. A missing name narrows or
fails; it never widens.

Changing asks for more where `WHO_SEES_WHAT` says so: `must_manage`, `must_act_as_agent`, `Caller.must_administer`.
"""

from collections.abc import Collection
from dataclasses import dataclass

from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import ScopeDenied


@dataclass(frozen=True, slots=True)
class Audience:
    """The names that an object carries; None is a name it does not carry."""

    workspace_id: str | None = None
    project_id: str | None = None
    agent_id: str | None = None
    user_id: str | None = None
    run_id: str | None = None

    @property
    def text(self) -> str:
        """The names as one text. No id contains a plus sign, so no two audiences share a text."""
        named = (
            ("workspace", self.workspace_id),
            ("project", self.project_id),
            ("agent", self.agent_id),
            ("user", self.user_id),
            ("run", self.run_id),
        )
        return "+".join(f"{kind}:{name}" for kind, name in named if name is not None) or "org"


def sees(caller: Caller, audience: Audience, *, member_of: Collection[str] = ()) -> bool:
    """Whether the caller carries every name of the audience; `member_of` are the projects of its user."""
    return (
        audience.workspace_id in (None, caller.workspace_id)
        and (audience.project_id in (None, caller.project_id) or audience.project_id in member_of)
        and audience.agent_id in (None, caller.agent_id)
        and audience.user_id in (None, caller.user_id)
        and audience.run_id in (None, caller.run_id)
    )


def must_see(caller: Caller, audience: Audience) -> None:
    """Refuse (MEM-001) an audience that the caller does not belong to, before anything is looked up."""
    if not sees(caller, audience):
        raise ScopeDenied("this credential does not reach that agent, user, project or workspace")


def params(caller: Caller) -> dict[str, str | None]:
    """The names that the caller carries, as the parameters of `sees`, `audiences` and `in_workspace` in SQL."""
    return {
        "by_user": caller.user_id,
        "by_agent": caller.agent_id,
        "by_project": caller.project_id,
        "by_workspace": caller.workspace_id,
        "by_run": caller.run_id,
    }


def params_of_key(caller: Caller) -> dict[str, str | None]:
    """The same, and the agent that an agent key is bound to, for `not_of_another_agent` and `sees_session` in SQL."""
    return {
        **params(caller),
        "key_agent": caller.agent_id if caller.credential == "agent" else None,
    }


def must_manage(caller: Caller, *, made_by: str | None, what: str) -> None:
    """Refuse (MEM-001) all but service keys, an owner of the org and the user that made the object.

    No agent key passes, whichever user it was made with.
    """
    maker = caller.user_id is not None and caller.user_id == made_by
    if not caller.administers and (caller.credential == "agent" or not maker):
        raise ScopeDenied(f"{what} needs a service key, an owner, or the user that made it")


def must_act_as_agent(caller: Caller, what: str) -> None:
    """Refuse (MEM-001) a user's key: what belongs to an agent is changed by agent keys and service keys.

    An owner of the org may change it too; jobs act for the agent that they were started for.
    """
    if caller.credential not in ("agent", "job") and not caller.administers:
        raise ScopeDenied(f"{what} needs the agent's key or a service key")


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of "Who sees what": which names an object carries, and who may change it."""

    objects: str
    carries: str
    changed_by: str


WHO_SEES_WHAT = (
    Rule(
        "block, insight, session, turn, job, proposal",
        "user (and agent)",
        "whoever acts for that user",
    ),
    Rule(
        "memory",
        "`global`: user; `project`: project; `agent`: agent",
        "those who see it; an agent's shared memory: that agent's keys and service keys",
    ),
    Rule(
        "entry",
        'agent; `scope: "user"`: agent and user; `workspace`: workspace; `conversation`: run',
        'agent\'s and workspace\'s: agent keys and service keys; `scope: "user"`: whoever acts for that user',
    ),
    Rule(
        "conversation instance, its summaries and flushed messages",
        "user, else agent; nothing where the resource says `shared: true`",
        "those who see it",
    ),
    Rule(
        "node, its items, edges",
        "`visibility: user`: user; `project`: project; `org`: nothing",
        "those who see it; deleting or merging an `org` node: service keys, an owner, the user that made it",
    ),
    Rule(
        "store",
        '`visibility: "org"`: nothing; `"private"`: the user that made it',
        "entries: those who see it, unless the store is `read_only` for user and agent keys; "
        "the store itself, archiving, redacting: service keys, an owner, the user that made it",
    ),
)  # fmt: skip


def table() -> str:
    """`WHO_SEES_WHAT` as the table of docs/security.md."""
    rows = [f"| {rule.objects} | {rule.carries} | {rule.changed_by} |" for rule in WHO_SEES_WHAT]
    return "\n".join(["| object | carries | who may change it |", "|---|---|---|", *rows])
