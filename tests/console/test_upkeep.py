"""Jobs, what they learned, reverting them; receipts of erasures; activity."""

from datetime import timedelta
from html import escape

from holdfast.kernel import clock, jobs
from tests.console.waiting import over


async def settled(api, *texts):
    """A session that was learned from; the job."""
    messages = [{"role": "user", "content": text} for text in texts]
    said = await api.post("/sessions/talk/messages", json={"messages": messages})
    assert said.status_code in (200, 201), said.text
    asked = await api.post("/sessions/talk/settle")
    return await over(api, asked.json()["job_id"])


async def test_a_job_shows_what_it_learned_and_is_reverted_as_far_as_nobody_changed_it(
    ana, ben, api_of_ana
):
    job = await settled(
        api_of_ana,
        "Remember that I park on level 3.",
        "Remember that the spare key hangs in the shed.",
    )
    path = f"/jobs/{job['id']}"
    page = await ana.open(path)
    assert "What it learned" in page
    assert "parks on level 3" in page
    assert "data-again" not in page  # what is over is not fetched again
    rows = (await api_of_ana.get("/memories")).json()["data"]
    key = next(row for row in rows if "shed" in row["value"])
    await api_of_ana.patch(f"/memories/{key['id']}", json={"value": "It hangs in the garage."})
    await ben.send(f"{path}/revert", status=404)
    undone = (await ana.send(f"{path}/revert", status=200)).text
    assert "<h1>Reverted</h1>" in undone
    assert "Kept as they are" in undone
    assert "changed since" in undone.split(key["id"])[-1]
    left = [row["value"] for row in (await api_of_ana.get("/memories")).json()["data"]]
    assert left == ["It hangs in the garage."]
    again = (await ana.send(f"{path}/revert", status=200)).text
    assert "0 objects are" in again
    decided = await ana.open(f"/proposals?status=reverted&job_id={job['id']}")
    assert "parks on level 3" in decided
    assert "data-open" not in decided  # nothing is left to decide


async def test_a_job_that_waits_is_cancelled_and_tried_again(ana, ben, db, org):
    caller = org.caller("ana")
    later = clock.now() + timedelta(hours=1)
    async with db.begin(caller) as tx:
        job_id = await jobs.enqueue(tx, "settle", "a session that is not there", not_before=later)
    path = f"/jobs/{job_id}"
    page = await ana.open(path)
    assert "waits for its turn" in page
    assert 'data-again="2"' in page
    assert "Not before" in page
    await ben.open(path, 404)
    await ben.send(f"{path}/cancel", status=404)
    await ana.send(f"{path}/cancel")
    assert "Try again" in await ana.open(path)
    await ana.send(f"{path}/cancel", status=409)
    assert path in await ana.open("/jobs?status=cancelled")
    assert path not in await ana.open("/jobs?status=running")
    await ana.open("/jobs?status=done", 400)
    await ana.send(f"{path}/retry")
    assert "Try again" not in await ana.open(path)


async def test_a_receipt_is_shown_and_checked_and_only_to_administrators(ana, ben, erased):
    receipt = await erased("cleo")
    listed = await ana.open("/erase")
    assert f'href="/erase/{receipt.id}"' in listed
    page = await ana.open(f"/erase/{receipt.id}")
    assert receipt.pseudonym in page
    assert "not yet: the files" in page
    assert f"holdfast erase --verify {receipt.id}" in page
    assert "cleo" not in page.split("<main")[1]
    checked = await ana.open(f"/erase/{receipt.id}?verify=1")
    assert "Checked:" in checked
    assert "the receipt is intact" in checked
    assert "the files are not rewritten yet" in checked
    await ana.open("/erase/rcpt_" + "0" * 32, 404)
    assert receipt.id not in await ben.open("/erase")
    assert (await ben.http.get(f"/erase/{receipt.id}")).status_code in (403, 404)


async def test_activity_says_who_changed_what_and_leads_to_it(ana, ben, org, api_of_ana):
    memory = (await api_of_ana.post("/memories", json={"key": "tea", "value": "green"})).json()
    await org.client().put("/agents/bot", json={"name": "Bot"})
    await ana.send("/projects", project_id="plan", visibility="private")
    for scope, client in (("user", api_of_ana), ("agent", org.client())):
        entry = {"content": "Answer briefly", "scope": scope}
        await client.put("/agents/bot/entries/how%20long", json=entry)
    for agent in ({}, {"agent_id": "bot"}):
        await ana.send("/blocks/core", content="Likes tea", expected_updated_at="", **agent)
    said = {"key": "chat:one", "messages": [{"role": "user", "content": "hello"}]}
    appended = await api_of_ana.post("/conversations/sessions/append", json=said)
    assert appended.status_code == 200
    page = await ana.open("/activity")
    for address in (
        f"/memories/{memory['id']}",
        "/agents/bot",
        "/projects/plan",
        "/conversations/sessions/messages?key=chat%3Aone",
        "/entries/bot/entry?key=how+long&scope=user",
        "/entries/bot/entry?key=how+long&scope=agent",
        "/blocks/core",
        "/blocks/core?agent_id=bot",
        "/settings",
    ):
        assert f'href="{escape(address)}"' in page, address
        await ana.open(address)
    only = (await ana.http.get("/activity", params={"kind": "memory"})).text
    assert f"/memories/{memory['id']}" in only
    assert "/agents/bot" not in only.split("<tbody>")[1]
    nothing = (await ana.http.get("/activity", params={"actor": "nobody"})).text
    assert "No change passes the filter" in nothing
    assert memory["id"] not in await ben.open("/activity")
    wrong = await ana.http.get("/activity", params={"since": "yesterday"})
    assert (wrong.status_code, "2026-01-31" in wrong.text) == (400, True)
