"""Projects: where people share memories, who is in them and who sees them."""

from fastapi import APIRouter, Response

from holdfast.console.visit import PageRoute, TheVisit
from holdfast.directory import projects
from holdfast.directory.model import Visibility
from holdfast.kernel.errors import Malformed
from holdfast.kernel.revisions import MAX_VERSION

router = APIRouter(route_class=PageRoute, prefix="/projects", include_in_schema=False)

VISIBILITIES: tuple[Visibility, ...] = ("team", "private")
MEMBERS_SHOWN = 500


@router.get("", response_model=None)
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


@router.post("", response_model=None)
async def make_project(visit: TheVisit) -> Response:
    """Make a project, or change it."""
    form = visit.form
    project_id = form.name("project_id")
    if project_id is None:
        raise Malformed.field("project_id", "name the project")
    await projects.put_project(
        visit.db,
        visit.caller,
        project_id,
        name=form.text("name"),
        visibility=form.choice("visibility", VISIBILITIES),
    )
    return visit.go(f"/projects/{project_id}", "saved")


@router.get("/{project_id}", response_model=None)
async def project(visit: TheVisit, project_id: str) -> Response:
    """One project with its members."""
    found = await projects.read_project(visit.db, visit.caller, project_id)
    return visit.page(
        "org/project.html",
        project=found,
        members=found.members[:MEMBERS_SHOWN],
        may_change=projects.may_change(visit.caller, found),
        visibilities=VISIBILITIES,
    )


@router.post("/{project_id}", response_model=None)
async def change_project(visit: TheVisit, project_id: str) -> Response:
    """Change its name and who sees it, at the version that the form was made from."""
    form = visit.form
    version = form.number("version", 1, MAX_VERSION)
    await projects.put_project(
        visit.db,
        visit.caller,
        project_id,
        name=form.text("name"),
        visibility=form.choice("visibility", VISIBILITIES),
        if_match=None if version is None else [version],
    )
    return visit.go(f"/projects/{project_id}", "saved")


@router.post("/{project_id}/members", response_model=None)
async def change_members(visit: TheVisit, project_id: str) -> Response:
    """Add a member to a project, or remove one."""
    user_id = visit.form.name("user_id")
    if user_id is None:
        raise Malformed.field("user_id", "name the member")
    if visit.form.flag("remove"):
        await projects.remove_member(visit.db, visit.caller, project_id, user_id)
        # A member who leaves a private project does not see its page any more.
        gone = user_id == visit.caller.user_id and not visit.caller.administers
        return visit.go("/projects" if gone else f"/projects/{project_id}", "removed")
    await projects.add_member(visit.db, visit.caller, project_id, user_id)
    return visit.go(f"/projects/{project_id}", "added")
