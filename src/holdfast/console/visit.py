"""One request of a page: who is signed in, what was sent, and how it is answered.

PageRoute   identifies the browser's session (never an API key), checks the CSRF token of a form, and answers every failure
            with a page: not signed in leads to the sign-in page, a missing step-up to the page that asks for it
Visit       what a page's function gets
"""

import hmac
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from holdfast.console import render
from holdfast.console.fields import TOKEN, Fields
from holdfast.console.navigation import NAVIGATION, NOTICES
from holdfast.conversations.backends import Backends
from holdfast.edge.json_body import read_body
from holdfast.edge.problems import as_holdfast_error, request_id_of
from holdfast.edge.route import CLIENT_NAMES, COOKIE, SAFE_METHODS
from holdfast.kernel import auth, time_limit
from holdfast.kernel.auth import BrowserSession
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import (
    CsrfRefused,
    HoldfastError,
    Invalid,
    Malformed,
    NotFound,
    StepUpRequired,
    Unauthenticated,
)
from holdfast.kernel.ids import is_client_id, is_made_id
from holdfast.kernel.limits import MAX_BODY_BYTES
from holdfast.kernel.pages import Cursor, Page
from holdfast.memories.assets.objects import ObjectStore

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
PAGE_LIMIT = 25


@dataclass(frozen=True, slots=True)
class Pager:
    """Links to the pages around the one that is shown."""

    newer: str | None
    older: str | None


