"""Every table of the schema travels in an export, or has a written reason why not."""

from holdfast.exchange.tables import LEFT_OUT, TABLES
from tests.contract.test_erasure_rules import tables


def test_every_table_travels_or_has_a_reason(owner_connection):
    travels = {table.name for table in TABLES}
    found = tables(owner_connection)
    without = found - travels - LEFT_OUT.keys()
    assert without == set(), "add a line to src/holdfast/exchange/tables.py"
    assert (travels | LEFT_OUT.keys()) - found == set()
    assert not travels & LEFT_OUT.keys()


def test_what_rows_refer_to_is_imported_before_them(owner_connection):
    order = [table.name for table in TABLES]
    references = owner_connection.execute(
        "SELECT c.conrelid::regclass::text, c.confrelid::regclass::text FROM pg_constraint c"
        " WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace"
    )
    late = [
        (table, referred)
        for table, referred in references
        if table in order and referred in order and order.index(referred) > order.index(table)
    ]
    assert late == []


def test_columns_that_name_people_or_agents_are_declared(owner_connection):
    """A table with a column user_id that is not chosen by it would be missing from a person's export."""
    for column in ("user", "agent"):
        rows = owner_connection.execute(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = %s",
            [f"{column}_id"],
        )
        named = {name for (name,) in rows} & {table.name for table in TABLES}
        assert len(named) > 5
        undeclared = {t.name for t in TABLES if t.name in named and getattr(t, column) is None}
        assert undeclared == set(), column
