"""The certificates that outgoing calls trust."""

import ssl
from functools import cache

import httpx


@cache
def trusted_certificates() -> ssl.SSLContext:
    """What `httpx` trusts by default (`SSL_CERT_FILE` replaces it), for the `verify` of a client.

    A client without it reads the whole list of authorities anew, which takes longer than most calls.
    """
    return httpx.create_ssl_context()
