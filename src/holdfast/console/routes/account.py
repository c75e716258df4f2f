"""The account of whoever is signed in: password and codes."""

from fastapi import APIRouter, Response

from holdfast.access import service
from holdfast.access.model import MAX_PASSWORD_CHARS
from holdfast.console.visit import PageRoute, TheVisit
from holdfast.directory import users
from holdfast.kernel.errors import Invalid
from holdfast.kernel.limits import at_most_chars

router = APIRouter(route_class=PageRoute, prefix="/account", include_in_schema=False)


@router.get("", response_model=None)
async def account(visit: TheVisit) -> Response:
    """Who is signed in, and how."""
    return visit.page(
        "account.html", me=await users.read_me(visit.db, visit.caller), enrolment=None
    )


@router.post("/password", response_model=None)
async def set_password(visit: TheVisit) -> Response:
    """Set the password: the first freely, a later one after a step-up."""
    password, again = visit.form.raw("password"), visit.form.raw("again")
    at_most_chars(password, MAX_PASSWORD_CHARS, what="the password")
    if password != again:
        raise Invalid.field("password", "the two are not the same")
    await service.set_password(visit.db, visit.caller, visit.session, password)
    return visit.go("/account", "password")


@router.post("/insights", response_model=None)
async def set_insights(visit: TheVisit) -> Response:
    """Turn the capture of insights about oneself on or off."""
    await users.change_me(visit.db, visit.caller, insight_capture=visit.form.flag("capture"))
    return visit.go("/account", "saved")


@router.post("/totp", response_model=None)
async def propose_totp(visit: TheVisit) -> Response:
    """A secret for an authenticator app, shown once."""
    enrolment = await service.propose_totp(visit.db, visit.caller)
    me = await users.read_me(visit.db, visit.caller)
    return visit.page("account.html", me=me, enrolment=enrolment)


@router.post("/totp/confirm", response_model=None)
async def confirm_totp(visit: TheVisit) -> Response:
    """Turn codes on with a first one."""
    await service.confirm_totp(visit.db, visit.caller, visit.form.must("code"))
    return visit.go("/account", "totp_on")


@router.post("/totp/off", response_model=None)
async def drop_totp(visit: TheVisit) -> Response:
    """Turn codes off."""
    await service.drop_totp(visit.db, visit.caller)
    return visit.go("/account", "totp_off")
