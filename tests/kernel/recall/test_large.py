"""Scopes too large to be compared whole: what the indexes bring up, against the exact answer."""

import math
import random
from datetime import UTC, datetime

import psycopg
import pytest

from holdfast.kernel.recall.model import Candidate
from holdfast.kernel.recall.passages import queries

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MODEL = "test:eight-dimensions"  # few dimensions, so that the index is built in a moment
SIZE = 11_000  # beyond 10,000 the indexes are asked
SCOPE = "test/large"
ARM = 150

# Every passage says `common`, every hundredth `rare` (and carries that label), one in a thousand expired long ago.
FILL = """
INSERT INTO passages (org_id, scope_id, kind, object_id, number, starts, ends, labels, words, length, at, updated_at,
                      until, importance, pinned)
SELECT %(org)s, recall_scope_id(%(org)s, %(scope)s), 'memory', 'large' || n, 0, 0, 1,
       CASE WHEN n %% 100 = 0 THEN '{tag:rare}'::text[] ELSE '{}' END,
       (CASE WHEN n %% 100 = 0 THEN 'common:1 rare:2' ELSE 'common:1' END)::tsvector, 2, %(now)s, %(now)s,
       CASE WHEN n %% 1000 = 7 THEN %(now)s - interval '1 day' END, 5, false
  FROM generate_series(1, %(size)s) n;
INSERT INTO postings (org_id, scope_id, lexeme, passage_id, tf, tail, length, tail_length)
SELECT p.org_id, p.scope_id, word, p.id, 1, 0, p.length, 0
  FROM passages p, unnest(tsvector_to_array(p.words)) word
 WHERE p.org_id = %(org)s;
INSERT INTO passage_vectors (org_id, model_id, passage_id, scope_id, dimensions, embedding)
SELECT p.org_id, m.id, p.id, p.scope_id, 8,
       l2_normalize((SELECT array_agg(random() - 0.5) FROM generate_series(1, 8 + 0 * p.id))::vector::halfvec)
  FROM passages p, embedding_models m
 WHERE p.org_id = %(org)s AND m.name = %(model)s;
"""

EXACT = """
SELECT p.object_id
  FROM passage_vectors v
  JOIN passages p ON p.org_id = v.org_id AND p.id = v.passage_id
 WHERE v.org_id = %(org)s AND (p.until IS NULL OR p.until > %(now)s) AND p.labels @> %(labels)s
 ORDER BY v.embedding <#> %(vector)s::halfvec
 LIMIT %(limit)s
"""


def fill(own, org, size, statements):
    """Passages by SQL, with or without their vectors."""
    values = {"org": org.id, "scope": SCOPE, "now": NOW, "size": size, "model": MODEL}
    own.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    with own.transaction():
        for statement in FILL.split(";\n")[:statements]:
            own.execute(statement, values)
    own.execute("ANALYZE passages, postings, passage_vectors")
    return values


@pytest.fixture
def filled(org, owner_connection):
    return filled_scope(owner_connection, org)


def filled_scope(own, org):
    """A scope of an org, filled by the schema's owner; the function that asks for its exact neighbours."""
    own.execute("INSERT INTO embedding_models (name) VALUES (%s) ON CONFLICT DO NOTHING", [MODEL])
    own.execute(
        "CREATE INDEX IF NOT EXISTS passage_vectors_8 ON passage_vectors"
        " USING hnsw ((embedding::halfvec(8)) halfvec_ip_ops) WHERE dimensions = 8 AND indexed"
    )
    values = fill(own, org, SIZE, 3)

    def exact(vector, labels=(), limit=ARM):
        asked = {**values, "vector": vector, "labels": list(labels), "limit": limit}
        return [id for (id,) in own.execute(EXACT, asked)]

    return exact


