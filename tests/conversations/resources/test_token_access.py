"""Which endpoints count tokens, and which keys they are sent."""

import pytest

from holdfast.conversations.resources.token_access import TokenAccess

ACCESS = TokenAccess(("https://tokens.example:8443/v1",), ("TEAM_API_KEY",))


@pytest.mark.parametrize(
    ("endpoint", "allowed"),
    [
        ("https://api.openai.com", True),
        ("https://API.openai.com:443/v1", True),
        ("https://tokens.example:8443", True),
        ("https://tokens.example:8443/other/path", True),
        ("https://tokens.example", False),
        ("http://tokens.example:8443", False),
        ("https://tokens.example:8443.evil.example", False),
        ("https://tokens.example:8443@evil.example", False),
        ("https://user@tokens.example:8443", False),
        ("https://api.anthropic.com", False),
        ("http://127.0.0.1:8443", False),
        ("http://localhost", False),
        ("http://[::1]", False),
        ("https://tokens.example:port", False),
        ("ftp://tokens.example:8443", False),
    ],
)
def test_an_endpoint_is_allowed_by_its_whole_origin(endpoint, allowed):
    assert ACCESS.allows_endpoint("openai", endpoint) is allowed


@pytest.mark.parametrize(
    ("variable", "allowed"),
    [
        ("OPENAI_API_KEY", True),
        ("TEAM_API_KEY", True),
        ("ANTHROPIC_API_KEY", False),
        ("STRIPE_API_KEY", False),
        ("HOLDFAST_LLM_API_KEY", False),
    ],
)
def test_a_key_is_allowed_by_its_name(variable, allowed):
    assert ACCESS.allows_key("openai", variable) is allowed


def test_a_resource_that_was_stored_under_wider_rules_is_sent_no_key(monkeypatch):
    monkeypatch.setenv("TEAM_API_KEY", "sk-secret")
    assert ACCESS.key("openai", None, "TEAM_API_KEY") == "sk-secret"
    assert ACCESS.key("openai", "http://127.0.0.1:1", "TEAM_API_KEY") is None
    assert TokenAccess().key("openai", None, "TEAM_API_KEY") is None
    assert (
        TokenAccess(keys=("HOLDFAST_X_API_KEY",)).key("openai", None, "HOLDFAST_X_API_KEY") is None
    )
