"""Every statement that touches a content table asks the rule of sight, or says in a comment why it need not."""

import re
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent.parent / "src" / "holdfast"

# Functions that apply the rule: the kernel's, and those that faces build on them.
SIGHT = re.compile(r"\b(sees|audiences|sees_\w+|\w+_seen)\(")
REASON = re.compile(r"^\s*-- sight: \S", re.MULTILINE)
TOUCHES = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:ONLY\s+)?([a-z_]+)", re.IGNORECASE)


def statements():
    """Every named statement: its file, its name, its text with the comments above it and those that open the file."""
    for path in sorted(SRC.rglob("*.sql")):
        if "migrations" in path.parts or path.name.endswith("functions.sql"):
            continue
        opening, *parts = re.split(r"^-- name: ", path.read_text(), flags=re.MULTILINE)
        for part in parts:
            name, _, text = part.partition("\n")
            yield str(path.relative_to(SRC)), name.strip(), f"{opening}{text}"


def content_tables(connection):
    """Tables behind the tenant wall that hold what people and agents stored."""
    rows = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id'"
        " WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND NOT a.attisdropped"
    )
    return {name for (name,) in rows} - DIRECTORY


# The org's own directory and what proves who is asking: kernel/auth.py and the services decide over these.
DIRECTORY = {
    "orgs", "workspaces", "users", "projects", "project_members", "agents", "api_keys", "browser_sessions",
    "sign_in_links", "idempotency_keys", "request_counts", "llm_calls", "memory_resources", "runs", "entry_quotas",
    "forgotten", "erasure_receipts",
}  # fmt: skip


def test_every_statement_on_content_asks_the_rule_of_sight(owner_connection):
    tables = content_tables(owner_connection)
    assert {
        "memories",
        "entries",
        "blocks",
        "memory_stores",
        "conversations",
        "revisions",
    } <= tables
    found, silent = 0, []
    for file, name, text in statements():
        touched = {table.lower() for table in TOUCHES.findall(text)} & tables
        if not touched:
            continue
        found += 1
        if not SIGHT.search(text) and not REASON.search(text):
            silent.append(f"{file}: {name} ({', '.join(sorted(touched))})")
    assert silent == []
    assert found > 100


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("SELECT 1 FROM memories WHERE sees(a, b)", True),
        ("-- sight: the id was read with it\nUPDATE memories SET x = 1", True),
        ("-- sight:\nUPDATE memories SET x = 1", False),
        ("SELECT 1 FROM memories -- the caller sees it", False),
    ],
)
def test_a_statement_says_it_by_a_call_or_a_reason(text, speaks):
    assert bool(SIGHT.search(text) or REASON.search(text)) is speaks