async def candidates(db, org, *, text="", vector=None, labels=(), keep=None):
    return await db.all(
        org.caller(),
        Candidate,
        queries.candidates,
        scopes=[SCOPE],
        kinds=["memory"],
        workspace_id=None,
        labels=list(labels),
        text=text,
        literals="",
        vector=vector,
        model=MODEL,
        lexical_limit=ARM,
        semantic_limit=ARM,
        asked_at=NOW,
        closely=False,
        preferences=None,
        keep=keep,
    )


def somewhere(rng):
    return f"[{','.join(f'{rng.gauss(0, 1):.4f}' for _ in range(8))}]"


async def test_a_large_scope_gives_as_many_as_there_are_and_nearly_the_exact_ones(
    db, org, filled, owner_connection
):
    rng = random.Random(11)
    shares = []
    expired = {f"large{n}" for n in range(7, SIZE, 1000)}
    for _ in range(10):
        vector = somewhere(rng)
        found = {each.object_id for each in await candidates(db, org, vector=vector)}
        assert len(found) == ARM
        assert found.isdisjoint(expired)
        shares.append(len(found & set(filled(vector))) / ARM)
    assert min(shares) >= 0.8
    assert sum(shares) / len(shares) >= 0.9

    # A filter that leaves one in a hundred: all of them, since there are fewer than an arm brings.
    rare = SIZE // 100
    found = await candidates(db, org, vector=somewhere(rng), labels=["tag:rare"])
    assert len({each.object_id for each in found}) == rare

    # A rare word brings up all who say it; one that everybody says decides nothing beside it.
    said = await candidates(db, org, text="common rare")
    assert {each.object_id for each in said} == {f"large{n}" for n in range(100, SIZE + 1, 100)}
    assert all(each.terms == ["rare"] and each.lexical > 0 for each in said)
    # Alone it brings up as many as an arm may.
    assert len(await candidates(db, org, text="common")) == ARM
    await what_lies_beside_the_index_is_compared_as_well(db, org, filled, owner_connection)


async def what_lies_beside_the_index_is_compared_as_well(db, org, filled, owner_connection):
    beside = (
        "UPDATE passage_vectors v SET indexed = false FROM passages p"
        " WHERE p.org_id = v.org_id AND p.id = v.passage_id AND p.org_id = %s AND p.labels = '{tag:rare}'"
    )
    owner_connection.execute(beside, [org.id])
    rng = random.Random(5)
    for _ in range(4):
        vector = somewhere(rng)
        found = await candidates(db, org, vector=vector)
        exact = filled(vector)
        rare = {f"large{n}" for n in range(100, SIZE + 1, 100)}
        ids = {each.object_id for each in found}
        assert len(ids) == ARM
        assert rare & set(exact) <= ids
        assert len(ids & set(exact)) >= 0.8 * ARM
        # Together with the others, in one order.
        by_closeness = sorted(found, key=lambda each: -(each.similarity or 0.0))
        assert by_closeness[0].object_id == exact[0]


async def test_vectors_enter_the_index_once_their_org_is_no_longer_small(db, org, owner_connection):
    own = owner_connection
    own.execute("INSERT INTO embedding_models (name) VALUES (%s) ON CONFLICT DO NOTHING", [MODEL])
    [model] = own.execute("SELECT id FROM embedding_models WHERE name = %s", [MODEL]).fetchone()

    def is_indexed(passage):
        asked = "SELECT recall_is_indexed(%s, %s, %s)"
        return own.execute(asked, [org.id, model, passage]).fetchone() == (True,)

    fill(own, org, 2_499, 1)
    assert not is_indexed(64)
    fill_one = FILL.split(";\n")[0].replace("'large' || n", "'one more'")
    own.execute(fill_one, {"org": org.id, "scope": SCOPE, "now": NOW, "size": 1})
    assert is_indexed(64)  # counted at every 64th
    assert not is_indexed(65)
    own.execute(
        "INSERT INTO passage_vectors (org_id, model_id, passage_id, scope_id, dimensions, embedding)"
        " SELECT p.org_id, %s, p.id, p.scope_id, 8, '[1,0,0,0,0,0,0,0]' FROM passages p WHERE p.org_id = %s LIMIT 1",
        [model, org.id],
    )
    assert is_indexed(65)  # from the first on, all