@dataclass(frozen=True, slots=True)
class Visit:
    """A request by somebody who is signed in."""

    request: Request
    caller: Caller
    session: BrowserSession
    query: Fields
    form: Fields

    @property
    def db(self) -> Database:
        """The database of this app."""
        db: Database = self.request.app.state.db
        return db

    @property
    def backends(self) -> Backends:
        """What conversations stand on."""
        backends: Backends = self.request.app.state.conversations
        return backends

    @property
    def assets(self) -> ObjectStore:
        """Where the bytes of assets are kept."""
        store: ObjectStore = self.request.app.state.assets
        return store

    @property
    def path(self) -> str:
        """The path of this page."""
        return self.request.url.path

    def link(self, path: str | None = None, **changes: str | None) -> str:
        """This page's address with other query parameters, or that of another page."""
        kept = (
            {}
            if path is not None
            else {name: values[0] for name, values in self.query.values.items()}
        )
        wanted = {name: value for name, value in {**kept, **changes}.items() if value}
        wanted.pop("notice", None)
        return (path or self.path) + (f"?{urlencode(wanted)}" if wanted else "")

    def page(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """A page for the one who is signed in."""
        return render.page(
            template,
            status,
            visit=self,
            query=self.query,
            path=self.path,
            csrf=self.session.csrf_token,
            navigation=NAVIGATION,
            notice=NOTICES.get(self.query.raw("notice")),
            **values,
        )

    def go(self, path: str, notice: str | None = None, **parameters: str | None) -> Response:
        """Show another page after a change, with a word about what was done."""
        wanted = {name: value for name, value in {**parameters, "notice": notice}.items() if value}
        between = "&" if "?" in path else "?"
        return RedirectResponse(path + (f"{between}{urlencode(wanted)}" if wanted else ""), 303)

    def cursor(self, limit: int = PAGE_LIMIT, *, named: bool = False) -> Cursor:
        """The page of a list that is asked for; `named` where its ids are names that clients chose."""
        after, before = self.query.text("after_id"), self.query.text("before_id")
        for given in (after, before):
            if given is not None and not (is_client_id(given) if named else is_made_id(given)):
                raise Malformed("after_id, before_id: this is not an id of this list")
        return Cursor(limit, after, before)

    def pager(self, page: Page[Any], cursor: Cursor) -> Pager:
        """Links to the page before and the page after."""
        back = cursor.before_id is not None
        has_newer = page.has_more if back else cursor.after_id is not None
        has_older = back or page.has_more
        return Pager(
            newer=self.link(before_id=page.first_id, after_id=None)
            if has_newer and page.data
            else None,
            older=self.link(after_id=page.last_id, before_id=None)
            if has_older and page.data
            else None,
        )

    def speaking_as(self, agent_id: str | None) -> Caller:
        """The caller, for an agent where one is named."""
        return self.caller if agent_id is None else self.caller.speaking_as(agent_id)


async def the_visit(request: Request) -> Visit:
    """The request, once its session is known."""
    visit: Visit = request.state.visit
    return visit


TheVisit = Annotated[Visit, Depends(the_visit)]


class PageRoute(APIRoute):
    """A page for somebody who is signed in."""

    def get_route_handler(self) -> Handler:
        """The page's function, wrapped."""
        answer = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                with time_limit.one_call():
                    request.state.visit = await enter(request)
                    _check_path(request)
                    return await answer(request)
            except Exception as error:  # every failure gets a page
                return _refused(request, as_holdfast_error(error))

        return handle


class OpenPageRoute(APIRoute):
    """A page for anyone."""

    def get_route_handler(self) -> Handler:
        """The page's function, wrapped."""
        answer = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                with time_limit.one_call():
                    return await answer(request)
            except Exception as error:  # every failure gets a page
                refusal = as_holdfast_error(error)
                return render.page("outside/refused.html", refusal.status, error=refusal)

        return handle


async def enter(request: Request) -> Visit:
    """Find the session of a request and read its form; refuses a form without the session's token."""
    db: Database = request.app.state.db
    cookie = request.cookies.get(COOKIE)
    if cookie is None:
        raise Unauthenticated("sign in to see this page")
    claims = auth.Claims(cookie=cookie, request_id=request_id_of(request))
    identified = await auth.identify(db, claims)
    if identified.session is None:
        raise Unauthenticated("sign in to see this page")
    request.scope["holdfast.caller"] = identified.caller
    visit = Visit(
        request, identified.caller, identified.session, Fields.parse(request.url.query), Fields({})
    )
    request.state.visit = visit  # a refusal of the form is answered on a page of this user
    if request.method in SAFE_METHODS:
        return visit
    form = await read_form(request)
    token = identified.session.csrf_token
    if not hmac.compare_digest(form.raw(TOKEN).encode(), token.encode()):
        raise CsrfRefused(
            "this form was not made for your session: open the page again and repeat it"
        )
    return replace(visit, form=form)


async def read_form(request: Request) -> Fields:
    """The form of a request from one of our own pages."""
    must_be_same_site(request)
    body = await read_body(request, MAX_BODY_BYTES)
    try:
        return Fields.parse(body.decode())
    except UnicodeDecodeError:
        raise Malformed("the form is not UTF-8") from None


def must_be_same_site(request: Request) -> None:
    """Refuse a form that another site sends; browsers say where a request comes from."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise CsrfRefused("this form is on another site")


def local_path(text: str | None) -> str:
    """A path of this site to go to; `/` where the text is anything else."""
    given = text or "/"
    is_local = given.startswith("/") and not given.startswith(("//", "/\\"))
    return given if is_local and given.isprintable() else "/"


def _check_path(request: Request) -> None:
    for name, value in request.path_params.items():
        if "\0" in value or (name in CLIENT_NAMES and not is_client_id(value)):
            raise NotFound(f"there is no such {name.removesuffix('_id')}")


def _refused(request: Request, error: HoldfastError) -> Response:
    visit: Visit | None = getattr(request.state, "visit", None)
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    if visit is None or isinstance(error, Unauthenticated):
        if not isinstance(error, Unauthenticated):
            return render.page("outside/refused.html", error.status, error=error)
        then = here if request.method in SAFE_METHODS else "/"
        return RedirectResponse(f"/sign-in?{urlencode({'next': then})}", 303)
    if isinstance(error, StepUpRequired):
        if request.method in SAFE_METHODS:
            return visit.go("/step-up", next=here)
        return visit.page(
            "step_up.html", status=403, then=here, kept=visit.form.typed(), next="/", problem=None
        )
    response = visit.page(
        "refused.html",
        status=error.status,
        error=error,
        errors=error.errors if isinstance(error, Invalid) else [],
        is_form=request.method not in SAFE_METHODS,
        typed=visit.form.shown(),
        request_id=request_id_of(request),
    )
    if error.retry_after_s is not None:
        response.headers["Retry-After"] = str(error.retry_after_s)
    return response
