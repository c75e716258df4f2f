"""The hygiene page: measured at once where there are few rows, by a job where there are many; fixes and their previews."""

import re

from holdfast.kernel.sql import Query
from holdfast.learning.consolidation.hygiene import FEW_ROWS
from tests.console.waiting import over

EXPIRE = Query(
    "expire",
    "UPDATE memories SET expires_at = %(now)s - interval '1 hour' WHERE org_id = %(org_id)s AND id = %(id)s",
)
TEA = "Ana drinks oolong at ten"


async def save(api, *keys, value=TEA, **more):
    """Memories of the same words; their ids."""
    saved = [await api.post("/memories", json={"key": key, "value": value, **more}) for key in keys]
    assert {each.status_code for each in saved} == {201}
    return [each.json()["id"] for each in saved]


async def test_who_has_nothing_is_told_what_would_be_looked_through(ana):
    page = await ana.open("/hygiene")
    assert "There is nothing to look through yet" in page
    assert "Fix duplicates" not in page


async def test_few_rows_are_compared_at_once_and_the_pairs_are_linked(ana, ben, api_of_ana):
    stays, goes = await save(api_of_ana, "tea", "drink")
    page = await ana.open("/hygiene")
    assert 'data-th="Rows">2<' in page
    assert 'data-th="Duplicates">1<' in page
    pair = page.split('id="duplicates"')[1].split("</section>")[0]
    assert pair.index(f"/memories/{stays}") < pair.index(f"/memories/{goes}")
    assert 'href="#duplicates"' in page
    assert "Measure again" not in page
    assert TEA not in await ben.open("/hygiene")


async def test_contradictions_are_shown_with_the_newer_statement(ana, api_of_ana):
    [old] = await save(api_of_ana, "city", value="I live in Porto.")
    [new] = await save(api_of_ana, "town", value="I live in Bergen.")
    page = await ana.open("/hygiene")
    pair = page.split('id="contradictions"')[1].split("</section>")[0]
    assert pair.index(f"/memories/{new}") < pair.index(f"/memories/{old}")
    assert 'id="duplicates"' not in page


async def test_a_fix_is_a_job_that_can_be_reverted(ana, api_of_ana):
    await save(api_of_ana, "tea", "drink")
    await ana.send("/hygiene", status=400, kind="everything")
    queued = await ana.send("/hygiene", kind="duplicates")
    job_id = queued.headers["location"].rsplit("/", 1)[1]
    assert (await over(api_of_ana, job_id))["status"] == "succeeded"
    assert len((await api_of_ana.get("/memories")).json()["data"]) == 1
    page = await ana.open(f"/jobs/{job_id}")
    assert re.search(rf'action="/jobs/{job_id}/revert"', page)
    await ana.send(f"/jobs/{job_id}/revert", status=200)
    assert len((await api_of_ana.get("/memories")).json()["data"]) == 2


async def test_what_is_over_is_previewed_and_nothing_is_changed(ana, ben, api_of_ana, db, org):
    [gone] = await save(api_of_ana, "offer", value="The offer ends today.")
    async with db.begin(org.caller("ana")) as tx:
        await tx.run(EXPIRE, id=gone)
    [stays] = await save(api_of_ana, "tea")
    page = await ana.open("/hygiene?preview=expired")
    assert "Fixing expired would retire 1 row" in page
    would = page.split('id="would"')[1]
    assert f"/memories/{gone}" in would
    assert stays not in would
    assert "Nothing to do" in await ana.open("/hygiene?preview=unused")
    assert "Nothing to do" in await ana.open("/hygiene?preview=core")
    assert "Nothing to do" in await ben.open("/hygiene?preview=expired")
    await ana.open("/hygiene?preview=duplicates", 400)
    row = (await api_of_ana.get(f"/memories/{gone}", params={"include_expired": True})).json()
    assert (row["version"], row["valid_to"]) == (1, None)


async def test_many_rows_are_compared_by_a_job_whose_result_holds_no_text(ana, ben, api_of_ana):
    rows = [{"key": f"fact {n}", "value": f"Shelf {n} holds box {n}"} for n in range(FEW_ROWS)]
    many = await api_of_ana.post("/memories/batch", json={"memories": rows})
    assert many.status_code in (200, 201), many.text
    stays, goes = await save(api_of_ana, "tea", "drink")
    page = await ana.open("/hygiene")
    assert "Not measured yet" in page
    assert TEA not in page

    asked = await ana.send("/hygiene/measure")
    assert asked.headers["location"] == "/hygiene?notice=measuring"
    jobs = (await api_of_ana.get("/jobs")).json()["data"]
    job_id = next(job["id"] for job in jobs if job["kind"] == "hygiene")
    job = await over(api_of_ana, job_id)
    assert job["status"] == "succeeded", job["error"]
    assert job["result"]["pairs"]["duplicates"] == [["memory", stays, goes]]
    assert TEA not in str(job)

    page = await ana.open("/hygiene")
    assert f'data-th="Rows">{FEW_ROWS + 2}<' in page
    assert 'data-th="Duplicates">1<' in page
    assert f"/memories/{goes}" in page.split('id="duplicates"')[1]
    assert TEA in page
    assert "Measured" in page
    assert "data-again" not in page
    assert "/hygiene" in (await ana.open(f"/jobs/{job_id}")).split("<main")[1]

    await api_of_ana.patch(f"/memories/{goes}", json={"value": "Ana has stopped drinking tea"})
    assert "Ana has stopped" in await ana.open("/hygiene")  # read when it is shown
    await ana.send(f"/memories/{goes}/retire")
    assert 'id="duplicates"' not in await ana.open("/hygiene")
    assert "Measured" not in await ben.open("/hygiene")
