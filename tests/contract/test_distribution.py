"""Every table, key, policy, trigger, function and statement can be distributed by org on Citus, which is not needed to see it."""

import json
import re

import pytest

from holdfast.kernel import citus, migrate
from holdfast.kernel.distribution import COORDINATOR, DELEGATED, DISTRIBUTED, LOCAL, REFERENCE
from holdfast.kernel.session import DatabaseUnfit
from holdfast.kernel.sql import Query
from tests.contract.statements import bare, copied, without_org
from tests.kernel.test_queries import QUERIES

ELSEWHERE = (*DISTRIBUTED, *REFERENCE)  # than on the coordinator alone


# --- tables ------------------------------------------------------------------------------------------------------------


def test_every_table_has_one_place(owner_connection):
    tables = owner_connection.execute(
        "SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace"
    ).fetchall()
    places = [*DISTRIBUTED, *REFERENCE, *LOCAL]
    assert sorted(places) == sorted(name for (name,) in tables)


def test_a_table_with_an_org_is_local_only_where_the_queue_needs_it(owner_connection):
    rows = owner_connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id'"
        " WHERE c.relname = ANY (%s) AND c.relnamespace = 'public'::regnamespace",
        [list(LOCAL)],
    ).fetchall()
    assert rows == [("jobs",)]


def test_every_unique_key_of_a_distributed_table_has_the_org(owner_connection):
    rows = owner_connection.execute(
        "SELECT i.indexrelid::regclass::text FROM pg_index i"
        " WHERE i.indisunique AND i.indrelid = ANY (%s::text[]::regclass[])"
        "   AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attname = 'org_id'"
        "                      AND a.attnum = ANY (i.indkey))",
        [list(DISTRIBUTED)],
    ).fetchall()
    assert rows == []


def test_foreign_keys_stay_on_one_node(owner_connection):
    keys = owner_connection.execute(
        "SELECT c.conrelid::regclass::text, c.confrelid::regclass::text,"
        "       EXISTS (SELECT FROM unnest(c.conkey, c.confkey) k (here, there)"
        "                 JOIN pg_attribute h ON h.attrelid = c.conrelid AND h.attnum = k.here AND h.attname = 'org_id'"
        "                 JOIN pg_attribute t ON t.attrelid = c.confrelid AND t.attnum = k.there AND t.attname = 'org_id')"
        "  FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace"
    ).fetchall()
    apart = []
    for table, to, by_org in keys:
        of_one_org = table in DISTRIBUTED and to in DISTRIBUTED and by_org
        onto_every_node = table in ELSEWHERE and to in REFERENCE
        if not (of_one_org or onto_every_node or (table in LOCAL and to in LOCAL)):
            apart.append(f"{table} -> {to}")
    assert apart == []
    assert len(keys) > 20


def test_foreign_keys_point_to_tables_that_are_distributed_before(owner_connection):
    keys = owner_connection.execute(
        "SELECT c.conrelid::regclass::text, c.confrelid::regclass::text FROM pg_constraint c"
        " WHERE c.contype = 'f' AND c.conrelid = ANY (%s::text[]::regclass[])",
        [list(ELSEWHERE)],
    ).fetchall()
    order = [*REFERENCE, *DISTRIBUTED]
    assert [key for key in keys if order.index(key[1]) > order.index(key[0])] == []


def test_no_policy_has_a_sub_select(owner_connection):
    rows = owner_connection.execute(
        "SELECT tablename, policyname FROM pg_policies"
        " WHERE coalesce(qual, '') || coalesce(with_check, '') ~* '\\mselect\\M'"
    ).fetchall()
    assert rows == []


def test_every_table_of_an_org_is_walled(owner_connection):
    rows = owner_connection.execute(
        "SELECT c.relname FROM pg_class c"
        " WHERE c.oid = ANY (%s::text[]::regclass[]) AND NOT c.relforcerowsecurity ORDER BY 1",
        [list(ELSEWHERE)],
    ).fetchall()
    # The index of passages has no grant instead; models belong to no org.
    assert {name for (name,) in rows} == {
        *("passages", "postings", "recall_vocabulary", "recall_actors", "passage_vectors"),
        "embeddings_underway",
        "embedding_models",
    }


def test_only_the_notification_of_keys_is_a_trigger(owner_connection):
    """`migrate --citus` drops these triggers; the service notifies by itself there (Query.changes_keys)."""
    rows = owner_connection.execute(
        "SELECT DISTINCT t.tgrelid::regclass::text, t.tgfoid::regproc::text FROM pg_trigger t"
        " WHERE NOT t.tgisinternal AND t.tgrelid = ANY (%s::text[]::regclass[])",
        [list(ELSEWHERE)],
    ).fetchall()
    assert set(rows) == {
        (table, "notify_keys_changed") for table in ("api_keys", "agents", "workspaces", "users")
    }


