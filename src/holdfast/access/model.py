"""What access deals in."""

from dataclasses import dataclass
from typing import Literal

from holdfast.kernel.clock import Instant
from holdfast.kernel.key_cache import KeyKind

MIN_PASSWORD_CHARS = 10
MAX_PASSWORD_CHARS = 1024

# After this many attempts in a row without a right one, an account waits before the next, each time twice as long. An address
# waits too, but later: an office shares one.
FREE_ATTEMPTS_OF_ACCOUNT = 5
FREE_ATTEMPTS_OF_ADDRESS = 100
MAX_WAIT_S = 15 * 60
# The longest wait of an address that signed in to the account in the last 90 days.
MAX_WAIT_OF_KNOWN_S = 60


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in."""

    id: str
    org_id: str
    owner: bool


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A browser that has signed in: who, and what its writes must carry."""

    user: Person
    csrf_token: str
    step_up_expires_at: Instant | None
    expires_at: Instant
    type: Literal["browser_session"] = "browser_session"


@dataclass(frozen=True, slots=True)
class Account:
    """What signing in needs to know of a user."""

    org_id: str
    id: str
    email: str | None
    owner: bool
    password_hash: str | None
    totp_secret: str | None
    totp_confirmed: bool
    totp_last_step: int | None


@dataclass(frozen=True, slots=True)
class TotpEnrolment:
    """A secret for an authenticator app; in force once it was confirmed with a code."""

    secret: str
    otpauth_uri: str


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key as it may be shown: never the key itself."""

    id: str
    kind: KeyKind
    name: str | None
    prefix: str
    user_id: str | None
    agent_id: str | None
    workspace_id: str | None
    requests_per_minute: int | None
    created_at: Instant
    expires_at: Instant | None
    revoked_at: Instant | None
    type: Literal["api_key"] = "api_key"


@dataclass(frozen=True, slots=True)
class NewKey:
    """An API key on the one occasion it is shown."""

    key_id: str
    key: str
    kind: KeyKind
