"""The address under which a client reaches this service."""

from starlette.requests import HTTPConnection

from holdfast.edge.client_address import is_trusted_proxy

# Where the metadata of a protected resource is, before the resource's own path (RFC 9728).
WELL_KNOWN = "/.well-known/oauth-protected-resource"


def base_url(request: HTTPConnection) -> str:
    """Scheme and host of this service as the client has them; a trusted proxy says whether that was https."""
    url = request.base_url
    forwarded = request.headers.get("x-forwarded-proto", "")
    if forwarded in ("http", "https") and is_trusted_proxy(request):
        url = url.replace(scheme=forwarded)
    return str(url).rstrip("/")