@pytest.mark.parametrize(
    ("text", "notifies"),
    [
        ("UPDATE api_keys SET revoked_at = %(now)s", True),
        ("WITH gone AS (DELETE FROM agents RETURNING id) SELECT 1", True),
        ("INSERT INTO agents AS a (org_id) VALUES (1)\nON CONFLICT (org_id) DO UPDATE SET name = 'x'", True),
        ("INSERT INTO users (org_id, id, owner) VALUES (1, 2, true)", True),
        ("INSERT INTO users (org_id, id) VALUES (1, 2) ON CONFLICT DO NOTHING", False),
        ("INSERT INTO api_keys (org_id, id) VALUES (1, 2)", False),
        ("SELECT 1 FROM users", False),
        ("-- changes keys: by a function\nSELECT f()", True),
    ],
)  # fmt: skip
def test_a_statement_that_can_change_a_keys_lookup_is_known(text, notifies):
    assert Query("some", text).changes_keys is notifies


# --- functions -----------------------------------------------------------------------------------------------------------


def functions_on_citus():
    """Each function as it is applied on Citus: its name, its text."""
    for file in migrate.declared().function_files:
        for part in re.split(
            r"(?=^CREATE OR REPLACE )", citus.function_text(file.text), flags=re.MULTILINE
        ):
            found = re.match(r"CREATE OR REPLACE (?:FUNCTION|PROCEDURE) (\w+)", part)
            if found:
                yield found[1], part


def test_no_function_takes_a_row_of_a_table(owner_connection):
    """On a worker the row is one of a shard, which has another type."""
    rows = owner_connection.execute(
        "SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_type t ON t.oid = ANY (p.proargtypes::oid[])"
        "  JOIN pg_class c ON c.oid = t.typrelid"
        " WHERE p.pronamespace = 'public'::regnamespace AND c.relname = ANY (%s)",
        [list(ELSEWHERE)],
    ).fetchall()
    assert rows == []


def test_every_statement_of_a_function_names_the_org():
    silent = [
        f"{name}: {place}"
        for name, text in functions_on_citus()
        for statement in text.split(";")
        for place in without_org(statement)
    ]
    assert silent == []


def test_no_function_in_sql_reads_a_table_on_citus():
    """Citus plans a statement of one only for known values; and one that names tables would depend on what depends on it."""
    reads = re.compile(
        r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:" + "|".join((*ELSEWHERE, *LOCAL)) + r")\b"
    )
    texts = dict(functions_on_citus())
    assert [
        name for name, text in texts.items() if "LANGUAGE sql" in text and reads.search(bare(text))
    ] == []
    assert "LANGUAGE plpgsql IMMUTABLE" in texts["sees"]
    assert len(texts) > 50


def test_functions_that_are_called_with_columns_are_immutable_on_citus():
    stable = [
        name
        for name, text in functions_on_citus()
        if re.search(r"LANGUAGE sql STABLE", text) and not re.search(r"FUNCTION \w+\(\)", text)
    ]
    assert stable == []


def test_nothing_forces_a_generic_plan_on_citus():
    assert [name for name, text in functions_on_citus() if "force_generic_plan" in text] == []


def test_functions_enter_an_org_by_the_one_function_that_reaches_workers():
    setters = [name for name, text in functions_on_citus() if "set_config('holdfast.org'" in text]
    assert setters == ["enter_org"]
    assert "SET LOCAL holdfast.org" in dict(functions_on_citus())["enter_org"]


def test_delegated_functions_take_the_org_and_check_it():
    texts = dict(functions_on_citus())
    for name in DELEGATED:
        assert re.search(rf"FUNCTION {name}\(\s*in_org text", texts[name]), name
        assert "entered_org(in_org)" in texts[name], name


# --- statements ----------------------------------------------------------------------------------------------------------

BY_ORG = re.compile(
    r"org_id = (?:\$\d+|current_org\(\)|'[^']*'::text)|(?:\$\d+|current_org\(\)) = \S*org_id"
)
CONDITIONS = ("Index Cond", "Recheck Cond", "Filter")


def scans(node):
    """Each scan of a table in a plan: the table, its conditions."""
    below = node.get("Plans", [])
    if "Relation Name" in node and node["Node Type"] != "ModifyTable":
        parts = [node, *(each for each in below if each["Node Type"].startswith("Bitmap"))]
        yield (
            node["Relation Name"],
            " ".join(str(part[name]) for part in parts for name in CONDITIONS if name in part),
        )
    for each in below:
        yield from scans(each)


