"""orgs, keys, users, projects, workspaces, agents: administration with access to the database.

Every command acts on one org: `--org`, or the only one there is.
"""

import sys
from datetime import UTC, datetime
from typing import Annotated

import psycopg
import typer

from holdfast.access import keys
from holdfast.access import service as access
from holdfast.access.passwords import check_password_form, hash_password
from holdfast.bootstrap import create_org
from holdfast.cli.output import AsJson, show, show_all
from holdfast.cli.reach import reach_database, with_database
from holdfast.directory import agents, projects, users, workspaces
from holdfast.directory.model import Visibility
from holdfast.kernel.caller import Caller, operator
from holdfast.kernel.db import Database
from holdfast.kernel.errors import Invalid, NotFound
from holdfast.kernel.key_cache import KeyKind
from holdfast.kernel.pages import MAX_LIMIT, Cursor
from holdfast.settings import read_settings

Org = Annotated[
    str | None, typer.Option("--org", help="The org's id; not needed where there is one.")
]
Limit = Annotated[int, typer.Option(min=1, max=MAX_LIMIT, help="At most this many, newest first.")]

orgs_app = typer.Typer(help="Tenants.", no_args_is_help=True)
keys_app = typer.Typer(help="API keys.", no_args_is_help=True)
users_app = typer.Typer(help="People.", no_args_is_help=True)
projects_app = typer.Typer(help="Projects and their members.", no_args_is_help=True)
workspaces_app = typer.Typer(help="Workspaces.", no_args_is_help=True)
agents_app = typer.Typer(help="Agents.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the administrator's commands."""
    app.add_typer(orgs_app, name="orgs")
    app.add_typer(keys_app, name="keys")
    app.add_typer(users_app, name="users")
    app.add_typer(projects_app, name="projects")
    app.add_typer(workspaces_app, name="workspaces")
    app.add_typer(agents_app, name="agents")


def caller_of(org: str | None, *, option: str = "--org") -> Caller:
    """The operator of this org, or of the only one there is; `option` is what the command calls its choice."""
    found = [org_id for org_id, _ in _org_ids()]
    if org is None and len(found) != 1:
        raise Invalid(f"there are {len(found)} orgs; choose one with {option} (holdfast orgs list)")
    if org is not None and org not in found:
        raise NotFound(f"there is no org {org!r} here (holdfast orgs list)")
    return operator(org or found[0])


def _org_ids() -> list[tuple[str, str]]:
    with (
        reach_database(read_settings()) as urls,
        psycopg.connect(urls.owner) as connection,
    ):
        return connection.execute("SELECT org_id, name FROM orgs ORDER BY org_id").fetchall()


# --- orgs ------------------------------------------------------------------------------------------------------------


@orgs_app.command("create")
def create_org_command(name: str, as_json: AsJson = False) -> None:
    """Create an org with an owner and a service key, which is printed only this once.

    Example: holdfast orgs create Acme --json
    """
    org_id, key = with_database(lambda db: create_org(db, name))
    show({"org_id": org_id, "service_key": key}, as_json=as_json)


@orgs_app.command("list")
def list_orgs(as_json: AsJson = False) -> None:
    """The orgs of this database.

    Example: holdfast orgs list
    """
    rows = [{"org_id": org_id, "name": name} for org_id, name in _org_ids()]
    show_all(rows, ["org_id", "name"], as_json=as_json)


# --- keys ------------------------------------------------------------------------------------------------------------


@keys_app.command("create")
def create_key(
    kind: Annotated[KeyKind, typer.Option(help="service, user or agent.")],
    org: Org = None,
    user: Annotated[str | None, typer.Option(help="The user the key is bound to.")] = None,
    agent: Annotated[str | None, typer.Option(help="The agent the key is bound to.")] = None,
    workspace: Annotated[str | None, typer.Option(help="The workspace it is bound to.")] = None,
    name: Annotated[str | None, typer.Option(help="What the key is for.")] = None,
    expires_at: Annotated[datetime | None, typer.Option(help="When it ends (UTC).")] = None,
    requests_per_minute: Annotated[int | None, typer.Option(min=1)] = None,
    test: Annotated[bool, typer.Option("--test", help="Make it an hf_test_ key.")] = False,
    as_json: AsJson = False,
) -> None:
    """Create an API key, which is printed only this once.

    Example: holdfast keys create --kind agent --agent support --name "support, production"
    """
    caller = caller_of(org)
    minted = with_database(
        lambda db: keys.create_key(
            db,
            caller,
            kind,
            name=name,
            user_id=user,
            agent_id=agent,
            workspace_id=workspace,
            requests_per_minute=requests_per_minute,
            expires_at=None if expires_at is None else expires_at.replace(tzinfo=UTC),
            test=test,
        )
    )
    show({"key_id": minted.key_id, "key": minted.key}, as_json=as_json)


@keys_app.command("list")
def list_keys(org: Org = None, limit: Limit = MAX_LIMIT, as_json: AsJson = False) -> None:
    """The org's keys, without their secrets.

    Example: holdfast keys list
    """
    caller = caller_of(org)
    page = with_database(lambda db: keys.list_keys(db, caller, Cursor(limit=limit)))
    show_all(
        page.data,
        ["id", "kind", "name", "prefix", "user_id", "agent_id", "created_at", "revoked_at"],
        as_json=as_json,
    )


@keys_app.command("revoke")
def revoke_key(key_id: str, org: Org = None, as_json: AsJson = False) -> None:
    """Revoke a key, immediately and permanently.

    Example: holdfast keys revoke key_0190f5fe7c00700080000000000000aa
    """
    caller = caller_of(org)
    with_database(lambda db: keys.revoke_key(db, caller, key_id))
    show({"revoked": key_id}, as_json=as_json)


# --- users -----------------------------------------------------------------------------------------------------------


@users_app.command("add")
def add_user(
    user_id: str,
    org: Org = None,
    email: Annotated[str | None, typer.Option(help="The address to sign in with.")] = None,
    owner: Annotated[bool, typer.Option("--owner", help="May look after the org.")] = False,
    password: Annotated[
        bool, typer.Option("--password", help="Ask for a password; piped, read a line.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Register a person, or change how they sign in; without a password, prints a one-time link's token.

    Example: holdfast users add ana --email ana@example.com
    """
    caller = caller_of(org)
    secret = _read_password() if password else None

    async def add(db: Database) -> dict[str, object]:
        hashed = await hash_password(secret) if secret is not None else None
        user = await users.put_user(
            db, caller, user_id, email=email, owner=owner or None, password_hash=hashed
        )
        added: dict[str, object] = {"id": user.id, "email": user.email, "owner": user.owner}
        if secret is None:
            added["link_token"] = await access.make_link(db, caller, user_id)
        return added

    show(with_database(add), as_json=as_json)


def _read_password() -> str:
    """Asked for twice on a terminal; the first line of the input otherwise."""
    if sys.stdin.isatty():
        given = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    else:
        given = sys.stdin.readline().rstrip("\r\n")
    check_password_form(given)
    return str(given)


@users_app.command("list")
def list_users(org: Org = None, limit: Limit = MAX_LIMIT, as_json: AsJson = False) -> None:
    """The org's users.

    Example: holdfast users list
    """
    caller = caller_of(org)
    page = with_database(lambda db: users.list_users(db, caller, Cursor(limit=limit)))
    show_all(page.data, ["id", "email", "owner", "totp_enabled", "created_at"], as_json=as_json)


# --- projects, workspaces, agents ------------------------------------------------------------------------------------


@projects_app.command("put")
def put_project(
    project_id: str,
    org: Org = None,
    name: Annotated[str | None, typer.Option()] = None,
    private: Annotated[bool | None, typer.Option("--private/--team")] = None,
    workspace: Annotated[str | None, typer.Option()] = None,
    as_json: AsJson = False,
) -> None:
    """Create a project, or change it.

    Example: holdfast projects put apollo --name Apollo --private
    """
    caller = caller_of(org)
    visibility: Visibility | None = None
    if private is not None:
        visibility = "private" if private else "team"
    project = with_database(
        lambda db: projects.put_project(
            db, caller, project_id, name=name, visibility=visibility, workspace_id=workspace
        )
    )
    show(project, as_json=as_json)


@projects_app.command("add-member")
def add_member(project_id: str, user_id: str, org: Org = None, as_json: AsJson = False) -> None:
    """Add a user to a project.

    Example: holdfast projects add-member apollo ana
    """
    caller = caller_of(org)
    show(
        with_database(lambda db: projects.add_member(db, caller, project_id, user_id)),
        as_json=as_json,
    )


@projects_app.command("remove-member")
def remove_member(project_id: str, user_id: str, org: Org = None, as_json: AsJson = False) -> None:
    """Remove a user from a project.

    Example: holdfast projects remove-member apollo ana
    """
    caller = caller_of(org)
    with_database(lambda db: projects.remove_member(db, caller, project_id, user_id))
    show({"removed": user_id}, as_json=as_json)


@projects_app.command("list")
def list_projects(org: Org = None, limit: Limit = MAX_LIMIT, as_json: AsJson = False) -> None:
    """The org's projects.

    Example: holdfast projects list
    """
    caller = caller_of(org)
    page = with_database(lambda db: projects.list_projects(db, caller, Cursor(limit=limit)))
    show_all(page.data, ["id", "name", "visibility", "members", "created_at"], as_json=as_json)


@workspaces_app.command("put")
def put_workspace(
    workspace_id: str,
    org: Org = None,
    name: Annotated[str | None, typer.Option()] = None,
    as_json: AsJson = False,
) -> None:
    """Create a workspace, or change its name.

    Example: holdfast workspaces put emea --name EMEA
    """
    caller = caller_of(org)
    show(
        with_database(lambda db: workspaces.put_workspace(db, caller, workspace_id, name)),
        as_json=as_json,
    )


@workspaces_app.command("list")
def list_workspaces(org: Org = None, limit: Limit = MAX_LIMIT, as_json: AsJson = False) -> None:
    """The org's workspaces.

    Example: holdfast workspaces list
    """
    caller = caller_of(org)
    page = with_database(lambda db: workspaces.list_workspaces(db, caller, Cursor(limit=limit)))
    show_all(page.data, ["id", "name", "created_at"], as_json=as_json)


@agents_app.command("put")
def put_agent(
    agent_id: str,
    org: Org = None,
    name: Annotated[str | None, typer.Option()] = None,
    project: Annotated[str | None, typer.Option()] = None,
    as_json: AsJson = False,
) -> None:
    """Register an agent in the default workspace, or change it.

    Example: holdfast agents put support --name Support
    """
    caller = caller_of(org)
    show(
        with_database(
            lambda db: agents.put_agent(db, caller, agent_id, name=name, project_id=project)
        ),
        as_json=as_json,
    )


@agents_app.command("list")
def list_agents(org: Org = None, limit: Limit = MAX_LIMIT, as_json: AsJson = False) -> None:
    """The agents of the default workspace.

    Example: holdfast agents list
    """
    caller = caller_of(org)
    page = with_database(lambda db: agents.list_agents(db, caller, Cursor(limit=limit)))
    show_all(page.data, ["id", "name", "workspace_id", "project_id", "created_at"], as_json=as_json)
