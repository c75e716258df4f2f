"""Which endpoints may count tokens for resources, and which environment variables hold keys that resources may name.

A resource's author chooses the endpoint and the variable, so the operator allows both: whole origins
(`HOLDFAST_TOKEN_ENDPOINTS`) and names (`HOLDFAST_TOKEN_KEYS`). Always allowed are a provider's own origin and the variable that
is usual for it.
"""

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

_OWN_ORIGINS = {"openai": "https://api.openai.com", "anthropic": "https://api.anthropic.com"}
_OWN_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_PORTS = {"http": 80, "https": 443}

Origin = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class TokenAccess:
    """What the operator allows."""

    endpoints: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def allows_endpoint(self, provider: str, endpoint: str) -> bool:
        """Whether this endpoint may be sent text and a key."""
        asked = origin_of(endpoint)
        allowed = (*self.endpoints, _OWN_ORIGINS[provider])
        return asked is not None and asked in {origin_of(each) for each in allowed}

    def allows_key(self, provider: str, variable: str) -> bool:
        """Whether a resource may name this environment variable; never one of the service's own settings."""
        named = variable in self.keys or variable == _OWN_KEYS[provider]
        return named and not variable.startswith("HOLDFAST_")

    def key(self, provider: str, endpoint: str | None, variable: str | None) -> str | None:
        """The provider's key; None where its variable is not set, or it or the endpoint is not allowed (any more)."""
        if variable is None or not self.allows_key(provider, variable):
            return None
        if endpoint is not None and not self.allows_endpoint(provider, endpoint):
            return None
        return os.environ.get(variable) or None


def endpoint_of(provider: str, endpoint: str | None) -> str:
    """The address to ask: the given one, else the provider's own."""
    return (endpoint or _OWN_ORIGINS[provider]).rstrip("/")


def origin_of(url: str) -> Origin | None:
    """Scheme, host and port of an http address; None for anything else, and for one with a user name in it."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not parts.hostname or "@" in parts.netloc:
        return None
    return parts.scheme, parts.hostname, port or _PORTS[parts.scheme]
