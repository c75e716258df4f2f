"""The built-in scan for secrets: API keys, tokens, private keys, passwords, card numbers.

It runs before any extractor or model sees a message. What it finds is replaced by `[secret]`; nothing that learns may cite it.
Patterns are RE2, so the time is linear in the length of the text.
"""

from dataclasses import dataclass
from typing import Any

import re2

MASK = "[secret]"


@dataclass(frozen=True)
class SecretPattern:
    """A shape that only secrets have. Where the pattern has a group, only the group is masked."""

    name: str
    pattern: str
    example: str


# Examples are assembled from pieces, so that scanners of source code do not take them for real ones.
PATTERNS: tuple[SecretPattern, ...] = (
    SecretPattern(
        "private key",
        r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)",
        "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    ),
    SecretPattern("Holdfast key", r"\bhf_(?:live|test)_[A-Za-z0-9_-]{8,}", "hf_live_" + "a1b2c3d4e5f6"),
    SecretPattern("OpenAI-style key", r"\bsk-[A-Za-z0-9_-]{16,}", "sk-" + "proj-abcdefghijklmnop1234"),
    SecretPattern("Stripe key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}", "sk_live_" + "4eC39HqLyjWDarjtT1"),
    SecretPattern("AWS key id", r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b", "AKIA" + "IOSFODNN7EXAMPLE"),
    SecretPattern("GitHub token", r"\bgh[opusr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}", "ghp_" + "abcdefghijklmnopqrstuvwxyz0123"),
    SecretPattern("GitLab token", r"\bglpat-[A-Za-z0-9_-]{16,}", "glpat-" + "abcdefghij0123456789"),
    SecretPattern("Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}", "xoxb-" + "123456789012-abcdefghij"),
    SecretPattern("Google key", r"\bAIza[A-Za-z0-9_-]{30,}", "AIza" + "SyA1234567890abcdefghijklmnopqrstuv"),
    SecretPattern("npm or PyPI token", r"\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{30,}", "npm_" + "abcdefghijklmnopqrstuvwxyz0123456789"),
    SecretPattern("JSON web token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}", "eyJhbGciOiJI." + "eyJzdWIiOiIx.c2lnbmF0dXJl"),
    SecretPattern("bearer token", r"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{16,})", "Authorization: Bearer " + "abcdef0123456789abcdef"),
    SecretPattern("password in a URL", r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,64}:([^\s/@]{1,128})@", "postgres://app:" + "s3cret@db/app"),
    SecretPattern(
        "password",
        r"(?i)\b(?:pass(?:word|phrase|code|wd)?|pwd|pw|pin(?: code| number)?|cv[vc]|secret(?: key)?|api[ _-]?key|token|credentials?"
        r"|(?:door|gate|alarm|lock|safe|access|entry|security|keypad|wi-?fi) (?:code|key|password))"
        r"\s*(?:is|are|was|=|:|->|(?:(?:is|was|got|has been) )?changed to)\s*(?:now |again |still )?[\"'`]?([^\s\"'`,;]*\d[^\s\"'`,;]*)",
        "the back door code is " + "4471#",
    ),
    SecretPattern("short code", r"(?i)\b(?:pin|cv[vc]|passcode)(?: code| number)?\s+(\d{3,8})\b", "use pin " + "4821"),
    SecretPattern(
        "password in words",
        r"(?i)\b(?:password|passphrase|pwd|login)\s*(?:is|=|:|->)\s*(?:now |again |still )?[\"'`]?([^\s\"'`,;.]{4,})",
        "wifi password: " + "correcthorse",
    ),
    SecretPattern(
        "user and password",
        r"(?i)\b(?:admin|root|login|user|username)\s*[/:]\s*([^\s,;]*\d[^\s,;]*)",
        "admin / " + "Vq7-brass-otter-19",
    ),
)  # fmt: skip

_COMPILED = tuple((each.name, re2.compile(each.pattern)) for each in PATTERNS)
_CARD = re2.compile(r"\b\d(?:[ -]?\d){11,18}\b")
_IBAN = re2.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")


@dataclass(frozen=True)
class Found:
    """Where a secret stands, and of which kind it is."""

    start: int
    end: int
    name: str


def find_secrets(text: str) -> list[Found]:
    """Every secret of a text, in order, none overlapping."""
    found = [_found(match, name) for name, pattern in _COMPILED for match in pattern.finditer(text)]
    found += [_found(each, "card number") for each in _CARD.finditer(text) if _luhn(each.group())]
    found += [
        _found(each, "bank account") for each in _IBAN.finditer(text) if _is_iban(each.group())
    ]
    found.sort(key=lambda each: (each.start, -each.end))
    kept: list[Found] = []
    for each in found:
        if each.end > each.start and (not kept or each.start >= kept[-1].end):
            kept.append(each)
    return kept


def _found(match: Any, name: str) -> Found:
    start, end = match.span(1) if match.re.groups and match.start(1) >= 0 else match.span()
    return Found(start, end, name)


def mask_secrets(text: str) -> str:
    """The text with every secret replaced by `[secret]`."""
    pieces: list[str] = []
    at = 0
    for each in find_secrets(text):
        pieces += [text[at : each.start], MASK]
        at = each.end
    return "".join([*pieces, text[at:]])


def _luhn(number: str) -> bool:
    digits = [int(char) for char in number if char.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(text: str) -> bool:
    plain = text.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    moved = plain[4:] + plain[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1
