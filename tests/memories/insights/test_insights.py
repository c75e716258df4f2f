"""Learning insights, from outside."""

import asyncio

import pytest


async def learn(api, insight="Prefers short answers", **fields):
    answer = await api.post("/insights", json={"insight": insight, **fields})
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def test_an_insight_has_its_fields_and_defaults(api):
    answer = await api.post(
        "/insights",
        json={"insight": "x", "category": "style", "confidence": 0.5, "metadata": {"a": [1]}},
    )
    row = answer.json()
    assert answer.status_code == 201
    assert row["id"].startswith("ins_")
    assert {n: row[n] for n in ("stored", "insight", "category", "source", "confidence", "metadata", "user_id")} == {
        "stored": True, "insight": "x", "category": "style", "source": "conversation", "confidence": 0.5,
        "metadata": {"a": [1]}, "user_id": "owner",
    }  # fmt: skip
    got = (await api.get(f"/insights/{row['id']}")).json()
    assert {**got, "stored": True} == row


async def test_insights_are_their_users_alone(org):
    ana, bob = org.client(holdfast_user="ana"), org.client(holdfast_user="bob")
    row = await learn(ana)
    assert (await bob.get("/insights")).json()["data"] == []
    assert (await bob.get(f"/insights/{row['id']}")).status_code == 404
    assert (await bob.delete(f"/insights/{row['id']}")).status_code == 404
    assert (await bob.delete("/insights")).json() == {"deleted": 0}
    assert len((await ana.get("/insights")).json()["data"]) == 1
    without_user = org.client(await org.mint("agent", agent_id="bot"))
    refused = await without_user.post("/insights", json={"insight": "x"})
    assert (refused.status_code, refused.json()["code"]) == (403, "MEM-001")


async def test_they_are_listed_by_category_deleted_one_by_one_and_wiped(api):
    a, b, c = (
        await learn(api, category="x"),
        await learn(api, category="y"),
        await learn(api, category="x"),
    )
    listed = (await api.get("/insights", params={"category": "x"})).json()["data"]
    assert [row["id"] for row in listed] == [c["id"], a["id"]]
    assert (await api.delete(f"/insights/{b['id']}")).status_code == 204
    assert (await api.delete(f"/insights/{b['id']}")).status_code == 404
    assert (await api.delete("/insights")).json() == {"deleted": 2}
    assert (await api.get("/insights")).json()["data"] == []


async def test_capture_off_stops_new_insights_at_once(org):
    ana = org.client(holdfast_user="ana")
    kept = await learn(ana)
    await ana.patch("/users/me", json={"insight_capture": False})
    answer = await ana.post("/insights", json={"insight": "x"})
    assert (answer.status_code, answer.json()) == (200, {"stored": False, "reason": "capture_off"})
    assert [row["id"] for row in (await ana.get("/insights")).json()["data"]] == [kept["id"]]
    assert (await learn(org.client(holdfast_user="bob")))["stored"]
    await ana.patch("/users/me", json={"insight_capture": True})
    assert (await learn(ana))["stored"]


async def test_an_insight_acknowledged_after_the_switch_is_never_stored(org):
    ana = org.client(holdfast_user="ana")
    await learn(ana)
    answers = await asyncio.gather(
        *(ana.post("/insights", json={"insight": f"i{n}"}) for n in range(10)),
        ana.patch("/users/me", json={"insight_capture": False}),
        *(ana.post("/insights", json={"insight": f"j{n}"}) for n in range(10)),
    )
    stored = [a.json() for a in answers if a.json().get("stored")]
    total = (await ana.get("/insights", params={"limit": 100})).json()["data"]
    assert len(total) == len(stored) + 1
    assert (await ana.post("/insights", json={"insight": "late"})).json()["stored"] is False


@pytest.mark.parametrize(("field", "limit"), [("insight", 500), ("category", 64), ("source", 64)])
async def test_limits_hold_at_the_edge_and_one_past_it(api, field, limit):
    assert (await learn(api, **{"insight": "x", field: "x" * limit}))["stored"]
    refused = await api.post("/insights", json={"insight": "x", field: "x" * (limit + 1)})
    assert (refused.json()["code"], refused.json()["limit"], refused.json()["actual"]) == (
        "limit_exceeded",
        limit,
        limit + 1,
    )


@pytest.mark.parametrize(
    "wrong",
    [{"confidence": 1.1}, {"confidence": -0.1}, {"insight": ""}, {"typo": 1}, {"metadata": []}],
)
async def test_bad_input_is_refused(api, wrong):
    refused = await api.post("/insights", json={"insight": "x", **wrong})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")


async def test_what_is_wiped_is_erased(api, org, text_of_all_rows):
    await api.post(
        "/insights", json={"insight": "quokka-lighthouse"}, headers={"Idempotency-Key": "k"}
    )
    assert "quokka-lighthouse" in text_of_all_rows(org.id)
    await api.delete("/insights")
    assert "quokka-lighthouse" not in text_of_all_rows(org.id)
