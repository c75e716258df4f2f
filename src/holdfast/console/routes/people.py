"""People, agents and projects of the org."""

from fastapi import APIRouter, Response

from holdfast.console.visit import PageRoute, TheVisit
from holdfast.directory import agents, projects, users
from holdfast.directory.model import Visibility
from holdfast.kernel.errors import Malformed

router = APIRouter(route_class=PageRoute, include_in_schema=False)

VISIBILITIES: tuple[Visibility, ...] = ("team", "private")


@router.get("/people", response_model=None)
async def people(visit: TheVisit) -> Response:
    """The people of the org; who does not administer it sees only itself."""
    cursor = visit.cursor(named=True)
    page = await users.list_users(visit.db, visit.caller, cursor)
    return visit.page("org/people.html", users=page.data, pages=visit.pager(page, cursor))


@router.get("/agents", response_model=None)
async def list_agents(visit: TheVisit) -> Response:
    """The agents of the workspace."""
    cursor = visit.cursor(named=True)
    page = await agents.list_agents(visit.db, visit.caller, cursor)
    return visit.page("org/agents.html", agents=page.data, pages=visit.pager(page, cursor))


@router.post("/agents", response_model=None)
async def put_agent(visit: TheVisit) -> Response:
    """Register an agent, or name it."""
    form = visit.form
    await agents.put_agent(
        visit.db,
        visit.caller,
        form.must("agent_id"),
        name=form.text("name"),
        project_id=form.name("project_id"),
    )
    return visit.go("/agents", "saved")


@router.get("/projects", response_model=None)
async def list_projects(visit: TheVisit) -> Response:
    """The projects that the user sees."""
    cursor = visit.cursor(named=True)
    page = await projects.list_projects(visit.db, visit.caller, cursor)
    return visit.page(
        "org/projects.html",
        projects=page.data,
        pages=visit.pager(page, cursor),
        visibilities=VISIBILITIES,
    )


@router.post("/projects", response_model=None)
async def put_project(visit: TheVisit) -> Response:
    """Make a project, or change it."""
    form = visit.form
    await projects.put_project(
        visit.db,
        visit.caller,
        form.must("project_id"),
        name=form.text("name"),
        visibility=form.choice("visibility", VISIBILITIES),
    )
    return visit.go("/projects", "saved")


@router.post("/projects/{project_id}/members", response_model=None)
async def change_members(visit: TheVisit, project_id: str) -> Response:
    """Add a member to a project, or remove one."""
    user_id = visit.form.name("user_id")
    if user_id is None:
        raise Malformed.field("user_id", "name the member")
    if visit.form.flag("remove"):
        await projects.remove_member(visit.db, visit.caller, project_id, user_id)
        return visit.go("/projects", "removed")
    await projects.add_member(visit.db, visit.caller, project_id, user_id)
    return visit.go("/projects", "added")
