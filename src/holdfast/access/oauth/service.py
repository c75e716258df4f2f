"""Consent into a code, a code into tokens, a refresh token into the next ones, and the end of a grant."""

import base64
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from holdfast.access.oauth.model import (
    ACCESS_LASTS,
    CODE_LASTS,
    CODE_PREFIX,
    REFRESH_LASTS,
    REFRESH_PREFIX,
    OAuthError,
    Request,
    Tokens,
)
from holdfast.access.service import queries as access_queries
from holdfast.kernel import metrics
from holdfast.kernel.auth import DEFAULT_WORKSPACE, digest_of, new_key, visible_prefix
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.ids import is_id, new_id
from holdfast.kernel.key_cache import Asked, KeyCache
from holdfast.kernel.sql import load

queries = load(__file__)


@dataclass(frozen=True, slots=True)
class Grant:
    """One consent, as its row is."""

    id: str
    user_id: str
    client_id: str
    client_name: str
    redirect_uri: str
    resource: str
    read_only: bool
    code_digest: str
    code_challenge: str
    code_expires_at: datetime
    code_used_at: datetime | None
    key_id: str | None
    refresh_digest: str | None
    refresh_expires_at: datetime | None
    used_digests: list[str]
    ended_at: datetime | None
    key_revoked: bool


async def consent(db: Database, caller: Caller, asked: Request, *, read_only: bool) -> str:
    """Grant what was asked for (or only reading of it): the code. More than reading needs a fresh step-up."""
    read_only = read_only or asked.read_only
    if not read_only:
        caller.must_have_stepped_up()
    grant_id, secret = new_id("grant"), secrets.token_urlsafe(32)
    async with db.begin(caller) as tx:
        await tx.run(
            queries.open_grant,
            id=grant_id,
            user_id=caller.must_be_user(),
            client_id=asked.application.client_id,
            client_name=asked.application.name,
            redirect_uri=asked.redirect_uri,
            resource=asked.resource,
            read_only=read_only,
            code_digest=digest_of(secret),
            code_challenge=asked.code_challenge,
            code_expires_at=tx.now + CODE_LASTS,
        )
        await tx.revise(
            "grant", grant_id, version=1, action="created", label=asked.application.name
        )
    return f"{CODE_PREFIX}{caller.org_id}.{grant_id}.{secret}"


async def exchange(
    db: Database,
    code: str,
    *,
    client_id: str,
    redirect_uri: str,
    verifier: str,
    resource: str | None,
) -> Tokens:
    """The tokens of a code, once. A code that comes a second time ends what it granted."""
    caller, grant_id, digest = _parts(code, CODE_PREFIX)
    async with db.begin(caller) as tx:
        grant = await _hold(tx, grant_id)
        right = hmac.compare_digest(grant.code_digest, digest) and grant.client_id == client_id
        reused = right and grant.code_used_at is not None
        if reused:
            await _end(tx, db, grant)
        elif (
            right
            and grant.ended_at is None
            and grant.code_expires_at > tx.now
            and grant.redirect_uri == redirect_uri
            and hmac.compare_digest(grant.code_challenge, _challenge(verifier))
            and resource in (None, grant.resource)
        ):
            return await _issue(tx, db, grant)
    raise _refused("code_reused" if reused else "refused")


async def refresh(db: Database, token: str, *, client_id: str, resource: str | None) -> Tokens:
    """The next tokens; the refresh token is used up. One that was used up before ends the grant."""
    caller, grant_id, digest = _parts(token, REFRESH_PREFIX)
    async with db.begin(caller) as tx:
        grant = await _hold(tx, grant_id)
        reused = digest in grant.used_digests
        if reused:
            await _end(tx, db, grant)
        elif (
            grant.refresh_digest is not None
            and hmac.compare_digest(grant.refresh_digest, digest)
            and grant.client_id == client_id
            and grant.ended_at is None
            and not grant.key_revoked
            and grant.refresh_expires_at is not None
            and grant.refresh_expires_at > tx.now
            and resource in (None, grant.resource)
        ):
            return await _issue(tx, db, grant)
    raise _refused("refresh_reused" if reused else "refused")


