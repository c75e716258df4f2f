"""Signing in, and keys, over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from holdfast.access import keys, service
from holdfast.access.model import MAX_PASSWORD_CHARS, ApiKey, NewKey, SignedIn, TotpEnrolment
from holdfast.edge.client_address import client_address
from holdfast.edge.openapi import BROWSER_ONLY
from holdfast.edge.route import COOKIE, ApiRoute, OpenRoute, SecretApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body, page_cursor
from holdfast.kernel.auth import BROWSER_SESSION_LASTS, BrowserSession
from holdfast.kernel.clock import Instant
from holdfast.kernel.errors import StepUpRequired, Unauthenticated
from holdfast.kernel.ids import ClientId
from holdfast.kernel.key_cache import KeyKind
from holdfast.kernel.pages import Cursor, Page

open_router = APIRouter(route_class=OpenRoute, tags=["access"])
OPEN = {"x-open": True}  # the document asks for no key here (edge/openapi.py)
BROWSER = {BROWSER_ONLY: True}
router = APIRouter(route_class=ApiRoute, tags=["access"])
secret_router = APIRouter(route_class=SecretApiRoute, tags=["access"])


class Login(Body):
    """An account's proof."""

    email: str = Field(max_length=320, examples=["ana@example.com"])
    password: str = Field(max_length=MAX_PASSWORD_CHARS, examples=["correct horse battery staple"])
    totp: str | None = Field(None, max_length=16)


class LinkLogin(Body):
    """The token of a one-time link."""

    token: str = Field(max_length=256, examples=["pWd3Vq0mEtIYxCB5p4pZQvZwqR1mY2yq3dGk0sXh7aU"])


class StepUp(Body):
    """The password or a code, given again."""

    password: str | None = Field(
        None, max_length=MAX_PASSWORD_CHARS, examples=["correct horse battery staple"]
    )
    totp: str | None = Field(None, max_length=16)


class NewPassword(Body):
    """A password to set."""

    password: str = Field(max_length=MAX_PASSWORD_CHARS, examples=["correct horse battery staple"])


class Code(Body):
    """A code of the authenticator app."""

    totp: str = Field(max_length=16, examples=["123456"])


class KeyCreate(Body):
    """The key to mint."""

    kind: KeyKind = Field(examples=["agent"])
    name: str | None = Field(None, max_length=255, examples=["support bot, production"])
    user_id: ClientId | None = None
    agent_id: ClientId | None = Field(None, examples=["support"])
    workspace_id: ClientId | None = None
    requests_per_minute: int | None = Field(None, ge=1, le=1_000_000)
    expires_at: Instant | None = None


async def the_browser_session(request: Request) -> BrowserSession:
    """The caller's browser session; an API key has none."""
    session: BrowserSession | None = request.state.identified.session
    if session is None:
        raise StepUpRequired("this is for a signed-in browser; an API key cannot do it")
    return session


TheSession = Annotated[BrowserSession, Depends(the_browser_session)]


@open_router.post("/auth/login", operation_id="auth.login", openapi_extra=OPEN)
async def login(body: Login, request: Request, response: Response, db: TheDatabase) -> SignedIn:
    """Sign in with a password (and a TOTP code where the account has one); sets the session cookie."""
    opened = await service.sign_in(
        db,
        email=body.email,
        password=body.password,
        totp=body.totp,
        address=client_address(request),
    )
    return with_cookie(request, response, opened)


@open_router.post("/auth/link", operation_id="auth.login_by_link", openapi_extra=OPEN)
async def login_by_link(
    body: LinkLogin, request: Request, response: Response, db: TheDatabase
) -> SignedIn:
    """Sign in with a one-time link; sets the session cookie."""
    return with_cookie(request, response, await service.sign_in_by_link(db, body.token))


