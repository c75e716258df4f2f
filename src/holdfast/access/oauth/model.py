"""What an application may ask for, and who it is.

Registration is open to everyone and proves nothing, so nothing is stored for it: the client id itself is the registration, a
name and redirect addresses.
"""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

ACCESS_LASTS = timedelta(hours=1)
REFRESH_LASTS = timedelta(days=30)
CODE_LASTS = timedelta(minutes=5)
SCOPES = ("read", "write")
CLIENT_PREFIX, CODE_PREFIX, REFRESH_PREFIX = "hfc_", "hfa_", "hfr_"
MAX_NAME_CHARS = 100
MAX_REDIRECTS, MAX_URI_CHARS = 10, 1_000
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class OAuthError(Exception):
    """An error in the words of RFC 6749 and its kin."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description)
        self.error, self.description = error, description


@dataclass(frozen=True, slots=True)
class Application:
    """An application as it registered."""

    name: str
    redirect_uris: tuple[str, ...]

    @property
    def client_id(self) -> str:
        """The registration as one word."""
        plain = json.dumps([self.name, *self.redirect_uris], separators=(",", ":"))
        return CLIENT_PREFIX + base64.urlsafe_b64encode(plain.encode()).decode().rstrip("=")

    @classmethod
    def of(cls, client_id: str) -> "Application":
        """The registration of a client id; OAuthError where it is none."""
        application: Application | None = None
        try:
            coded = client_id.removeprefix(CLIENT_PREFIX)
            padded = coded + "=" * (-len(coded) % 4)
            name, *redirect_uris = json.loads(base64.urlsafe_b64decode(padded))
            application = register({"client_name": name, "redirect_uris": redirect_uris})
        except (ValueError, TypeError, binascii.Error, OAuthError):
            application = None
        if application is None or application.client_id != client_id:
            raise OAuthError("invalid_client", "this client_id was not given by this server")
        return application

    def accepts(self, redirect_uri: str) -> bool:
        """Whether a redirect address is one that was registered; the port of a loopback address may be any (RFC 8252)."""
        return any(
            redirect_uri == each or _same_loopback(redirect_uri, each)
            for each in self.redirect_uris
        )


@dataclass(frozen=True, slots=True)
class Request:
    """What an application asks a person for."""

    application: Application
    redirect_uri: str
    state: str | None
    code_challenge: str
    read_only: bool
    resource: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """An access token and the token that renews it."""

    access_token: str
    refresh_token: str
    read_only: bool

    @property
    def as_json(self) -> dict[str, Any]:
        """The answer of the token endpoint."""
        return {
            "access_token": self.access_token,
            "token_type": "Bearer",
            "expires_in": int(ACCESS_LASTS.total_seconds()),
            "refresh_token": self.refresh_token,
            "scope": scope_of(read_only=self.read_only),
        }


def scope_of(*, read_only: bool) -> str:
    """The scopes of a grant, as they are written."""
    return "read" if read_only else "read write"


def register(metadata: Any) -> Application:
    """An application from the metadata of RFC 7591."""
    given = metadata if isinstance(metadata, dict) else {}
    uris, name = given.get("redirect_uris"), given.get("client_name") or "an application"
    if not isinstance(uris, list) or not 1 <= len(uris) <= MAX_REDIRECTS:
        raise OAuthError("invalid_redirect_uri", f"redirect_uris: 1 to {MAX_REDIRECTS} addresses")
    for uri in uris:
        _check_redirect(uri)
    if not isinstance(name, str) or len(name) > MAX_NAME_CHARS or not name.isprintable():
        raise OAuthError(
            "invalid_client_metadata", f"client_name: at most {MAX_NAME_CHARS} printable characters"
        )
    return Application(name, tuple(uris))


def check_scope(text: str | None) -> bool:
    """Whether the scopes that are asked for only read; no scope is `read`."""
    asked: Sequence[str] = (text or "read").split()
    unknown = [each for each in asked if each not in SCOPES]
    if unknown:
        raise OAuthError(
            "invalid_scope", f"there is no scope {unknown[0]!r}; there are: read, write"
        )
    return "write" not in asked


def check_resource(text: str | None, base: str) -> str:
    """The resource that tokens are for: this service's MCP, or one agent's; OAuthError where it is another's."""
    resource = (text or f"{base}/mcp").rstrip("/")
    ours = resource in (base, f"{base}/mcp") or resource.startswith(f"{base}/mcp/agents/")
    if not ours or urlsplit(resource).fragment:
        raise OAuthError("invalid_target", f"resource: this server gives tokens for {base}/mcp")
    return resource


def _check_redirect(uri: Any) -> None:
    if not isinstance(uri, str) or len(uri) > MAX_URI_CHARS or not uri.isprintable():
        raise OAuthError("invalid_redirect_uri", "redirect_uris: an address is a text")
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018  # raises where it is no number
    except ValueError:
        raise OAuthError("invalid_redirect_uri", "redirect_uris: not an address") from None
    safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    if not safe or not parts.hostname or parts.fragment or parts.username:
        raise OAuthError(
            "invalid_redirect_uri",
            "redirect_uris: https, or http to a loopback address, no fragment",
        )


def _same_loopback(one: str, other: str) -> bool:
    try:
        a, b = urlsplit(one), urlsplit(other)
        port = a.port
    except ValueError:
        return False
    return (
        a.scheme == b.scheme == "http"
        and a.hostname == b.hostname
        and a.hostname in LOOPBACK
        and port != 0
        and (a.path, a.query, a.fragment, a.username) == (b.path, b.query, "", None)
    )
