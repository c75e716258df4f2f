"""People, agents, projects, keys and the settings of the org: what their forms change, and for whom."""

import re

import pytest

from tests.console.conftest import PASSWORD


def field(page, name):
    """The value of an input on a page."""
    return re.search(rf'name="{name}" value="([^"]*)"', page)[1]


async def test_a_person_is_added_after_a_step_up_and_signs_in_by_the_link(ana, ben, browser, org):
    new = {"user_id": "cleo", "email": "Cleo@Example.com", "role": "member"}
    assert 'name="_then" value="/people"' in (await ana.send("/people", status=403, **new)).text
    await ana.step_up()
    shown = (await ana.send("/people", status=200, **new)).text
    link = re.search(r"http://[^<]+/sign-in\?link=[\w-]+", shown)[0]
    cleo = browser()
    assert (await cleo.http.get(link)).headers["location"] == "/"
    assert "<code>cleo</code>" in await cleo.open("/account")
    assert (await browser().http.get(link)).status_code == 401  # it opens once
    listed = await ana.open("/people")
    assert "cleo@example.com" in listed
    assert link not in listed
    again = await ana.send("/people", status=409, **new)
    assert "here is a user with this id" in again.text
    await ben.step_up()
    await ben.send("/people", status=403, **new)
    assert "cleo" not in await ben.open("/people")


async def test_a_role_and_an_address_are_changed_at_a_version(ana, ben, org):
    page = await ana.open("/people/ben")
    version = field(page, "version")
    await ana.send("/people/ben", email="b@example.com", role="owner", version=version)
    stale = await ana.send("/people/ben", status=412, email="", role="member", version=version)
    assert "changed since" in stale.text
    users = {each["id"]: each for each in (await org.client().get("/users")).json()["data"]}
    assert (users["ben"]["role"], users["ben"]["email"]) == ("owner", "b@example.com")
    await ana.send("/people/ben", email="", role="member")
    assert "—" in await ana.open("/people/ben")
    await ana.send("/people/owner", email="", role="member")  # whom the org was made with
    last = await ana.send("/people/ana", status=409, email="", role="member")
    assert "last owner" in last.text
    await ana.send("/people/ana/deactivate", status=409)
    await ana.send("/people/ben", status=400, role="king")
    refused = await ben.send("/people/ana", status=403, email="", role="member")
    assert "needs a service key or an owner" in refused.text
    await ben.open("/people/ana", 404)  # who is no owner reads only itself
    assert "This is you" in await ben.open("/people/ben")


async def test_a_deactivated_person_is_signed_out_and_their_keys_end(ana, ben, org):
    key = await org.mint("user", user_id="ben")
    await org.client(Holdfast_User="ben").post("/memories", json={"key": "tea", "value": "green"})
    await ben.send("/people/ana/deactivate", status=403)
    done = await ana.send("/people/ben/deactivate")
    assert done.headers["location"] == "/people?notice=deactivated"
    assert (await ben.http.get("/")).headers["location"].startswith("/sign-in")
    assert (await org.client(key).get("/memories")).status_code == 401
    kept = (await org.client(Holdfast_User="ben").get("/memories")).json()["data"]
    assert [each["key"] for each in kept] == ["tea"]


async def test_an_agent_is_registered_and_its_references_are_set(ana, ben, org):
    made = await ana.send("/agents", agent_id="support", name="Support")
    assert made.headers["location"] == "/agents/support?notice=saved"
    page = await ana.open("/agents/support")
    rows = {
        "resource": ["sessions", "", "sessions"],
        "key": ["session:{{.session_id}}", "not kept", ""],
        "mode": ["read-only", "read-write", "read-write"],
    }
    version = field(page, "version")
    await ana.send("/agents/support", name="Help desk", version=version, **rows)
    agent = (await org.client().get("/agents/support")).json()
    assert agent["name"] == "Help desk"
    assert agent["memory"] == [
        {"id": "sessions", "key": "session:{{.session_id}}", "mode": "read-only"},
        {"id": "sessions", "mode": "read-write"},
    ]
    assert "session:{{.session_id}}" in await ana.open("/agents/support")
    await ana.send("/agents/support", status=412, name="x", version=version)
    wrong = {**rows, "mode": ["all", "all", "all"]}
    await ana.send("/agents/support", status=422, **wrong)
    await ana.send("/agents", status=400, name="no id")
    await ana.send("/agents", status=404, agent_id="lost", project_id="nowhere")
    await ben.send("/agents/support", status=403, name="mine")
    assert "<form" not in (await ben.open("/agents/support")).split("<main")[1]
    await ana.open("/agents/nobody", 404)


async def test_a_project_is_made_shared_and_left(ana, ben, org):
    await ben.send("/projects", project_id="plan", name="The plan", visibility="private")
    page = await ben.open("/projects/plan")
    assert "1 member" in page
    await ben.send("/projects/plan/members", user_id="cleo")
    await ben.send("/projects/plan/members", status=404, user_id="dora", remove="1")
    await ben.send("/projects/plan/members", status=400)
    await ben.send("/projects/plan", name="A plan", visibility="team", version="9", status=412)
    project = (await org.client(Holdfast_User="ben").get("/projects/plan")).json()
    assert sorted(project["members"]) == ["ben", "cleo"]
    assert project["name"] == "The plan"
    renamed = field(await ben.open("/projects/plan"), "version")
    await ben.send("/projects/plan", name="A plan", visibility="private", version=renamed)
    left = await ben.send("/projects/plan/members", user_id="ben", remove="1")
    assert left.headers["location"] == "/projects?notice=removed"
    await ben.open("/projects/plan", 404)
    assert "A plan" in await ana.open("/projects/plan")  # an owner sees the directory of the org