@open_router.get(
    "/auth/session",
    operation_id="auth.session",
    openapi_extra={**OPEN, "security": [{"session": []}]},
)
async def get_session(request: Request, db: TheDatabase) -> SignedIn:
    """The user who is signed in at this browser."""
    cookie = request.cookies.get(COOKIE)
    if cookie is None:
        raise Unauthenticated("nobody is signed in")
    return await service.read_session(db, cookie)


@secret_router.post("/auth/step-up", operation_id="auth.step_up", openapi_extra=BROWSER)
async def step_up(body: StepUp, request: Request, session: TheSession, db: TheDatabase) -> SignedIn:
    """Step up: give the password or a TOTP code again; valid for ten minutes."""
    return await service.step_up(
        db, session, password=body.password, totp=body.totp, address=client_address(request)
    )


@router.post("/auth/logout", operation_id="auth.logout", status_code=204, openapi_extra=BROWSER)
async def logout(response: Response, session: TheSession, db: TheDatabase) -> None:
    """End this browser's session."""
    await service.sign_out(db, session)
    response.delete_cookie(COOKIE)


@router.post(
    "/auth/password", operation_id="auth.set_password", status_code=204, openapi_extra=BROWSER
)
async def set_password(
    body: NewPassword, caller: TheCaller, session: TheSession, db: TheDatabase
) -> None:
    """Set the password: the first freely, a later one after a step-up."""
    await service.set_password(db, caller, session, body.password)


@secret_router.post("/auth/totp", operation_id="auth.propose_totp", openapi_extra=BROWSER)
async def propose_totp(caller: TheCaller, db: TheDatabase) -> TotpEnrolment:
    """Begin TOTP enrolment: a secret for an authenticator app (needs step-up)."""
    return await service.propose_totp(db, caller)


@router.post(
    "/auth/totp/confirm", operation_id="auth.confirm_totp", status_code=204, openapi_extra=BROWSER
)
async def confirm_totp(body: Code, caller: TheCaller, db: TheDatabase) -> None:
    """Turn TOTP on with a first code (needs step-up)."""
    await service.confirm_totp(db, caller, body.totp)


@router.delete("/auth/totp", operation_id="auth.drop_totp", status_code=204, openapi_extra=BROWSER)
async def drop_totp(caller: TheCaller, db: TheDatabase) -> None:
    """Turn TOTP off (needs step-up)."""
    await service.drop_totp(db, caller)


@secret_router.post("/keys", operation_id="auth.create_key", status_code=201, openapi_extra=BROWSER)
async def create_key(body: KeyCreate, caller: TheCaller, db: TheDatabase) -> NewKey:
    """Create an API key, which is shown only in this answer (needs step-up)."""
    return await keys.create_key(
        db,
        caller,
        body.kind,
        name=body.name,
        user_id=body.user_id,
        agent_id=body.agent_id,
        workspace_id=body.workspace_id,
        requests_per_minute=body.requests_per_minute,
        expires_at=body.expires_at,
    )


@router.get("/keys", operation_id="directory.list_keys")
async def list_keys(
    cursor: Annotated[Cursor, Depends(page_cursor)], caller: TheCaller, db: TheDatabase
) -> Page[ApiKey]:
    """API keys, newest first, without their secrets."""
    return await keys.list_keys(db, caller, cursor)


@router.delete(
    "/keys/{key_id}", operation_id="auth.revoke_key", status_code=204, openapi_extra=BROWSER
)
async def delete_key(key_id: str, caller: TheCaller, db: TheDatabase) -> None:
    """Revoke a key, at once (needs step-up)."""
    await keys.revoke_key(db, caller, key_id)


def with_cookie(request: Request, response: Response, opened: service.Opened) -> SignedIn:
    """Set the cookie of a session that was just opened."""
    response.set_cookie(
        COOKIE,
        opened.cookie,
        max_age=int(BROWSER_SESSION_LASTS.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=request.app.state.cookie_secure,
        path="/",
    )
    return opened.signed_in
