"""A database's schema as plain values, to compare two of them."""

import psycopg

_OURS = (
    "c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'procrastinate%'"
    " AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = c.oid AND e.deptype = 'e')"
)

OUR_FUNCTIONS = (
    "p.pronamespace = 'public'::regnamespace AND p.proname NOT LIKE 'procrastinate%'"
    " AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = p.oid AND e.deptype = 'e')"
)

# Each gives rows of text; the order of columns is not compared, since ALTER TABLE can only append.
_PARTS = {
    "tables": "SELECT c.relname, c.relkind::text, c.relpersistence::text, c.relrowsecurity::text,"
    " c.relforcerowsecurity::text, c.reloptions::text,"
    " (SELECT array_agg(a::text ORDER BY a::text)::text FROM unnest(c.relacl) a)"
    f" FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'S') AND {_OURS}",
    "columns": "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull::text,"
    " a.attidentity::text, a.attgenerated::text, a.attcollation::regcollation::text,"
    " pg_get_expr(d.adbin, d.adrelid)"
    " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
    " LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum"
    f" WHERE c.relkind IN ('r', 'p') AND {_OURS}",
    "indexes": "SELECT pg_get_indexdef(i.indexrelid), i.indisvalid::text FROM pg_index i"
    f" JOIN pg_class c ON c.oid = i.indrelid WHERE {_OURS}",
    "constraints": "SELECT c.relname, k.conname, pg_get_constraintdef(k.oid) FROM pg_constraint k"
    f" JOIN pg_class c ON c.oid = k.conrelid WHERE {_OURS}",
    "policies": "SELECT c.relname, p.polname, p.polcmd::text, p.polpermissive::text,"
    " ARRAY(SELECT coalesce(r.rolname, 'public') FROM unnest(p.polroles) o LEFT JOIN pg_roles r ON r.oid = o)::text,"
    " pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)"
    f" FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE {_OURS}",
    "triggers": "SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
    f" WHERE NOT t.tgisinternal AND {_OURS}",
    "functions": "SELECT pg_get_functiondef(p.oid),"
    " (SELECT array_agg(coalesce(r.rolname, 'public') || ' ' || a.privilege_type ORDER BY r.rolname)::text"
    "    FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a"
    "    LEFT JOIN pg_roles r ON r.oid = a.grantee)"
    f" FROM pg_proc p WHERE {OUR_FUNCTIONS}",
}


def catalog_of(url: str) -> dict[str, list[tuple[str, ...]]]:
    """Every table, index, policy, trigger, function and grant of ours in this database."""
    with psycopg.connect(url) as connection:
        return {
            part: sorted(connection.execute(query).fetchall(), key=str)
            for part, query in _PARTS.items()
        }
