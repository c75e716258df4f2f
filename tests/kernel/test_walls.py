"""What the database itself enforces, asked of its catalogue and tried with raw SQL as the application's role."""

import psycopg
import pytest

# Tables that hold no content and belong to no org, each with its reason in its migration.
NO_ORG = {"sign_in_failures", "embedding_models", "backups"}


@pytest.fixture
def as_app(service):
    with psycopg.connect(service.app_url, options="-c role=holdfast_app") as connection:
        yield connection


def _tables(connection):
    rows = connection.execute(
        "SELECT c.oid::regclass::text, c.relrowsecurity AND c.relforcerowsecurity,"
        "       EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'org_id'),"
        "       has_table_privilege('holdfast_app', c.oid, 'SELECT')"
        "  FROM pg_class c"
        " WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace"
        "   AND c.relname NOT LIKE 'procrastinate%%' AND c.relname NOT LIKE 'schema%%'"
    ).fetchall()
    return {name: (walled, has_org, readable) for name, walled, has_org, readable in rows}


def test_every_table_is_walled_or_out_of_the_roles_reach(owner_connection):
    tables = _tables(owner_connection)
    assert len(tables) > 10
    for name, (walled, has_org, readable) in tables.items():
        if name in NO_ORG:
            continue
        assert has_org, f"{name} has no org_id"
        assert walled or not readable, f"{name} is open to the application's role without a wall"


def test_every_key_and_unique_index_starts_with_the_org(owner_connection):
    rows = owner_connection.execute(
        "SELECT i.indexrelid::regclass::text, t.relname, a.attname"
        "  FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid"
        "  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]"
        " WHERE i.indisunique AND t.relnamespace = 'public'::regnamespace"
        "   AND t.relname NOT LIKE 'procrastinate%%' AND t.relname NOT LIKE 'schema%%'"
    ).fetchall()
    assert rows
    wrong = [row for row in rows if row[2] != "org_id" and row[1] not in NO_ORG]
    assert not wrong


def test_every_foreign_key_starts_with_the_org(owner_connection):
    rows = owner_connection.execute(
        "SELECT c.conname, a.attname FROM pg_constraint c"
        "  JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]"
        "  JOIN pg_class t ON t.oid = c.conrelid"
        " WHERE c.contype = 'f' AND t.relname NOT LIKE 'procrastinate%%'"
    ).fetchall()
    assert rows
    assert [row for row in rows if row[1] != "org_id"] == []


def test_the_applications_role_owns_nothing_and_bypasses_nothing(owner_connection):
    assert owner_connection.execute(
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,"
        "       EXISTS (SELECT FROM pg_class c WHERE c.relowner = r.oid)"
        "  FROM pg_roles r WHERE rolname = 'holdfast_app'"
    ).fetchone() == (False, False, False, False, False)


def test_without_an_org_a_query_fails_rather_than_answers(as_app):
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no org is set"):
        as_app.execute("SELECT * FROM revisions")


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE orgs DISABLE ROW LEVEL SECURITY",
        "DROP POLICY of_this_org ON orgs",
        "CREATE POLICY mine ON orgs USING (true)",
        "ALTER ROLE holdfast_app BYPASSRLS",
        "SET ROLE holdfast_owner",
        "SET SESSION AUTHORIZATION holdfast_owner",
        "TRUNCATE revisions",
        "CREATE TABLE mine (a int)",
        "SET row_security = off; SELECT * FROM orgs",
    ],
)
def test_the_applications_role_cannot_take_the_wall_down(as_app, statement):
    with pytest.raises(
        (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidParameterValue)
    ):
        as_app.execute(statement)


async def test_raw_sql_as_one_org_reaches_nothing_of_another(as_app, owner_connection, make_org):
    one, other = await make_org(), await make_org()
    await one.client().put("/workspaces/secret-place", json={"name": "the secret name"})
    as_app.execute("SELECT set_config('holdfast.org', %s, false)", [other.id])
    tables = _tables(owner_connection)
    readable = [name for name, (_, has_org, readable) in tables.items() if has_org and readable]
    assert len(readable) > 10
    for name in readable:
        seen = as_app.execute(f"SELECT count(*) FROM {name} WHERE org_id <> %s", [other.id])
        assert seen.fetchone() == (0,), name
        changed = as_app.execute(f"DELETE FROM {name} WHERE org_id = %s", [one.id])
        assert changed.rowcount == 0, name
    as_app.rollback()


async def test_a_digest_opens_its_own_row_and_no_other(as_app, make_org):
    one, other = await make_org(), await make_org()
    from holdfast.kernel.auth import digest_of

    as_app.execute(
        "SELECT set_config('holdfast.org', '-', true), set_config('holdfast.proof', %s, true)",
        [digest_of(one.key)],
    )
    rows = as_app.execute("SELECT org_id FROM api_keys").fetchall()
    assert rows == [(one.id,)]
    assert other.id != one.id
