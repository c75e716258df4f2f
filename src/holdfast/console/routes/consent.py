"""The page on which a person lets an application use their memory (OAuth's authorization endpoint)."""

from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from holdfast.access.oauth import service
from holdfast.access.oauth.model import (
    Application,
    OAuthError,
    Request,
    check_resource,
    check_scope,
)
from holdfast.console import render
from holdfast.console.fields import Fields
from holdfast.console.visit import PageRoute, TheVisit, Visit
from holdfast.edge.base_url import base_url
from holdfast.kernel.errors import Malformed

router = APIRouter(route_class=PageRoute, prefix="/oauth", include_in_schema=False)

ASKED = (
    "response_type",
    "client_id",
    "redirect_uri",
    "state",
    "scope",
    "resource",
    "code_challenge",
    "code_challenge_method",
)
MAX_CHALLENGE_CHARS, MAX_STATE_CHARS = 128, 2_000


@router.get("/authorize", response_model=None)
async def ask(visit: TheVisit) -> Response:
    """Show who asks for what, with a button for each answer."""
    application, redirect_uri = _application(visit.query)
    try:
        asked = _read(visit, visit.query, application, redirect_uri)
    except OAuthError as error:
        return _back(visit, redirect_uri, visit.query.raw("state"), error=error.error)
    page = visit.page(
        "consent.html",
        application=application,
        host=urlsplit(redirect_uri).netloc,
        read_only=asked.read_only,
        asked={name: visit.query.raw(name) for name in ASKED if visit.query.raw(name)},
    )
    # Browsers apply form-action to where the answer of a form leads, too.
    origin = f"{urlsplit(redirect_uri).scheme}://{urlsplit(redirect_uri).netloc}"
    policy = render.POLICY.replace("form-action 'self'", f"form-action 'self' {origin}")
    page.headers["Content-Security-Policy"] = policy
    return page


@router.post("/authorize", response_model=None)
async def answer(visit: TheVisit) -> Response:
    """Send the person back to the application: with a code, or with the refusal."""
    form = visit.form
    application, redirect_uri = _application(form)
    state = form.raw("state")
    if form.raw("decision") not in ("allow", "read"):
        return _back(visit, redirect_uri, state, error="access_denied")
    try:
        asked = _read(visit, form, application, redirect_uri)
    except OAuthError as error:
        return _back(visit, redirect_uri, state, error=error.error)
    read_only = asked.read_only or form.raw("decision") == "read"
    if not read_only and not visit.caller.stepped_up:
        # By way of this page again: only its own form may lead to another site.
        again = {name: form.raw(name) for name in ASKED if form.raw(name)}
        return visit.go("/step-up", next=f"{visit.path}?{urlencode(again)}")
    code = await service.consent(visit.db, visit.caller, asked, read_only=read_only)
    return _back(visit, redirect_uri, state, code=code)


def _application(fields: Fields) -> tuple[Application, str]:
    """Who asks, and where to send the answer. While that is not certain, nobody is sent anywhere."""
    try:
        application = Application.of(fields.raw("client_id"))
    except OAuthError as error:
        raise Malformed(f"client_id: {error.description}") from None
    redirect_uri = fields.raw("redirect_uri")
    if not application.accepts(redirect_uri):
        raise Malformed("redirect_uri: is none that this application has registered")
    return application, redirect_uri


def _read(visit: Visit, fields: Fields, application: Application, redirect_uri: str) -> Request:
    challenge, state = fields.raw("code_challenge"), fields.raw("state")
    if fields.raw("response_type") != "code":
        raise OAuthError("unsupported_response_type", "response_type: code")
    if (
        fields.raw("code_challenge_method") != "S256"
        or not 43 <= len(challenge) <= MAX_CHALLENGE_CHARS
    ):
        raise OAuthError("invalid_request", "code_challenge: PKCE with S256 is required")
    if len(state) > MAX_STATE_CHARS:
        raise OAuthError("invalid_request", "state: too long")
    return Request(
        application,
        redirect_uri,
        state or None,
        challenge,
        check_scope(fields.raw("scope") or None),
        check_resource(fields.raw("resource") or None, base_url(visit.request)),
    )


def _back(visit: Visit, redirect_uri: str, state: str, **answer: str) -> Response:
    """Send the browser back to the application, with the name of this server (RFC 9207)."""
    given = {**answer, "iss": base_url(visit.request), **({"state": state} if state else {})}
    between = "&" if urlsplit(redirect_uri).query else "?"
    return RedirectResponse(f"{redirect_uri}{between}{urlencode(given)}", 303)