async def test_a_key_is_bounded_as_the_form_says(ana, org):
    await ana.step_up()
    bounds = {"requests_per_minute": "2", "expires_at": "2099-01-01T00:00", "agent_id": "bot"}
    shown = (await ana.send("/keys", status=200, kind="agent", name="bot", **bounds)).text
    key = re.search(r"hf_live_[A-Za-z0-9_-]{20,}", shown)[0]
    replies = [(await org.client(key).get("/memories")).status_code for _ in range(3)]
    assert replies == [200, 200, 429]
    listed = await ana.open("/keys")
    assert "2 a minute" in listed
    await ana.send("/keys", status=400, kind="user", requests_per_minute="0")
    await ana.send("/keys", status=404, kind="user", workspace_id="nowhere")
    await ana.send("/keys", status=422, kind="user", agent_id="bot")


async def test_every_setting_of_the_org_is_on_the_page_and_is_changed(ana, ben, org):
    admin = org.client()
    before = (await admin.get("/org")).json()
    form = {
        "name": "Acme",
        "language": "german",
        "llm_tokens_per_day": "5000",
        "review_extractions": "1",
        "workspaces_enabled": "1",
        "redact_patterns": "ACME-\\d+\r\n\r\n  BADGE-[A-Z]+  ",
        "weight_recency": "0.25",
        "weight_pinned": "0",
        "version": str(before["version"]),
    }
    settings = set(before) - {"id", "version", "created_at", "updated_at", "type"}
    page = await ana.open("/settings")
    names = set(re.findall(r' name="(\w+)"', page))
    assert settings - {"recall_weights"} <= names
    assert {f"weight_{name}" for name in ("lexical", "semantic", "recency", "pinned")} <= names
    await ana.send("/settings", **form)
    after = (await admin.get("/org")).json()
    assert after["redact_patterns"] == ["ACME-\\d+", "BADGE-[A-Z]+"]
    assert after["recall_weights"] == {"recency": 0.25, "pinned": 0.0}
    assert (after["language"], after["llm_tokens_per_day"]) == ("german", 5000)
    assert (after["review_extractions"], after["workspaces_enabled"]) == (True, True)
    shown = await ana.open("/settings")
    assert "ACME-\\d+\nBADGE-[A-Z]+</textarea>" in shown
    assert 'name="weight_recency" inputmode="decimal" value="0.25"' in shown
    assert 'name="weight_pinned" inputmode="decimal" value="0.0"' in shown
    # A box that is not ticked is left out of a form, and so is what is blank: both take the setting back.
    version = str(after["version"])
    await ana.send("/settings", name="Acme", language="english", version=version)
    cleared = (await admin.get("/org")).json()
    assert cleared["redact_patterns"] == []
    assert cleared["recall_weights"] is None
    assert cleared["llm_tokens_per_day"] is None
    assert cleared["workspaces_enabled"] is False
    assert "Only an owner changes these" in await ben.open("/settings")


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"redact_patterns": "("}, "missing"),
        ({"redact_patterns": "a*"}, "empty text"),
        ({"redact_patterns": "x" * 1_001}, "1,000"),
        ({"redact_patterns": "\n".join(["ab"] * 101)}, "at most 100"),
        ({"weight_recency": "2"}, "0 to 1"),
        ({"weight_recency": "much"}, "0 to 1"),
        ({"language": "klingon"}, "language"),
        ({"llm_tokens_per_day": "-1"}, "whole number"),
        ({"name": " "}, "name"),
    ],
)
async def test_a_wrong_setting_is_named_and_changes_nothing(ana, org, wrong, word):
    before = (await org.client().get("/org")).json()
    form = {"name": "Acme", "language": "english", **wrong}
    refused = await ana.http.post("/settings", data={"_csrf": await token(ana), **form})
    assert refused.status_code in (400, 422), refused.text[-500:]
    assert word in refused.text
    assert (await org.client().get("/org")).json() == before


async def token(browser):
    await browser.open("/account")
    return browser.csrf


async def test_insights_are_turned_off_on_the_account_page(ana, api_of_ana):
    assert (await api_of_ana.post("/insights", json={"insight": "quick"})).status_code == 201
    await ana.send("/account/insights", capture="")
    assert "Turn insights on" in await ana.open("/account")
    assert (await api_of_ana.get("/users/me")).json()["insight_capture"] is False
    await ana.send("/account/insights", capture="1")
    assert "Turn insights off" in await ana.open("/account")


async def test_a_workspace_is_made_and_renamed(ana, ben, org):
    await ana.send("/settings/workspaces", workspace_id="lab", name="The lab")
    await ana.send("/settings/workspaces", workspace_id="lab", name="Lab two")
    assert "Lab two" in await ana.open("/settings")
    await ana.send("/settings/workspaces", status=400, name="no id")
    await ben.send("/settings/workspaces", status=403, workspace_id="lab", name="mine")
    assert PASSWORD not in await ana.open("/settings")
