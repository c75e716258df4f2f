"""entry_count and total_size are exact at every moment."""

import asyncio
import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.pages import Cursor
from holdfast.stores import entries, listing, service, transfer, versions
from holdfast.stores.entries import Expected
from tests.stores.test_transfer import zipped

PATHS = ["a", "a/b", "é"]
CONTENTS = ["x", "é", "語語", "x" * 300, " ", "y" * 102_401]

steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["create", "update", "rename", "delete", "restore", "redact", "import", "replace"]
        ),
        st.sampled_from(PATHS),
        st.sampled_from(PATHS),
        st.sampled_from(CONTENTS),
        st.integers(0, 3),
    ),
    max_size=12,
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=steps)
async def test_counts_are_exact_after_any_run_of_writes_and_failures(db, org, steps):
    caller = org.caller()
    store_id = (await service.create_store(db, caller, "counted")).id
    for step in steps:
        await take_or_be_refused(db, caller, store_id, step)
        await must_be_exact(db, caller, store_id)


async def take_or_be_refused(db, caller, store_id, step):
    """One write; a refusal is fine, a failure is not."""
    try:
        await take(db, caller, store_id, *step)
    except HoldfastError as refusal:
        if refusal.status >= 500:
            raise


async def take(db, caller, store_id, action, path, other, content, number):
    """One write; it may well be refused."""
    if action == "create":
        await entries.create_entry(db, caller, store_id, path, content)
        return
    if action in ("import", "replace"):
        mode = "replace" if action == "replace" else "upsert"
        body = zipped({path: content, other + "2": "z" * number + "z"})
        await transfer.import_store(db, caller, store_id, body, mode=mode)
        return
    history = await versions.list_versions(
        db, caller, store_id, Cursor(limit=100), versions.Filters(path=path)
    )
    if action in ("restore", "redact"):
        version = history.data[number % len(history.data)] if history.data else None
        if version is None:
            return
        if action == "redact":
            await versions.redact_version(db, caller, store_id, version.id)
            return
        await versions.restore_entry(
            db, caller, store_id, version.entry_id, version_id=version.id, expected=Expected()
        )
        return
    entry = await entries.read_entry_at(db, caller, store_id, path)
    expected = Expected(version=entry.version + number // 3)
    if action == "delete":
        await entries.delete_entry(db, caller, store_id, entry.id, expected=expected)
    else:
        await entries.update_entry(
            db, caller, store_id, entry.id, content=content,
            path=other if action == "rename" else None, expected=expected,
        )  # fmt: skip


async def must_be_exact(db, caller, store_id):
    """The counts against the entries, read in one page."""
    store = await service.read_store(db, caller, store_id)
    page = await listing.list_entries(db, caller, store_id, limit=100, with_content=True)
    assert store.entry_count == len(page.data)
    assert store.total_size == sum(len(each.content.encode()) for each in page.data)


async def test_counts_are_exact_under_any_interleaving(db, org):
    caller = org.caller()
    store_id = (await service.create_store(db, caller, "raced")).id
    chance = random.Random(7)
    actions = ["create", "update", "update", "rename", "delete", "restore", "import", "replace"]

    async def writer(seed):
        mine = random.Random(seed)
        for _ in range(12):
            step = (
                mine.choice(actions), mine.choice(PATHS), mine.choice(PATHS), mine.choice(CONTENTS),
                mine.randrange(3),
            )  # fmt: skip
            await take_or_be_refused(db, caller, store_id, step)

    await asyncio.gather(*(writer(chance.random()) for _ in range(8)))
    await must_be_exact(db, caller, store_id)


async def test_reading_a_store_costs_one_indexed_row(db, org, owner_connection):
    store = await service.create_store(db, org.caller(), "one row")
    with owner_connection.transaction():
        owner_connection.execute("SELECT set_config('holdfast.org', %s, true)", (org.id,))
        owner_connection.execute("SET LOCAL enable_seqscan = off")
        text = service.queries.read_store.text
        plan = owner_connection.execute(
            f"EXPLAIN (ANALYZE, FORMAT JSON) {text}",
            {"org_id": org.id, **service.in_sight(org.caller(), store.id)},
        ).fetchone()[0][0]["Plan"]
    scans = [node for node in nodes(plan) if node.get("Relation Name") == "memory_stores"]
    assert [(scan["Index Name"], scan["Actual Rows"]) for scan in scans] == [
        ("memory_stores_pkey", 1)
    ]
    assert {node.get("Relation Name") for node in nodes(plan)} <= {None, "memory_stores", "orgs"}


def nodes(plan):
    """A plan and everything below it."""
    return [plan, *(below for child in plan.get("Plans", []) for below in nodes(child))]


async def test_what_happens_is_counted_once_it_is_committed(store, anonymous):
    names = (
        'holdfast_store_entries_written_total{action="created"}',
        'holdfast_store_entries_written_total{action="updated"}',
        'holdfast_store_entries_written_total{action="deleted"}',
        'holdfast_store_conflicts_total{cause="version"}',
        'holdfast_store_conflicts_total{cause="path"}',
        'holdfast_store_conflicts_total{cause="if_match"}',
        "holdfast_store_redactions_total",
        'holdfast_store_imports_total{mode="replace"}',
    )

    async def counts():
        lines = (await anonymous.get("/metrics")).text.splitlines()
        found = dict(line.rsplit(" ", 1) for line in lines if line.startswith(names))
        return [float(found.get(name, 0)) for name in names]

    before = await counts()
    entry = await store.write("a", "one")
    await store.update(entry, "two")
    assert (await store.put(entry, "three")).status_code == 409
    assert (await store.create("a")).status_code == 409
    assert (await store.put(entry, "x", headers={"If-Match": '"9"'})).status_code == 412
    assert (await store.redact((await store.versions())[-1]["id"])).status_code == 200
    replaced = await store.api.post(
        f"{store.path}/import", params={"mode": "replace"}, content=zipped({"b": "text"}),
        headers={"Idempotency-Key": "counted"},
    )  # fmt: skip
    assert replaced.status_code == 200, replaced.text
    after = await counts()
    # Other tests write to stores meanwhile: at least what was done here.
    grown = [now - then for now, then in zip(after, before, strict=True)]
    assert all(
        more >= least for more, least in zip(grown, (2, 1, 1, 1, 1, 1, 1, 1), strict=True)
    ), grown
