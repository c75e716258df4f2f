"""What an erasure does with every table of the schema. `tests/contract/test_erasure_rules.py` refuses a table that is not here.

A table that is new has either

- an `Erase`: a statement `erase_TABLE` in queries.sql deletes what is the person's and gives the ids of what is gone
  (`kind` is the kind of their revisions, if they have any), or
- a `Kept`: a reason why nothing of a person can be in it, or why it stays.

Steps run in the order of `ERASED`: parts before what holds them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Erase:
    """Rows of the person are deleted by the statement `erase_TABLE`: `late` after the memories, with the ids of everything
    that is gone by then as `gone`."""

    kind: str | None = None
    late: bool = False


@dataclass(frozen=True, slots=True)
class Together:
    """Rows of the person are deleted by the function that erases another table's."""

    by: str


@dataclass(frozen=True, slots=True)
class Kept:
    """The table stays as it is, for this reason."""

    reason: str


# One statement each, with the parameters `user_id`, `of_user` (the audience), `keys` (ids of the person's keys), `this_job`,
# `nodes`, `stores` and `everything`.
ERASED: dict[str, Erase] = {
    "oauth_grants": Erase("grant"),
    "api_keys": Erase("key"),
    "request_counts": Erase(),
    "idempotency_keys": Erase(),
    "session_conversations": Erase(),
    "session_progress": Erase(),
    "sessions": Erase("session"),
    "conversation_messages": Erase(),
    "conversation_reads": Erase(),
    "conversation_flushed_ids": Erase(),
    "conversation_leases": Erase(),
    "conversations": Erase("conversation"),
    "conversation_summaries": Erase(),
    "conversation_flushed": Erase(),
    "conversation_histories": Erase("conversation"),
    "entries": Erase("entry"),
    "entry_quotas": Erase(),
    "blocks": Erase("block"),
    "context_turns": Erase(late=True),
    "given_texts": Erase(late=True),
    "given_objects": Erase(late=True),
    "learned_sources": Erase(late=True),
    "learned_facts": Erase(late=True),
    "proposals": Erase("proposal", late=True),
    "insights": Erase("insight"),
    "node_items": Erase("node_item"),
    "node_edges": Erase("node_edge"),
    "node_names": Erase(),
    "nodes": Erase("node"),
    "store_entries": Erase("store_entry"),
    "memory_stores": Erase("store"),
    "llm_calls": Erase(),
    "jobs": Erase("job"),
    "browser_sessions": Erase(),
    "sign_in_links": Erase(),
    "project_members": Erase(),
    "users": Erase(),
}

OTHERS: dict[str, Together | Kept] = {
    "memories": Together("service.py: with what is derived from them"),
    "memory_assets": Together("memories; their bytes by outside.py"),
    "revisions": Together("erase_revisions, erase_personal_revisions; what stays is renamed"),
    "passages": Together("recall_drop_scope and recall_drop, with what they say about an object"),
    "postings": Together("passages"),
    "passage_vectors": Together("passages"),
    "embeddings_underway": Together("passages"),
    "recall_vocabulary": Together("passages"),
    "recall_actors": Together("passages"),
    "orgs": Kept("settings of the whole org"),
    "workspaces": Kept("the org's own; history renames who made one"),
    "projects": Kept("the org's own, with other members; history renames who made one"),
    "agents": Kept("the org's own; history renames who registered one"),
    "runs": Kept("an agent's: times, no text"),
    "memory_resources": Kept("configuration of the org, written by administrators"),
    "sign_in_failures": Kept(
        "digests of accounts and addresses, counts and times; no text, no org"
    ),
    "forgotten": Kept("ids of what was erased, for a day; no text"),
    "embedding_models": Kept("names of models"),
    "erasure_receipts": Kept("what an erasure leaves: counts, digests, times"),
    "backups": Kept("names and times of backups"),
    "schema_migrations": Kept("names of migrations"),
    "schema_functions": Kept("names of functions"),
    "usage_minutes": Kept("numbers of an org, which name nobody"),
}

# Kinds of revisions whose objects are shared: those of the person stay, under the pseudonym, while the object is there.
# Every other kind is personal.
SHARED_KINDS = (
    "org",
    "workspace",
    "project",
    "agent",
    "run",
    "memory_resource",
    "entry",
    "conversation",
    "memory",
    "asset",
    "node",
    "node_item",
    "node_edge",
    "store",
    "store_entry",
)

# Tables that may have held a text or an id of the person: files.py writes them anew.
REWRITTEN = (
    *ERASED,
    *(name for name, rule in OTHERS.items() if isinstance(rule, Together)),
    "erasure_receipts",
)
