"""Signing in, stepping up, signing out."""

import secrets
from dataclasses import dataclass, replace
from datetime import timedelta

import pyotp

from holdfast.access import throttle
from holdfast.access.model import (
    MAX_WAIT_OF_KNOWN_S,
    Account,
    Person,
    SignedIn,
    TotpEnrolment,
)
from holdfast.access.passwords import (
    check_password_form,
    hash_password,
    matching_step,
    verify_password,
)
from holdfast.kernel.auth import (
    BROWSER_SESSION_LASTS,
    DEFAULT_WORKSPACE,
    BrowserSession,
    digest_of,
    find_browser_session,
)
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, Invalid, StepUpRequired, Unauthenticated
from holdfast.kernel.sql import load

queries = load(__file__)

LINK_LASTS = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Opened:
    """A browser session at its making: the cookie is known only now."""

    cookie: str
    signed_in: SignedIn


@dataclass(frozen=True, slots=True)
class _Link:
    org_id: str
    user_id: str


async def sign_in(
    db: Database, *, email: str, password: str, totp: str | None, address: str
) -> Opened:
    """Open a browser session for an account and its password (and code, where it has TOTP)."""
    email = email.strip().lower()
    attempt = await throttle.count_attempt(db, account=email, address=address)
    accounts: list[Account | None] = [*await db.prove(Account, queries.find_accounts, email)]
    for account in accounts or [None]:
        right = await verify_password(account.password_hash if account else None, password)
        if account is not None and right:
            if account.totp_confirmed:
                await _use_code(db, account, totp)
            await throttle.forget_attempt(db, attempt)
            return await _open_session(db, account.org_id, account.id, owner=account.owner)
    throttle.note_failure()
    raise Unauthenticated("the e-mail address or the password is wrong")


async def sign_in_by_link(db: Database, token: str) -> Opened:
    """Open a browser session with a one-time link."""
    found = await db.prove(_Link, queries.find_link, digest_of(token))
    if not found:
        raise Unauthenticated("this link was used or is over")
    caller = _as_user(found[0].org_id, found[0].user_id)
    async with db.begin(caller) as tx:
        if await tx.one(str, queries.use_link, digest=digest_of(token)) is None:
            raise Unauthenticated("this link was used or is over")
        account = await _account(tx, found[0].user_id)
    return await _open_session(db, account.org_id, account.id, owner=account.owner)


async def make_link(db: Database, caller: Caller, user_id: str) -> str:
    """The token of a one-time link that signs a user in."""
    token = secrets.token_urlsafe(32)
    async with db.begin(caller) as tx:
        await tx.run(
            queries.open_link,
            digest=digest_of(token),
            user_id=user_id,
            expires_at=tx.now + LINK_LASTS,
        )
    return token


async def step_up(
    db: Database, session: BrowserSession, *, password: str | None, totp: str | None, address: str
) -> SignedIn:
    """Step up: check the password or a TOTP code again; valid for ten minutes."""
    if (password is None) == (totp is None):
        raise Invalid("give the password or a totp code")
    attempt = await throttle.count_attempt(
        db,
        account=f"{session.org_id} {session.user_id}",
        address=address,
        max_wait_s=MAX_WAIT_OF_KNOWN_S,
    )
    caller = _as_user(session.org_id, session.user_id)
    async with db.read(caller) as tx:
        account = await _account(tx, session.user_id)
    if totp is not None:
        await _use_code(db, account, totp)
    elif not await verify_password(account.password_hash, password or ""):
        throttle.note_failure()
        raise Unauthenticated("the password is wrong")
    await throttle.forget_attempt(db, attempt)
    async with db.begin(caller) as tx:
        await tx.run(queries.step_up, digest=session.digest)
        now = tx.now
    return _signed_in(replace(session, stepped_up_at=now))


async def read_session(db: Database, cookie: str) -> SignedIn:
    """Who is signed in."""
    return _signed_in(await find_browser_session(db, cookie))


async def sign_out(db: Database, session: BrowserSession) -> None:
    """End a browser session."""
    async with db.begin(_as_user(session.org_id, session.user_id)) as tx:
        await tx.run(queries.close_session, digest=session.digest)


