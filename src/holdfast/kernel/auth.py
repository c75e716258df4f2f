"""Authentication: an API key or a session cookie becomes a Caller.

Keys and cookies are 256 random bits, so their plain SHA-256 is stored. Before the org is known, row-level security lets a
transaction read only the row of `api_keys` or `browser_sessions` whose digest it presents.
"""

import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256

from holdfast.kernel import clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import Malformed, NotFound, ScopeDenied, Unauthenticated
from holdfast.kernel.ids import is_client_id
from holdfast.kernel.key_cache import Asked, KeyCache, KnownKey
from holdfast.kernel.sql import load

queries = load(__file__, "auth.sql")

STEP_UP_LASTS = timedelta(minutes=10)
BROWSER_SESSION_LASTS = timedelta(days=7)
DEFAULT_WORKSPACE = "default"


def digest_of(secret: str) -> str:
    """The SHA-256 of a key, cookie or link, as it is stored."""
    return sha256(secret.encode()).hexdigest()


def new_key(*, test: bool = False) -> str:
    """A new random API key."""
    return f"hf_{'test' if test else 'live'}_{secrets.token_urlsafe(32)}"


def visible_prefix(key: str) -> str:
    """The first characters of a key, shown in lists so that people can tell keys apart."""
    return key[:12]


@dataclass(frozen=True, slots=True)
class Claims:
    """The credential of a request and the headers that choose a user and a workspace."""

    key: str | None = None
    cookie: str | None = None
    user: str | None = None
    workspace: str | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A signed-in browser."""

    org_id: str
    digest: str
    user_id: str
    owner: bool
    csrf_token: str
    stepped_up_at: datetime | None
    expires_at: datetime
    workspace_known: bool

    @property
    def step_up_expires_at(self) -> datetime | None:
        """When the last step-up expires; None without one."""
        return None if self.stepped_up_at is None else self.stepped_up_at + STEP_UP_LASTS


@dataclass(frozen=True, slots=True)
class Identified:
    """A Caller, its rate limit, and its browser session where it has one (the edge checks CSRF)."""

    caller: Caller
    requests_per_minute: int | None = None
    session: BrowserSession | None = None


async def identify(db: Database, claims: Claims) -> Identified:
    """The Caller of a request; raises Unauthenticated for a missing, unknown, expired or revoked credential."""
    for name, value in (("Holdfast-User", claims.user), ("Holdfast-Workspace", claims.workspace)):
        if value is not None and not is_client_id(value):
            raise Malformed(f"{name}: 1–128 characters of A–Z a–z 0–9 _ . : @ -")
    if claims.key is not None:
        return await _by_key(db, claims, claims.key)
    if claims.cookie is not None:
        return await _by_cookie(db, claims, claims.cookie)
    raise Unauthenticated("send an API key as `Authorization: Bearer hf_live_…`, or sign in")


async def _by_key(db: Database, claims: Claims, key: str) -> Identified:
    known = await db.services.get(KeyCache).look_up(
        db, Asked(digest_of(key), claims.user, claims.workspace)
    )
    if known is None:
        raise Unauthenticated("this API key is not known here")
    if known.revoked_at is not None:
        raise Unauthenticated("this API key was revoked")
    if known.expires_at is not None and known.expires_at <= clock.now():
        raise Unauthenticated("this API key has expired")

    caller = Caller(
        org_id=known.org_id,
        credential=known.kind,
        credential_id=known.id,
        workspace_id=_workspace(claims, known),
        user_id=known.user_id,
        agent_id=known.agent_id,
        request_id=claims.request_id,
        owner=known.acts_for_owner and known.kind != "agent",
        read_only=known.read_only,
    )
    if known.kind == "service":
        user_id = claims.user or known.user_id or known.owner_id
        caller = replace(
            caller, user_id=user_id, user_is_new=claims.user is not None and not known.user_known
        )
    elif claims.user is not None and claims.user != known.user_id:
        raise ScopeDenied("Holdfast-User names another user than this key's")
    return Identified(caller, requests_per_minute=known.requests_per_minute)


def _workspace(claims: Claims, key: KnownKey) -> str:
    """The active workspace: the key's own (for an agent key its agent's), else the one in the header, else `default`."""
    bound = key.agent_workspace_id if key.kind == "agent" else key.workspace_id
    if claims.workspace is None:
        return bound or DEFAULT_WORKSPACE
    if bound is not None and claims.workspace != bound:
        raise ScopeDenied("Holdfast-Workspace names another workspace than this key's")
    if not key.workspace_known:
        raise NotFound(f"there is no workspace {claims.workspace!r}")
    return claims.workspace


async def _by_cookie(db: Database, claims: Claims, cookie: str) -> Identified:
    session = await find_browser_session(db, cookie, workspace=claims.workspace)
    if claims.workspace is not None and not session.workspace_known:
        raise NotFound(f"there is no workspace {claims.workspace!r}")
    if claims.user is not None and claims.user != session.user_id:
        raise ScopeDenied("Holdfast-User names another user than the one signed in")
    until = session.step_up_expires_at
    caller = Caller(
        org_id=session.org_id,
        credential="session",
        credential_id=session.digest[:32],
        workspace_id=claims.workspace or DEFAULT_WORKSPACE,
        user_id=session.user_id,
        request_id=claims.request_id,
        owner=session.owner,
        stepped_up=until is not None and until > clock.now(),
    )
    return Identified(caller, session=session)


async def find_browser_session(
    db: Database, cookie: str, *, workspace: str | None = None
) -> BrowserSession:
    """The browser session of a cookie; raises Unauthenticated for an unknown or expired one."""
    found = await db.prove(
        BrowserSession, queries.find_browser_session, digest_of(cookie), workspace=workspace
    )
    if not found or found[0].expires_at <= clock.now():
        raise Unauthenticated("the session is over; sign in again")
    return found[0]
