"""Access: signing in with a browser, step-up, and API keys.

Promise: a secret is shown once and kept as a digest or a slow hash; guessing is slowed down per account and address; no
API key can sign in, step up, mint a key or revoke one.
"""
