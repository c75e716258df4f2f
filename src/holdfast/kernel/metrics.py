"""Prometheus metrics. Labels name routes, kinds and outcomes, never a tenant or anything it wrote."""

from prometheus_client import Counter, Gauge, Histogram

request_seconds = Histogram(
    "holdfast_http_request_seconds",
    "Time to answer a request.",
    ["method", "route", "status"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
requests_in_flight = Gauge(
    "holdfast_http_requests_in_flight", "Requests being answered now.", multiprocess_mode="livesum"
)
connections_cut = Counter(
    "holdfast_http_connections_cut_total",
    "Connections ended below the application, by why: the code of the answer, or no_room.",
    ["reason"],
)
slow_recalls = Counter(
    "holdfast_slow_recalls_total", "Recalls that took longer than HOLDFAST_SLOW_RECALL."
)
sign_in_failures = Counter("holdfast_sign_in_failures_total", "Sign-ins that were refused.")
jobs_finished = Counter(
    "holdfast_jobs_finished_total", "Jobs by kind and outcome.", ["kind", "outcome"]
)
jobs_requeued = Counter(
    "holdfast_jobs_requeued_total",
    "Jobs that had lost their place in the queue, by what was lost.",
    ["lost"],
)
jobs_waiting = Gauge(
    "holdfast_jobs_waiting",
    "Jobs that are due and that no worker has begun.",
    multiprocess_mode="mostrecent",
)
oldest_job_seconds = Gauge(
    "holdfast_oldest_waiting_job_seconds",
    "For how long the oldest of the waiting jobs has been due.",
    multiprocess_mode="mostrecent",
)
key_lookups = Counter(
    "holdfast_key_lookups_total",
    "API keys that requests showed, by where they were looked up.",
    ["where"],
)
backend_failures = Counter(
    "holdfast_backend_failures_total", "Requests that found a backend unreachable.", ["backend"]
)
replica_reads = Counter(
    "holdfast_replica_reads_total",
    "Reads that might go to the replica, by what happened: replica, or why the primary answered (skipped while the replica is"
    " not fit, lagging, unreachable, lost in the middle).",
    ["outcome"],
)
entries_stored = Counter("holdfast_entries_stored_total", "Entries stored or refreshed.")
entries_evicted = Counter("holdfast_entries_evicted_total", "Entries evicted at the cap.")
entries_pruned = Counter(
    "holdfast_entries_pruned_total", "Entries cleared away after their time.", ["cause"]
)
hydration_entries = Histogram(
    "holdfast_hydration_window_entries",
    "Entries in a hydration.",
    buckets=(0, 1, 5, 10, 25, 50, 100, 250, 500, 1000, 2000),
)
hydration_dropped_entries = Counter(
    "holdfast_hydration_dropped_entries_total", "Entries that did not fit a hydration's budget."
)
hydration_dropped_bytes = Counter(
    "holdfast_hydration_dropped_bytes_total", "Bytes that did not fit a hydration's budget."
)
oauth_tokens = Counter(
    "holdfast_oauth_tokens_total",
    "OAuth tokens by outcome: issued, ended, refused, code_reused, refresh_reused.",
    ["outcome"],
)
context_tokens = Counter(
    "holdfast_context_tokens_total", "Tokens of the contexts that were given, by part.", ["part"]
)
searches_without_a_hit = Counter(
    "holdfast_entry_searches_without_a_hit_total", "Searches of entries that found nothing."
)
memories_written = Counter(
    "holdfast_memories_written_total",
    "Changes of memories, by what happened to them: created, updated, retired, restored, deleted and so on.",
    ["action"],
)
nodes_written = Counter(
    "holdfast_nodes_written_total",
    "Changes of nodes, by what happened to them: created, updated, item_added, merged, deleted and so on.",
    ["action"],
)
store_entries_written = Counter(
    "holdfast_store_entries_written_total",
    "Entries of stores written, by what happened to them: created, updated or deleted.",
    ["action"],
)
store_conflicts = Counter(
    "holdfast_store_conflicts_total",
    "Writes to stores that met another's, by what stood against them: version, content, path or if_match.",
    ["cause"],
)
store_redactions = Counter(
    "holdfast_store_redactions_total", "Versions of store entries that were redacted."
)
store_imports = Counter(
    "holdfast_store_imports_total", "Zips imported into stores, by mode.", ["mode"]
)
embedder_failures = Counter(
    "holdfast_embedder_failures_total", "Batches of texts that the embedder did not embed."
)
vectors_left_behind = Counter(
    "holdfast_vectors_left_behind_total",
    "Passages whose process ended before it added their vectors, handed to a job.",
)
recalls = Counter(
    "holdfast_recalls_total", "Recalls by mode and by whether they found anything.", ["mode", "hit"]
)
conversation_flushes = Counter(
    "holdfast_conversation_flushes_total",
    "Flushes by strategy and outcome.",
    ["strategy", "outcome"],
)
conversations_expired = Counter(
    "holdfast_conversations_expired_total", "Instances cleared away after their time."
)
llm_calls = Counter(
    "holdfast_llm_calls_total",
    "Calls of the language model by what for and outcome; refused is by an org's cap.",
    ["kind", "outcome"],
)
llm_tokens = Counter(
    "holdfast_llm_tokens_total", "Tokens that went in and came out.", ["direction"]
)
llm_failures = Counter("holdfast_llm_failures_total", "Calls of the language model that failed.")
tool_calls = Counter(
    "holdfast_mcp_tool_calls_total",
    "Calls of MCP tools, by what came of them: ok, or the error's code.",
    ["tool", "outcome"],
)
proposals = Counter(
    "holdfast_proposals_total",
    "Proposals of learning, by action and by the status that they were made or decided with.",
    ["action", "status"],
)
sessions_settled = Counter(
    "holdfast_sessions_settled_total",
    "Sessions that were learned from, by extractor.",
    ["extractor"],
)
messages_learned = Counter(
    "holdfast_messages_learned_from_total", "Messages that an extractor read as new ones."
)
learning_duplicates = Counter(
    "holdfast_learning_duplicates_total", "Candidates that memory held already: a source was added."
)
learning_echoes = Counter(
    "holdfast_learning_echoes_total", "Candidates that restated what their session had been given."
)
learning_named = Counter(
    "holdfast_learning_named_total",
    "Candidates that name a fact that memory holds, by outcome: used, or left to comparison.",
    ["outcome"],
)
learning_judged = Counter(
    "holdfast_learning_judged_total",
    "Pairs of a new statement and an earlier one that the judge read.",
)
learning_reverts = Counter(
    "holdfast_learning_reverts_total",
    "Objects of reverted jobs, by outcome: reverted or kept.",
    ["outcome"],
)
learning_tokens = Counter(
    "holdfast_learning_tokens_total", "Tokens that extractors took, by extractor.", ["extractor"]
)
people_erased = Counter("holdfast_people_erased_total", "People whose data was erased.")