async def revoke(db: Database, token: str) -> None:
    """End the grant of an access or refresh token; a token that is not known is no error (RFC 7009)."""
    if token.startswith(REFRESH_PREFIX):
        try:
            caller, grant_id, digest = _parts(token, REFRESH_PREFIX)
        except OAuthError:
            return
        async with db.begin(caller) as tx:
            grant = await tx.one(Grant, queries.hold_grant, id=grant_id)
            if grant is not None and digest in (grant.refresh_digest, *grant.used_digests):
                await _end(tx, db, grant)
        return
    known = await db.services.get(KeyCache).look_up(db, Asked(digest_of(token), None, None))
    if known is None:
        return
    async with db.begin(_issuer(known.org_id)) as tx:
        grant_of = await tx.one(str, queries.grant_of_key, key_id=known.id)
        grant = None if grant_of is None else await tx.one(Grant, queries.hold_grant, id=grant_of)
        if grant is not None:
            await _end(tx, db, grant)


async def _hold(tx: Tx, grant_id: str) -> Grant:
    grant = await tx.one(Grant, queries.hold_grant, id=grant_id)
    if grant is None:
        raise _refused("refused")
    return grant


async def _issue(tx: Tx, db: Database, grant: Grant) -> Tokens:
    """Make the next access token and refresh token; those before are over."""
    await _end_key(tx, db, grant)
    key, key_id, secret = new_key(), new_id("key"), secrets.token_urlsafe(32)
    await tx.run(
        access_queries.create_key,
        id=key_id,
        kind="user",
        name=f"{grant.client_name} (OAuth)",
        digest=digest_of(key),
        prefix=visible_prefix(key),
        user_id=grant.user_id,
        agent_id=None,
        workspace_id=None,
        requests_per_minute=None,
        read_only=grant.read_only,
        expires_at=tx.now + ACCESS_LASTS,
    )
    await tx.revise("key", key_id, version=1, action="created", state={"kind": "user"})
    await tx.run(
        queries.renew_grant,
        id=grant.id,
        key_id=key_id,
        refresh_digest=digest_of(secret),
        refresh_expires_at=tx.now + REFRESH_LASTS,
    )
    tx.on_commit(metrics.oauth_tokens.labels("issued").inc)
    org_id = tx.caller.org_id if tx.caller else ""
    return Tokens(key, f"{REFRESH_PREFIX}{org_id}.{grant.id}.{secret}", grant.read_only)


async def _end(tx: Tx, db: Database, grant: Grant) -> None:
    await _end_key(tx, db, grant)
    await tx.run(queries.end_grant, id=grant.id)
    if grant.ended_at is None:
        await tx.revise("grant", grant.id, version=2, action="ended", label=grant.client_name)
        tx.on_commit(metrics.oauth_tokens.labels("ended").inc)


async def _end_key(tx: Tx, db: Database, grant: Grant) -> None:
    if grant.key_id is None:
        return
    if await tx.one(str, queries.end_key, key_id=grant.key_id) is not None:
        await tx.revise("key", grant.key_id, version=2, action="revoked")
        tx.on_commit(db.services.get(KeyCache).forget)  # here at once; other processes are notified


def _parts(secret: str, prefix: str) -> tuple[Caller, str, str]:
    """The org and the grant that a code or refresh token names, and the digest of its secret."""
    org_id, _, rest = secret.removeprefix(prefix).partition(".")
    grant_id, _, word = rest.partition(".")
    known = secret.startswith(prefix) and is_id(org_id, "org") and is_id(grant_id, "grant")
    if not known or not word:
        raise _refused("refused")
    return _issuer(org_id), grant_id, digest_of(word)


def _issuer(org_id: str) -> Caller:
    """The service itself, in an org: what it writes is the grant's doing."""
    return Caller(
        org_id=org_id, credential="job", credential_id="oauth", workspace_id=DEFAULT_WORKSPACE
    )


def _challenge(verifier: str) -> str:
    digest = sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _refused(outcome: str) -> OAuthError:
    metrics.oauth_tokens.labels(outcome).inc()
    return OAuthError("invalid_grant", "this code or token is not valid, was used or is over")
