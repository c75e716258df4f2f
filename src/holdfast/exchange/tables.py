"""Which tables travel, in the order in which they are imported (what is referred to comes first).

`tests/contract/test_exchange_tables.py` refuses a table that is neither in `TABLES` nor in `LEFT_OUT`.
"""

from dataclasses import dataclass
from typing import Any

from psycopg import sql

from holdfast.kernel.recall.model import Kind


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that go with a row of another table: `column` is that row's `key`."""

    of: str
    column: str
    key: str = "id"


@dataclass(frozen=True, slots=True)
class Table:
    """A table that travels.

    `user` and `agent` are the columns that name whom a row is of; `named_by` is the column of other rows that refer to it: of
    those that travel without the whole org, the rows that are referred to go along. `kind` is that of its revisions, `indexed`
    that of its passages. `withheld` columns do not travel.
    """

    name: str
    user: str | None = None
    agent: str | None = None
    part: Part | None = None
    named_by: str | None = None
    kind: str | None = None
    indexed: Kind | None = None
    withheld: tuple[str, ...] = ()
    imported: bool = True


_SECRETS = ("password_hash", "totp_secret", "totp_confirmed_at", "totp_last_step")
_OF_CONVERSATION = Part("conversations", "conversation_id")
_OF_HISTORY = Part("conversation_histories", "conversation_id", "conversation_id")
_OF_NODE = Part("nodes", "node_id")
_OF_SESSION = Part("sessions", "session_id")

TABLES = (
    Table("orgs", kind="org"),
    Table("workspaces", named_by="workspace_id", kind="workspace"),
    Table("users", user="id", kind="user", withheld=_SECRETS),
    Table("projects", named_by="project_id", kind="project"),
    Table("project_members", user="user_id"),
    Table("agents", agent="id", named_by="agent_id", kind="agent"),
    Table("memory_resources", named_by="resource_id", kind="memory_resource"),
    Table("sessions", user="user_id", agent="agent_id", kind="session", withheld=("settle_job",)),
    Table("blocks", user="user_id", agent="agent_id", kind="block"),
    Table("context_turns", user="user_id"),
    Table("runs", agent="agent_id", kind="run"),
    Table("entries", user="user_id", agent="agent_id", kind="entry", indexed="entry"),
    Table("conversations", user="user_id", agent="agent_id", kind="conversation", withheld=("pending_job",)),
    Table("conversation_messages", part=_OF_CONVERSATION),
    Table("conversation_reads", part=_OF_CONVERSATION),
    Table("conversation_flushed_ids", part=_OF_CONVERSATION),
    Table("conversation_histories", user="user_id", agent="agent_id"),
    Table("conversation_summaries", part=_OF_HISTORY, indexed="summary"),
    Table("conversation_flushed", part=_OF_HISTORY, indexed="flushed"),
    Table("session_conversations", part=_OF_SESSION),
    Table("session_progress", part=_OF_SESSION),
    Table("memories", user="user_id", agent="agent_id", kind="memory", indexed="memory"),
    Table("memory_assets", part=Part("memories", "memory_id"), kind="asset"),
    Table("nodes", user="user_id", kind="node"),
    Table("node_names", part=_OF_NODE),
    Table("node_items", part=_OF_NODE, kind="node_item", indexed="node_item"),
    Table("node_edges", part=Part("nodes", "from_id"), kind="node_edge"),
    Table("insights", user="user_id", kind="insight"),
    Table("memory_stores", user="created_by", kind="store"),
    Table("store_entries", part=Part("memory_stores", "store_id"), kind="store_entry", indexed="store_entry"),
    Table("proposals", user="user_id", agent="agent_id", kind="proposal"),
    Table("learned_facts", part=Part("proposals", "id")),
    Table("learned_sources", part=Part("proposals", "proposal_id")),
    Table("llm_calls", user="user_id"),
    Table("erasure_receipts"),
    Table("revisions", user="user_id", agent="agent_id"),
    Table("jobs", user="user_id", agent="agent_id", imported=False),
)  # fmt: skip

