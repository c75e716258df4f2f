"""What the contract suites share with the faces' own tests."""

from tests.memories.conftest import password_hash, sign_in

__all__ = ["password_hash", "sign_in"]
