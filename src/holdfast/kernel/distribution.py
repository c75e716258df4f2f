"""Where each table lies on Citus: the one list that `holdfast migrate --citus` and the contract tests read.

- `DISTRIBUTED`: split by `org_id`; all rows of an org lie on one node, so that a statement that names the org is run there whole.
- `REFERENCE`: a copy on every node. The directory and the org's settings, which sight reads beside every row and foreign keys point to; and what is
  looked up before the org is known (keys, cookies, links, the addresses of users).
- `LOCAL`: on the coordinator alone. The queue, the jobs that stand in it, and what belongs to no org.

A table stands behind those that its foreign keys point to. Decision 19 says why.
"""

REFERENCE = (
    "orgs",
    "workspaces",
    "users",
    "projects",
    "project_members",
    "agents",
    "api_keys",
    "browser_sessions",
    "sign_in_links",
    "memory_resources",
    "embedding_models",
)

DISTRIBUTED = (
    # the kernel
    "revisions",
    "idempotency_keys",
    "request_counts",
    "forgotten",
    "llm_calls",
    "usage_minutes",
    "sessions",
    # recall
    "passages",
    "postings",
    "recall_vocabulary",
    "recall_actors",
    "passage_vectors",
    "embeddings_underway",
    # blocks, entries
    "blocks",
    "context_turns",
    "runs",
    "entry_quotas",
    "entries",
    # conversations
    "conversations",
    "conversation_messages",
    "conversation_reads",
    "conversation_flushed_ids",
    "conversation_leases",
    "session_conversations",
    "conversation_histories",
    "conversation_summaries",
    "conversation_flushed",
    # memories
    "memories",
    "memory_assets",
    "nodes",
    "node_names",
    "node_items",
    "node_edges",
    "insights",
    # stores
    "memory_stores",
    "store_entries",
    # learning
    "session_progress",
    "proposals",
    "learned_facts",
    "learned_sources",
    "given_texts",
    "given_objects",
    # access, erasure
    "oauth_grants",
    "erasure_receipts",
)

LOCAL = (
    "jobs",
    "sign_in_failures",
    "backups",
    "schema_migrations",
    "schema_functions",
    "procrastinate_jobs",
    "procrastinate_workers",
    "procrastinate_periodic_defers",
    "procrastinate_events",
)

# Functions that Citus runs whole on the node that holds the org of their argument `in_org`. None of their statements may read a
# reference table together with a distributed one.
DELEGATED = (
    "recall_candidates",
    "recall_probe",
    "recall_put",
    "recall_drop",
    "recall_drop_scope",
    "recall_missing",
    "recall_progress",
    "recall_fill",
    "recall_follow",
    "recall_hand_over",
    "recall_has",
    "recall_previous",
    "recall_objects",
    "recall_reword",
)

# Functions that touch local tables or notify processes: they run on the coordinator, so no statement may call them beside a table
# that lies elsewhere.
COORDINATOR = ("enqueue_job", "stuck_jobs_of", "stuck_jobs", "reconcile_jobs", "pg_notify")