LEFT_OUT = {
    "api_keys": "credentials do not travel",
    "oauth_grants": "credentials do not travel",
    "browser_sessions": "sign-ins do not travel",
    "sign_in_links": "sign-ins do not travel",
    "sign_in_failures": "belongs to no org",
    "idempotency_keys": "answers of the last day, to credentials that do not travel",
    "request_counts": "counters of the current minute",
    "usage_minutes": "numbers of this deployment",
    "forgotten": "marks of the last day",
    "entry_quotas": "counted anew by the import",
    "conversation_leases": "locks of a moment",
    "given_texts": "of the last week, only to keep learning from reading its own words",
    "given_objects": "when rows were last recalled here",
    "passages": "the index is made anew from what is imported",
    "postings": "the index is made anew from what is imported",
    "passage_vectors": "the index is made anew from what is imported",
    "embeddings_underway": "the index is made anew from what is imported",
    "recall_vocabulary": "the index is made anew from what is imported",
    "recall_actors": "the index is made anew from what is imported",
    "embedding_models": "belongs to the deployment",
    "backups": "belongs to the deployment",
    "schema_migrations": "belongs to the deployment",
    "schema_functions": "belongs to the deployment",
}

BY_NAME = {table.name: table for table in TABLES}


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is exported: the whole org, or what is of one person or of one agent."""

    user_id: str | None = None
    agent_id: str | None = None

    @property
    def whole_org(self) -> bool:
        """Whether everything is exported."""
        return self.user_id is None and self.agent_id is None


def select(
    table: Table, chosen: Chosen, referred: dict[str, set[str]]
) -> tuple[sql.Composed, dict[str, Any]]:
    """The statement that reads the rows to be exported, each as the text of a JSON object; and its parameters.

    `referred` holds the values of the columns that refer to other rows, and the ids of objects, of what was read before.
    """
    params: dict[str, Any] = {"user_id": chosen.user_id, "agent_id": chosen.agent_id}
    conditions: list[sql.Composable] = []
    if chosen.whole_org:
        conditions.append(sql.SQL("true"))
    else:
        conditions += _of_names(table, chosen, "t")
        if table.part is not None:
            conditions.append(_part_of(table.part, chosen))
        if table.named_by is not None:
            params["named"] = sorted(referred.get(table.named_by, ()))
            conditions.append(sql.SQL("t.id = ANY (%(named)s)"))
        if table.name == "revisions":
            params["objects"] = sorted(referred.get("id", ()))
            conditions.append(sql.SQL("t.object_id = ANY (%(objects)s)"))
    query = sql.SQL(
        "SELECT (to_jsonb(t) - %(withheld)s::text[])::text FROM {} t WHERE t.org_id = current_org() AND ({})"
        " ORDER BY t::text"
    ).format(sql.Identifier(table.name), sql.SQL(" OR ").join(conditions or [sql.SQL("false")]))
    return query, {**params, "withheld": ["org_id", *table.withheld]}


def _of_names(table: Table, chosen: Chosen, alias: str) -> list[sql.Composable]:
    found: list[sql.Composable] = []
    for column, value, name in (
        (table.user, chosen.user_id, "user_id"),
        (table.agent, chosen.agent_id, "agent_id"),
    ):
        if column is not None and value is not None:
            found.append(
                sql.SQL("{} = {}").format(sql.Identifier(alias, column), sql.Placeholder(name))
            )
    return found


def _part_of(part: Part, chosen: Chosen) -> sql.Composable:
    whole = _of_names(BY_NAME[part.of], chosen, "w") or [sql.SQL("false")]
    return sql.SQL(
        "EXISTS (SELECT FROM {} w WHERE w.org_id = t.org_id AND {} = {} AND ({}))"
    ).format(
        sql.Identifier(part.of),
        sql.Identifier("w", part.key),
        sql.Identifier("t", part.column),
        sql.SQL(" OR ").join(whole),
    )
