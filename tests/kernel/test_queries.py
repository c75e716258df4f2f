"""Postgres plans every query of every .sql file, so that none is found broken by a caller."""

import re
from pathlib import Path

import psycopg
import pytest

import holdfast
from holdfast.kernel.sql import Queries

ROOT = Path(holdfast.__file__).parent
FILES = sorted(
    path
    for path in ROOT.rglob("*.sql")
    if path.parent.name != "migrations" and not path.name.endswith("functions.sql")
)
QUERIES = [
    pytest.param(query, id=f"{path.parent.name}/{path.stem}:{query.name}")
    for path in FILES
    for query in Queries(path)
]


def test_there_are_queries():
    assert len(QUERIES) > 40


@pytest.mark.parametrize("query", QUERIES)
def test_postgres_plans_it(service, query):
    names: list[str] = []

    def number(match):
        if match["name"] not in names:
            names.append(match["name"])
        return f"${names.index(match['name']) + 1}"

    numbered = re.sub(r"%\((?P<name>\w+)\)s", number, query.text).replace("%%", "%")
    with psycopg.connect(service.app_url, options="-c role=holdfast_app") as connection:
        connection.execute("SELECT set_config('holdfast.org', 'org_planner', true)")
        # Raw bytes without parameters go as a simple query: the $n stay for EXPLAIN to plan generically.
        connection.execute(f"EXPLAIN (GENERIC_PLAN) {numbered}".encode())
        connection.rollback()


@pytest.mark.parametrize(
    ("call", "inlined"),
    [
        ("later(updated_at, now())", "GREATEST"),
        ("matches(version, ARRAY[1, 2])", "ANY ('{1,2}'::integer[])"),
    ],
)
def test_small_functions_are_put_in_place_of_their_call(owner_connection, call, inlined):
    """Called for every row, they would cost more than what they say."""
    owner_connection.execute("SELECT set_config('holdfast.org', 'org_planner', false)")
    plan = owner_connection.execute(f"EXPLAIN (VERBOSE) SELECT {call} FROM jobs").fetchall()
    assert inlined in "\n".join(line for (line,) in plan)
