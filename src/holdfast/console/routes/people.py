"""People: who is in the org, what each may do, adding somebody and ending an account."""

from fastapi import APIRouter, Response

from holdfast.access import service as access
from holdfast.console.visit import PageRoute, TheVisit, Visit
from holdfast.directory import users
from holdfast.directory.model import Role, User
from holdfast.directory.people import service
from holdfast.edge.base_url import base_url
from holdfast.kernel.errors import Malformed
from holdfast.kernel.limits import at_most_chars
from holdfast.kernel.revisions import MAX_VERSION

router = APIRouter(route_class=PageRoute, prefix="/people", include_in_schema=False)

ROLES: tuple[Role, ...] = ("member", "owner")
MAX_EMAIL_CHARS = 320


@router.get("", response_model=None)
async def people(visit: TheVisit) -> Response:
    """The people of the org; who does not administer it sees only itself."""
    return await _list(visit, None, None)


@router.post("", response_model=None)
async def add_person(visit: TheVisit) -> Response:
    """Register a person and show a link that signs them in, this once (needs step-up)."""
    form = visit.form
    user_id = form.name("user_id")
    if user_id is None:
        raise Malformed.field("user_id", "name the person")
    visit.caller.must_administer("changing users")
    visit.caller.must_have_stepped_up()  # the link signs in whoever opens it
    role = form.choice("role", ROLES) or "member"
    added = await service.create_user(
        visit.db, visit.caller, user_id, email=_email(visit), role=role
    )
    token = await access.make_link(visit.db, visit.caller, user_id)
    return await _list(visit, added, f"{base_url(visit.request)}/sign-in?link={token}")


@router.get("/{user_id}", response_model=None)
async def person(visit: TheVisit, user_id: str) -> Response:
    """One person: how they sign in, and what they may do."""
    found = await service.read_user(visit.db, visit.caller, user_id)
    return visit.page("org/person.html", user=found, roles=ROLES)


@router.post("/{user_id}", response_model=None)
async def change_person(visit: TheVisit, user_id: str) -> Response:
    """Change the e-mail address and the role at the version that the form was made from."""
    await service.change_user(
        visit.db,
        visit.caller,
        user_id,
        email=_email(visit),
        sets_email=True,
        role=visit.form.choice("role", ROLES),
        if_match=_version(visit),
    )
    return visit.go(f"/people/{user_id}", "saved")


@router.post("/{user_id}/deactivate", response_model=None)
async def deactivate_person(visit: TheVisit, user_id: str) -> Response:
    """End an account with its keys and browsers; the person's memory stays until they are erased."""
    await service.delete_user(visit.db, visit.caller, user_id, if_match=_version(visit))
    return visit.go("/people", "deactivated")


def _email(visit: Visit) -> str | None:
    at_most_chars(visit.form.raw("email"), MAX_EMAIL_CHARS, what="the e-mail address")
    return visit.form.text("email")


def _version(visit: Visit) -> list[int] | None:
    version = visit.form.number("version", 1, MAX_VERSION)
    return None if version is None else [version]


async def _list(visit: Visit, added: User | None, link: str | None) -> Response:
    cursor = visit.cursor(named=True)
    page = await users.list_users(visit.db, visit.caller, cursor)
    return visit.page(
        "org/people.html",
        users=page.data,
        pages=visit.pager(page, cursor),
        roles=ROLES,
        added=added,
        link=link,
    )
