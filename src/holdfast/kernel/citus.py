"""The schema on Citus: what differs there in the text of functions, and the distribution of tables by org.

The SQL files hold one text for both. `function_text` makes of it what Citus can plan:

- `/*citus: … */` is opened: conditions on `org_id` that cost plain Postgres an index-only scan and change nothing there.
- A function in SQL that reads a table becomes one in PL/pgSQL, with the org in a variable: Citus routes a statement by a value,
  neither by a function's result nor by a parameter of an SQL function.
- A STABLE function in SQL becomes IMMUTABLE: Citus refuses an UPDATE that calls a STABLE one with a column. None is called
  with constants alone in a statement that is kept planned, so nothing is computed too early.
- `plan_cache_mode` is not forced: only a plan for known values can be routed.
"""

import re

import psycopg
from psycopg import sql

from holdfast.kernel.distribution import DELEGATED, DISTRIBUTED, LOCAL, REFERENCE
from holdfast.kernel.session import ROLE, DatabaseUnfit

_MARKED = re.compile(r"/\*citus: (.*?) \*/", re.DOTALL)
_FUNCTION = re.compile(r"(?=^CREATE OR REPLACE FUNCTION )", re.MULTILINE)
_SQL_FUNCTION = re.compile(
    r"(?P<head>CREATE OR REPLACE FUNCTION (?P<name>\w+)\(.*?)\n"
    r"\s+LANGUAGE sql (?P<options>[^\n]*?)(?:\s+AS)?\s*?\n?\s*"
    r"(?:RETURN (?P<value>.*?);|BEGIN ATOMIC\n(?P<atomic>.*?)\nEND;|\$\$(?P<quoted>.*?);?\s*\$\$;)\n(?P<rest>.*)",
    re.DOTALL,
)
_READS = re.compile(
    r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:" + "|".join((*DISTRIBUTED, *REFERENCE, *LOCAL)) + r")\b"
)


# --- the text of functions -------------------------------------------------------------------------------------------


def function_text(text: str) -> str:
    """A file of functions as it is applied on Citus."""
    opened = _MARKED.sub(r"\1", text).replace("SET plan_cache_mode = force_generic_plan ", "")
    return "".join(map(_function_on_citus, _FUNCTION.split(opened)))


def _function_on_citus(text: str) -> str:
    found = _SQL_FUNCTION.fullmatch(text)
    if found is None:
        return text
    body = found["value"] or found["atomic"] or found["quoted"]
    options = found["options"]
    if not found["head"].split("(", 1)[1].lstrip().startswith(")"):
        options = options.replace("STABLE", "IMMUTABLE")
    if _READS.search(body) is None:
        return text.replace(found["options"], options, 1)
    return (
        f"{found['head']}\n    LANGUAGE plpgsql {options.replace(' PARALLEL SAFE', '')} AS $citus$\n"
        f"#variable_conflict use_column\nDECLARE\n    the_org CONSTANT text := current_org();\n"
        f"BEGIN\n    {_statement(found, body)};\nEND $citus$;\n{found['rest']}"
    )


def _statement(found: re.Match[str], body: str) -> str:
    """The body as a statement of PL/pgSQL."""
    body = body.replace("current_org()", "the_org").strip().rstrip(";")
    if found["value"] is not None:
        return f"RETURN {body}"
    if re.match(r"SELECT|WITH", body.lstrip(), re.IGNORECASE):
        return f"RETURN QUERY {body}"
    return body


# --- tables ------------------------------------------------------------------------------------------------------------


def is_distributed(connection: psycopg.Connection) -> bool:
    """Whether this database was distributed before."""
    return _has_extension(connection) and "orgs" in _spread(connection)


def check(connection: psycopg.Connection) -> None:
    """Refuse a database that cannot be distributed, before anything is changed."""
    if not _has_extension(connection):
        raise DatabaseUnfit(
            "the extension citus is not in this database: put citus into shared_preload_libraries of every node,"
            " CREATE EXTENSION citus in this database on each, and add the workers by citus_add_node"
        )
    nodes = connection.execute(
        "SELECT count(*) FILTER (WHERE groupid = 0), count(*) FILTER (WHERE groupid <> 0 AND shouldhaveshards)"
        "  FROM pg_dist_node WHERE isactive"
    ).fetchone()
    coordinators, workers = nodes or (0, 0)
    if not coordinators:
        raise DatabaseUnfit(
            "Citus does not know its coordinator: SELECT citus_set_coordinator_host('the name by which workers reach it')"
        )
    if not workers:
        raise DatabaseUnfit("Citus has no worker: SELECT citus_add_node('host', port) for each")