async def set_password(
    db: Database, caller: Caller, session: BrowserSession, password: str
) -> None:
    """Set the password: freely where there is none yet, else after a step-up. Other browsers are signed out."""
    check_password_form(password)
    async with db.read(caller) as tx:
        account = await _account(tx, session.user_id)
    if account.password_hash is not None and not caller.stepped_up:
        raise StepUpRequired("confirm with the present password at POST /auth/step-up first")
    hashed = await hash_password(password)
    async with db.begin(caller) as tx:
        version = await tx.one(int, queries.set_password, id=account.id, password_hash=hashed)
        await tx.run(queries.end_other_sessions, id=account.id, keep=session.digest)
        await tx.revise("user", account.id, version=version or 1, action="password_set", state={})


async def propose_totp(db: Database, caller: Caller) -> TotpEnrolment:
    """A new secret for an authenticator app; in force once confirmed."""
    caller.must_have_stepped_up()
    secret, user_id = pyotp.random_base32(), caller.must_be_user()
    async with db.begin(caller) as tx:
        if await tx.one(str, queries.propose_totp, id=user_id, secret=secret) is None:
            raise Conflict("TOTP is on already; DELETE /auth/totp first")
        account = await _account(tx, user_id)
    uri = pyotp.TOTP(secret).provisioning_uri(name=account.email or user_id, issuer_name="Holdfast")
    return TotpEnrolment(secret=secret, otpauth_uri=uri)


async def confirm_totp(db: Database, caller: Caller, code: str) -> None:
    """Turn TOTP on, with a code that proves the app has the secret."""
    caller.must_have_stepped_up()
    user_id = caller.must_be_user()
    async with db.begin(caller) as tx:
        account = await _account(tx, user_id)
        if account.totp_secret is None or account.totp_confirmed:
            raise Conflict("there is no enrolment to confirm; POST /auth/totp first")
        step = matching_step(account.totp_secret, code, last_step=None)
        if step is None:
            raise Invalid.field("totp", "is not the present code")
        version = await tx.one(int, queries.confirm_totp, id=user_id, step=step)
        await tx.revise("user", user_id, version=version or 1, action="totp_on", state={})


async def drop_totp(db: Database, caller: Caller) -> None:
    """Turn TOTP off."""
    caller.must_have_stepped_up()
    user_id = caller.must_be_user()
    async with db.begin(caller) as tx:
        version = await tx.one(int, queries.drop_totp, id=user_id)
        await tx.revise("user", user_id, version=version or 1, action="totp_off", state={})


async def _open_session(db: Database, org_id: str, user_id: str, *, owner: bool) -> Opened:
    cookie, csrf_token = secrets.token_urlsafe(32), secrets.token_urlsafe(24)
    async with db.begin(_as_user(org_id, user_id)) as tx:
        session = BrowserSession(
            org_id=org_id,
            digest=digest_of(cookie),
            user_id=user_id,
            owner=owner,
            csrf_token=csrf_token,
            stepped_up_at=None,
            expires_at=tx.now + BROWSER_SESSION_LASTS,
            workspace_known=True,
        )
        await tx.run(
            queries.open_session,
            digest=session.digest,
            user_id=user_id,
            csrf_token=csrf_token,
            expires_at=session.expires_at,
        )
    return Opened(cookie, _signed_in(session))


def _signed_in(session: BrowserSession) -> SignedIn:
    return SignedIn(
        user=Person(id=session.user_id, org_id=session.org_id, owner=session.owner),
        csrf_token=session.csrf_token,
        step_up_expires_at=session.step_up_expires_at,
        expires_at=session.expires_at,
    )


def _as_user(org_id: str, user_id: str) -> Caller:
    return Caller(
        org_id=org_id,
        credential="session",
        credential_id=user_id,
        workspace_id=DEFAULT_WORKSPACE,
        user_id=user_id,
    )


async def _account(tx: Tx, user_id: str) -> Account:
    account = await tx.one(Account, queries.read_account, id=user_id)
    if account is None:
        raise Unauthenticated("this account is gone")
    return account


async def _use_code(db: Database, account: Account, code: str | None) -> None:
    """Accept a TOTP code once."""
    if account.totp_secret is None or not account.totp_confirmed:
        raise Invalid.field("totp", "this account has no TOTP; give the password")
    if code is None:
        raise Unauthenticated("this account needs its totp code too", totp_required=True)
    step = matching_step(account.totp_secret, code, last_step=account.totp_last_step)
    if step is not None:
        async with db.begin(_as_user(account.org_id, account.id)) as tx:
            if await tx.one(str, queries.use_totp_step, id=account.id, step=step) is not None:
                return
    throttle.note_failure()
    raise Unauthenticated(
        "the code is wrong or was used; wait for the next one", totp_required=True
    )