async def test_a_scope_that_is_plainly_large_is_measured_by_a_sample(db, org, owner_connection):
    size = 41_000  # beyond 40,000 nothing is counted
    fill(owner_connection, org, size, 2)
    said = await candidates(db, org, text="common rare")
    assert len(said) == ARM
    assert all(each.terms == ["rare"] for each in said)
    # BM25 of a word in one of a hundred passages of equal length, as if all had been counted.
    df = size // 100
    exact = math.log(1 + (size - df + 0.5) / (df + 0.5))
    assert said[0].lexical == pytest.approx(exact, rel=0.05)


async def kept(db, org, number, **asked):
    """The candidates where so many are read, and those where all are."""
    every = await candidates(db, org, **asked)
    few = await candidates(db, org, keep=number, **asked)
    return {each.object_id for each in few}, every


async def test_the_words_of_what_is_close_count_among_the_best_of_both_arms(
    db, org, owner_connection
):
    """All say `common`, so the sum of both scores is in the order of closeness; of equal words the latest are the best."""
    own, size, keep, surely = owner_connection, 400, 48, 16
    own.execute("INSERT INTO embedding_models (name) VALUES (%s) ON CONFLICT DO NOTHING", [MODEL])
    fill(own, org, size, 3)
    own.execute("UPDATE passages SET until = NULL WHERE org_id = %s", [org.id])
    ids, every = await kept(db, org, keep, text="common", vector=somewhere(random.Random(2)))
    assert len(every) > ARM
    latest = {f"large{n}" for n in range(size - surely + 1, size + 1)}
    closest = sorted(every, key=lambda each: -each.similarity)
    others = [each.object_id for each in closest if each.object_id not in latest]
    assert ids == latest | set(others[: keep - surely])


async def test_of_a_large_scope_the_best_of_both_arms_are_kept(db, org, filled):
    rng = random.Random(3)
    for _ in range(4):
        vector = somewhere(rng)
        ids, every = await kept(db, org, 48, text="common rare", vector=vector)
        assert len(ids) == 48
        assert best_by_both(every, 24) <= ids
        # With a filter, of what it lets through.
        ids, every = await kept(db, org, 48, text="common", vector=vector, labels=["tag:rare"])
        assert len(every) == SIZE // 100
        assert len(ids) >= 48
        assert best_by_both(every, 24) <= ids


def best_by_both(found, number):
    def by_both(each):
        return 0.67 * each.lexical / (each.lexical + 18) + each.similarity

    return {each.object_id for each in sorted(found, key=by_both, reverse=True)[:number]}


def test_what_is_kept_of_a_large_scope_suffices_where_most_may_not_be_shown(
    db, service, org, owner_connection
):
    """The words are searched before the vector is known, and the best hits are kept for it: behind those are the ones with the label."""
    fill(owner_connection, org, SIZE, 2)
    ahead = "SELECT recall_words_ahead(%(org)s, %(scopes)s, NULL, 'common', '')"
    ask = (
        "SELECT object_id FROM recall_candidates(%(org)s, %(given)s, '{memory}', NULL, '{tag:rare}', 'common', '', NULL, NULL,"
        " 150, 150, now(), false, NULL, NULL)"
    )
    values = {"org": org.id, "scopes": [SCOPE], "given": None}
    with psycopg.connect(service.app_url) as raw:
        raw.execute(
            "SELECT set_config('role', 'holdfast_app', true), set_config('holdfast.org', %s, true)",
            [org.id],
        )
        raw.execute(ahead, values)
        found = raw.execute(ask, values).fetchall()
        at_once = raw.execute(ask, {**values, "given": [SCOPE]}).fetchall()
    assert len(found) > 5
    assert sorted(found) == sorted(at_once)