def prepare(connection: psycopg.Connection) -> None:
    """Let the coordinator work on workers as the service's role does here. Before functions and tables are made."""
    for setting in _ROLE_SETTINGS:
        for role in (ROLE, connection.info.user):
            connection.execute(
                sql.SQL("ALTER ROLE {} SET {}").format(sql.Identifier(role), sql.SQL(setting))
            )
    connection.execute(sql.SQL("ALTER ROLE {} LOGIN").format(sql.Identifier(ROLE)))
    for setting in _ROLE_SETTINGS:
        connection.execute(sql.SQL("SET {}").format(sql.SQL(setting)))


# Settings reach the workers that a transaction works on; functions may read what lies on the node that runs them; and
# statements of one transaction go to a worker by one connection.
_ROLE_SETTINGS = (
    "citus.propagate_set_commands = 'local'",
    "citus.allow_nested_distributed_execution = on",
    "citus.multi_shard_modify_mode = 'sequential'",
)


def undistributed(connection: psycopg.Connection) -> list[str]:
    """The tables that are to be spread over the nodes, in order."""
    done = _spread(connection)
    return [table for table in (*REFERENCE, *DISTRIBUTED) if table not in done]


def distribute(connection: psycopg.Connection) -> list[str]:
    """Spread the tables that are not yet, and delegate functions: the names of the tables."""
    connection.execute("SET citus.enable_local_reference_table_foreign_keys = off")
    todo = undistributed(connection)
    for table in todo:
        with connection.transaction():
            _spread_table(connection, table)
    with connection.transaction():
        # Numbers of rows are drawn by whoever inserts; on one Postgres an identity column needs no right.
        connection.execute(
            sql.SQL("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {}").format(
                sql.Identifier(ROLE)
            )
        )
        _delegate(connection)
    return todo


def _spread_table(connection: psycopg.Connection, table: str) -> None:
    _drop_triggers(connection, table)
    name = sql.Identifier(table)
    walled = connection.execute(
        "SELECT relforcerowsecurity FROM pg_class WHERE oid = %s::regclass", [table]
    ).fetchone() == (True,)
    if walled and connection.info.server_version < 170000:
        # Compared by `=`, the two values are compared once for a statement, which Citus refuses beside an outer join there.
        connection.execute(
            sql.SQL(
                "ALTER POLICY of_this_org ON {} USING (org_id IS NOT DISTINCT FROM current_org())"
            ).format(name)
        )
    if walled:  # rows that are there are copied by the owner, of every org
        connection.execute(sql.SQL("ALTER TABLE {} NO FORCE ROW LEVEL SECURITY").format(name))
    if table in REFERENCE:
        connection.execute("SELECT create_reference_table(%s)", [table])
    else:
        connection.execute("SELECT create_distributed_table(%s, 'org_id')", [table])
    if walled:
        connection.execute(sql.SQL("ALTER TABLE {} FORCE ROW LEVEL SECURITY").format(name))


def _drop_triggers(connection: psycopg.Connection, table: str) -> None:
    """Citus takes no table with triggers. Those that there are notify processes of changed keys; kernel/tx.py does it there."""
    found = connection.execute(
        "SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal", [table]
    ).fetchall()
    for (trigger,) in found:
        connection.execute(
            sql.SQL("DROP TRIGGER {} ON {}").format(sql.Identifier(trigger), sql.Identifier(table))
        )


def _delegate(connection: psycopg.Connection) -> None:
    found = connection.execute(
        "SELECT p.oid::regprocedure::text FROM pg_proc p"
        " WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY (%s)",
        [list(DELEGATED)],
    ).fetchall()
    for (signature,) in found:
        connection.execute(
            "SELECT create_distributed_function(%s::regprocedure, 'in_org', colocate_with => 'passages',"
            " force_delegation => true)",
            [signature],
        )


def _has_extension(connection: psycopg.Connection) -> bool:
    found = connection.execute("SELECT FROM pg_extension WHERE extname = 'citus'").fetchone()
    return found is not None


def _spread(connection: psycopg.Connection) -> set[str]:
    """Tables that Citus has on other nodes already."""
    rows = connection.execute(
        "SELECT c.relname FROM pg_dist_partition d JOIN pg_class c ON c.oid = d.logicalrelid"
        " WHERE c.relnamespace = 'public'::regnamespace AND (d.partmethod = 'h' OR d.repmodel = 't')"
    )
    return {name for (name,) in rows}
