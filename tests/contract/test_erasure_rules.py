"""Every table of the schema has a rule of erasure, or a written reason why it needs none."""

from holdfast.erasure.rows import queries
from holdfast.erasure.rules import ERASED, OTHERS, REWRITTEN, Kept


def tables(connection):
    """Every table but the queue's, which holds ids of orgs and jobs only (kernel/jobs.py)."""
    rows = connection.execute(
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
        " AND relname NOT LIKE 'procrastinate%'"
    )
    return {name for (name,) in rows}


def test_every_table_has_a_rule_of_erasure_or_a_reason(owner_connection):
    found = tables(owner_connection)
    without = found - ERASED.keys() - OTHERS.keys()
    assert without == set(), "add a rule or a reason to src/holdfast/erasure/rules.py"
    assert (ERASED.keys() | OTHERS.keys()) - found == set(), "rules of tables that are not there"


def test_a_rule_is_a_statement_and_a_reason_is_a_sentence():
    named = {query.name for query in queries}
    assert {f"erase_{table}" for table in ERASED} <= named
    assert all(len(rule.reason) > 10 for rule in OTHERS.values() if isinstance(rule, Kept))
    assert not ERASED.keys() & OTHERS.keys()


def test_what_may_have_held_a_text_is_rewritten(owner_connection):
    kept = {name for name, rule in OTHERS.items() if isinstance(rule, Kept)}
    assert tables(owner_connection) - kept <= set(REWRITTEN)


def test_tables_that_carry_a_user_have_a_rule(owner_connection):
    """A reason is not enough for a table with a column that names a person."""
    rows = owner_connection.execute(
        "SELECT DISTINCT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND NOT a.attisdropped"
        " AND a.attname IN ('user_id', 'created_by', 'content', 'value', 'message', 'body')"
    )
    carrying = {name for (name,) in rows if not name.startswith("procrastinate")}
    assert {name for name in carrying if isinstance(OTHERS.get(name), Kept)} == set()
