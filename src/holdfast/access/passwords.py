"""Passwords (argon2id) and one-time codes (TOTP)."""

import asyncio
import time
from functools import cache

import pyotp
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from holdfast.access.model import MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS
from holdfast.kernel.errors import Invalid

_hasher = PasswordHasher()

TOTP_STEP_S = 30


def check_password_form(password: str) -> None:
    """Refuse a password that is too short to keep or too long to hash."""
    if not MIN_PASSWORD_CHARS <= len(password) <= MAX_PASSWORD_CHARS:
        raise Invalid.field(
            "password", f"must have {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS:,} characters"
        )


async def hash_password(password: str) -> str:
    """The hash to keep. Slow on purpose, hence off the event loop."""
    return await asyncio.to_thread(_hasher.hash, password)


async def verify_password(password_hash: str | None, password: str) -> bool:
    """Whether the password is the one that was hashed; as slow where there is no hash."""

    def verify() -> bool:
        try:
            return (
                _hasher.verify(password_hash or _nobody(), password) and password_hash is not None
            )
        except (VerificationError, InvalidHashError):
            return False

    return await asyncio.to_thread(verify)


@cache
def _nobody() -> str:
    """Checked where there is no such account, so that its absence takes as long as a wrong password."""
    return _hasher.hash("nobody has this password")


def matching_step(secret: str, code: str, *, last_step: int | None) -> int | None:
    """The time step whose code this is, one either side of now; None when it is wrong or was used."""
    totp = pyotp.TOTP(secret)
    step = int(time.time()) // TOTP_STEP_S
    for candidate in (step, step - 1, step + 1):
        expected = totp.at(candidate * TOTP_STEP_S)
        if pyotp.utils.strings_equal(code, expected) and candidate > (last_step or 0):
            return candidate
    return None
