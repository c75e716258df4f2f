"""The service on a coordinator with two workers of Citus; skipped where Citus is not installed."""

import random
from pathlib import Path

import psycopg
import pytest

from holdfast.bootstrap import create_org
from holdfast.kernel import migrate
from holdfast.kernel.db import Database
from holdfast.kernel.distribution import DISTRIBUTED, LOCAL, REFERENCE
from holdfast.settings import read_settings
from holdfast.walls.probe import prove
from tests.citus_cluster import DATABASE, citus_cluster
from tests.conftest import Org, free_port, scratch
from tests.kernel.recall import test_large as large


@pytest.fixture(scope="module")
def nodes():
    folder, _ = scratch()
    with folder, citus_cluster(Path(folder.name), [free_port() for _ in range(3)]) as running:
        migrate.migrate(running[0].url("postgres", DATABASE), on_citus=True)
        yield running


@pytest.fixture
def url(nodes):
    return nodes[0].url("postgres", DATABASE)


def test_every_table_lies_where_it_is_declared(url):
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT logicalrelid::text, partmethod, repmodel FROM pg_dist_partition"
        ).fetchall()
    assert {name for name, method, _ in rows if method == "h"} == set(DISTRIBUTED)
    assert {name for name, _, model in rows if model == "t"} == set(REFERENCE)
    assert not {name for name, _, _ in rows} & set(LOCAL)


def test_a_distributed_database_stays_so_without_being_told(url):
    assert migrate.pending(url) == []
    assert migrate.migrate(url) == []


@pytest.mark.timeout(900)
async def test_every_route_works_and_no_wall_is_breached(url, tmp_path):
    """Objects of every face are made, and every route is asked for them by another org and by another user."""
    settings = read_settings(data_dir=tmp_path, database_url=url)
    proofs = await prove(settings, url, url)
    assert [line for proof in proofs for line in proof.breaches] == []
    assert all(proof.requests > 200 for proof in proofs)


async def test_a_large_scope_is_asked_by_its_index(url):
    """Beyond 10,000 passages the arms ask the indexes, on the worker that has the org's shard."""
    async with Database(url, min_size=1, max_size=2).opened() as db:
        org_id, key = await create_org(db, "large")
        org = Org(org_id, key, db, url, [])
        with psycopg.connect(url, autocommit=True) as own:
            exact = large.filled_scope(own, org)
            vector = large.somewhere(random.Random(3))
            found = {each.object_id for each in await large.candidates(db, org, vector=vector)}
            assert len(found & set(exact(vector))) >= 0.8 * large.ARM
        said = await large.candidates(db, org, text="common rare")
        assert len(said) == large.SIZE // 100


async def test_a_worker_shows_only_the_org_that_was_entered(nodes, url):
    async with Database(url, min_size=1, max_size=2).opened() as db:
        org_id, _ = await create_org(db, "one")
    seen = []
    for node in nodes:
        with psycopg.connect(node.url("holdfast_app", DATABASE), autocommit=True) as connection:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("SELECT count(*) FROM users WHERE org_id = %s", [org_id])
            for entered in ("another", org_id):
                connection.execute("SELECT set_config('holdfast.org', %s, false)", [entered])
                seen.append(
                    connection.execute(
                        "SELECT count(*) FROM users WHERE org_id = %s", [org_id]
                    ).fetchone()[0]
                )
    assert seen == [0, 1] * 3