def numbered(query):
    """The statement with $1, $2, … in place of its named parameters."""
    names: list[str] = []

    def number(match):
        if match["name"] not in names:
            names.append(match["name"])
        return f"${names.index(match['name']) + 1}"

    return re.sub(r"%\((?P<name>\w+)\)s", number, query.text).replace("%%", "%")


def test_every_table_of_a_statement_is_compared_with_a_known_org(owner_connection):
    """As Postgres plans it, and so as Citus finds the node: a comparison with another table's org may not be enough. Planned on
    copies of the tables without policies, which would add the comparison everywhere."""
    connection = owner_connection
    if connection.info.server_version < 160_000:
        pytest.skip("EXPLAIN (GENERIC_PLAN) came with Postgres 16")
    with connection.transaction(force_rollback=True):
        connection.execute("CREATE SCHEMA planned")
        for table in ELSEWHERE:
            connection.execute(f"CREATE TABLE planned.{table} (LIKE public.{table} INCLUDING ALL)")
        connection.execute(
            "SELECT set_config('search_path', 'planned, public', true), set_config('holdfast.org', 'org_x', true),"
            "       set_config('enable_seqscan', 'off', true)"
        )
        found, anywhere = 0, []
        for case in QUERIES:
            text = f"EXPLAIN (GENERIC_PLAN, FORMAT JSON) {numbered(case.values[0])}"
            [[plan]] = connection.execute(text.encode()).fetchall()
            plan = json.loads(plan) if isinstance(plan, str) else plan
            for table, conditions in scans(plan[0]["Plan"]):
                if table in DISTRIBUTED:
                    found += 1
                    if not BY_ORG.search(conditions):
                        anywhere.append(f"{case.id}: {table} ({conditions})")
    assert anywhere == []
    assert found > 300


@pytest.mark.parametrize("query", QUERIES)
def test_a_statement_can_be_routed(query):
    assert list(without_org(query.text)) == []
    assert list(copied(query.text)) == []


def test_no_statement_calls_the_coordinators_functions_beside_tables_of_other_nodes():
    tables = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:" + "|".join(ELSEWHERE) + r")\b")
    calls = re.compile(r"\b(?:" + "|".join(COORDINATOR) + r")\(")
    mixed = [
        case.id
        for case in QUERIES
        if calls.search(case.values[0].text) and tables.search(bare(case.values[0].text))
    ]
    assert mixed == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT 1 FROM memories m WHERE m.org_id = %(org_id)s", []),
        ("SELECT 1 FROM memories WHERE org_id = %(org_id)s", []),
        ("SELECT 1 FROM memories m WHERE m.id = 'm.org_id = 1' -- m.org_id = 1", ["FROM memories"]),
        ("SELECT 1 FROM nodes n WHERE n.org_id = 1 AND EXISTS (SELECT FROM entries e WHERE e.id = n.id)", ["FROM entries"]),
        ("DELETE FROM entries WHERE id = 1", ["FROM entries"]),
        ("INSERT INTO entries (id) VALUES (1)", ["INSERT INTO entries"]),
        ("INSERT INTO entries (org_id, id) VALUES (1, 2)", []),
        ("SELECT 1 FROM projects", []),
    ],
)  # fmt: skip
def test_a_statement_without_an_org_is_found(text, found):
    assert list(without_org(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("INSERT INTO entries (org_id) SELECT 1", ["entries"]),
        (
            "WITH a AS (INSERT INTO entries (org_id) SELECT 1) SELECT 1 FROM b RETURNING 1",
            ["entries"],
        ),
        ("INSERT INTO entries (org_id) SELECT 1 RETURNING id", []),
        ("INSERT INTO entries (org_id) SELECT 1 ON CONFLICT DO NOTHING", []),
        ("INSERT INTO entries (org_id) VALUES (1)", []),
    ],
)
def test_rows_that_would_be_copied_are_found(text, found):
    assert list(copied(text)) == found


# --- migrate --citus ---------------------------------------------------------------------------------------------------


def test_a_database_without_citus_is_refused_and_left_alone(service):
    with pytest.raises(DatabaseUnfit, match="extension citus is not in this database"):
        migrate.migrate(service.owner_url, on_citus=True)
    with pytest.raises(DatabaseUnfit, match="extension citus is not in this database"):
        migrate.pending(service.owner_url, on_citus=True)
    assert migrate.pending(service.owner_url) == []
