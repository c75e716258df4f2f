"""OAuth 2.1 for applications that take no API key: discovery, registration, consent, tokens, revocation.

An access token is an API key of kind user that lives an hour; it is listed, walled and revoked like any other. A grant (one
consent) holds the refresh token, which is replaced at every use; one that comes back a second time ends the grant.
"""
