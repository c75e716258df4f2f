"""Signing in and out: by password, by a one-time link, and the files that every page loads."""

from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from holdfast.access import service
from holdfast.access.model import MAX_PASSWORD_CHARS
from holdfast.access.routes import with_cookie
from holdfast.console import render
from holdfast.console.fields import CODE, PASSWORD, THEN, Fields
from holdfast.console.link_previews import is_opened_by_a_person
from holdfast.console.navigation import NOTICES
from holdfast.console.visit import OpenPageRoute, PageRoute, TheVisit, Visit, local_path, read_form
from holdfast.edge.client_address import client_address
from holdfast.edge.route import COOKIE
from holdfast.kernel.errors import Invalid, NotFound, RateLimited, Unauthenticated
from holdfast.kernel.limits import at_most_chars

open_router = APIRouter(route_class=OpenPageRoute, include_in_schema=False)
router = APIRouter(route_class=PageRoute, include_in_schema=False)


@open_router.get("/console/{digest}/{name}", response_model=None)
async def get_asset(digest: str, name: str) -> Response:
    """A stylesheet or script; kept by browsers, since a changed file has another path."""
    if name not in render.ASSETS or render.asset_path(name) != f"/console/{digest}/{name}":
        raise NotFound("there is nothing at this path")
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(render.asset(name), media_type=render.ASSETS[name], headers=headers)


@open_router.get("/sign-in", response_model=None)
async def sign_in_page(
    request: Request, link: str | None = None, next: str = "/", notice: str = ""
) -> Response:
    """The form to sign in with; a one-time link signs in whoever opens it, and shows a button to what only looks ahead."""
    if link is None:
        return _form(next=local_path(next), notice=NOTICES.get(notice))
    if not is_opened_by_a_person(request.headers):
        return render.page("outside/link.html", link=link)
    return await _use_link(request, link)


@open_router.post("/sign-in", response_model=None)
async def sign_in(request: Request) -> Response:
    """The form, or the button of a one-time link."""
    form = await read_form(request)
    if "link" in form.values:
        return await _use_link(request, form.raw("link"))
    email, password = form.raw("email"), form.raw("password")
    at_most_chars(email, 320, what="the e-mail address")
    at_most_chars(password, MAX_PASSWORD_CHARS, what="the password")
    then = local_path(form.raw("next"))
    try:
        opened = await service.sign_in(
            request.app.state.db,
            email=email,
            password=password,
            totp=form.text("totp"),
            address=client_address(request),
        )
    except (Unauthenticated, RateLimited) as error:
        asks_code = bool(error.facts.get("totp_required"))
        return _form(
            error.status, next=then, email=email, problem=error.detail, asks_code=asks_code
        )
    return _signed_in(request, opened, then)


@router.post("/sign-out", response_model=None)
async def sign_out(visit: TheVisit) -> Response:
    """End this browser's session."""
    await service.sign_out(visit.db, visit.session)
    response = visit.go("/sign-in", "signed_out")
    response.delete_cookie(COOKIE)
    return response


@router.get("/step-up", response_model=None)
async def step_up_page(visit: TheVisit) -> Response:
    """Asks for the password or a code again."""
    return _step_up(visit, None)


@router.post("/step-up", response_model=None)
async def step_up(visit: TheVisit) -> Response:
    """Check it, then do what was asked for: a form that needed the step-up is sent on to where it was going."""
    form, code = visit.form, visit.form.text(CODE)
    password = None if code else form.raw(PASSWORD)
    at_most_chars(password or "", MAX_PASSWORD_CHARS, what="the password")
    try:
        await service.step_up(
            visit.db,
            visit.session,
            password=password,
            totp=code,
            address=client_address(visit.request),
        )
    except (Unauthenticated, RateLimited, Invalid) as error:
        return _step_up(visit, error.detail, error.status)
    then = form.text(THEN)
    if then is not None:
        return RedirectResponse(local_path(then), 307)  # the browser sends the same form there
    return visit.go(local_path(form.raw("next")), "stepped_up")


def _step_up(visit: Visit, problem: str | None, status: int = 200) -> Response:
    form = visit.form
    then = form.text(THEN)
    return visit.page(
        "step_up.html",
        status=status,
        then=None if then is None else local_path(then),
        kept=Fields(form.values).typed() if then else {},
        next=local_path(form.text("next") or visit.query.text("next")),
        problem=problem,
    )


def _form(
    status: int = 200,
    *,
    next: str,
    email: str = "",
    problem: str | None = None,
    asks_code: bool = False,
    notice: str | None = None,
) -> Response:
    return render.page(
        "outside/sign_in.html",
        status,
        next=next,
        email=email,
        problem=problem,
        asks_code=asks_code,
        notice=notice,
    )


async def _use_link(request: Request, token: str) -> Response:
    try:
        opened = await service.sign_in_by_link(request.app.state.db, token)
    except Unauthenticated as error:
        return render.page("outside/link_refused.html", 401, detail=error.detail)
    return _signed_in(request, opened, "/")


def _signed_in(request: Request, opened: service.Opened, then: str) -> Response:
    response = RedirectResponse(then, 303)
    with_cookie(request, response, opened)
    return response


def link_page(link: str) -> Response:
    """To the page that uses a one-time link."""
    return RedirectResponse(f"/sign-in?{urlencode({'link': link})}", 303)
