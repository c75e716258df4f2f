"""Administration with access to the database, beside a running service."""

import httpx
import pytest


async def test_an_org_and_keys_made_at_the_command_line_work_at_once(holdfast_json, org):
    made = holdfast_json("orgs", "create", "Acme", "--json")
    assert set(made) == {"org_id", "service_key"}
    api = org.client(made["service_key"])
    assert (await api.get("/org")).json()["name"] == "Acme"
    assert made["org_id"] in {each["org_id"] for each in holdfast_json("orgs", "list")}

    of = ("--org", made["org_id"])
    user = holdfast_json("keys", "create", *of, "--kind", "user", "--user", "ana", "--json")
    assert (await org.client(user["key"]).get("/users/me")).json()["id"] == "ana"
    agent = holdfast_json(
        "keys", "create", *of, "--kind", "agent", "--agent", "bot", "--user", "ana", "--test"
    )
    assert agent["key"].startswith("hf_test_")
    assert (await org.client(agent["key"]).get("/agents/bot")).status_code == 200

    assert len(holdfast_json("keys", "list", *of)) == 3
    holdfast_json("keys", "revoke", agent["key_id"], *of)
    assert (await org.client(agent["key"]).get("/agents/bot")).status_code == 401


async def test_the_directory_is_kept_from_the_command_line(holdfast, holdfast_json, org, api):
    of = ("--org", org.id)
    holdfast_json("workspaces", "put", "lab", "--name", "Lab", *of)
    assert (await api.get("/workspaces/lab")).json()["name"] == "Lab"
    holdfast_json("projects", "put", "apollo", "--private", *of)
    holdfast_json("projects", "add-member", "apollo", "ana", *of)
    assert "ana" in (await api.get("/projects/apollo")).json()["members"]
    holdfast_json("projects", "remove-member", "apollo", "ana", *of)
    assert "ana" not in (await api.get("/projects/apollo")).json()["members"]
    holdfast_json("agents", "put", "bot", "--name", "Bot", *of)
    assert [agent["id"] for agent in holdfast_json("agents", "list", *of)] == ["bot"]
    code, _, err = holdfast("users", "add", "ben", "--email", "ben", *of)
    assert (code, "e-mail address" in err) == (1, True)
    added = holdfast_json("users", "add", "ben", "--email", f"ben@{org.id}.example", "--owner", *of)
    assert added["link_token"]
    assert {user["id"] for user in holdfast_json("users", "list", *of)} == {"owner", "ben", "ana"}


def test_an_org_must_be_chosen_where_there_are_several(holdfast, org):
    code, out, err = holdfast("keys", "list")
    assert (code, out) == (1, "")
    assert "--org" in err
    assert err.count("\n") == 1


def test_errors_are_one_line_and_have_their_exit_codes(holdfast, org):
    code, _, err = holdfast("keys", "revoke", "key_none", "--org", org.id)
    assert code == 4
    assert err.startswith("holdfast: ")
    assert err.count("\n") == 1
    code, _, err = holdfast("keys", "list", HOLDFAST_DATABASE_URL="postgresql://x@127.0.0.1:1/x")
    assert code == 3
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "words",
    [
        ("no-such-command",),
        ("recall",),
        ("recall", "tea", "--limit", "many"),
        ("keys", "create", "--kind", "robot"),
    ],
)
def test_a_wrong_command_is_one_line_that_names_the_help(holdfast, words):
    code, out, err = holdfast(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("holdfast: ")
    assert err.endswith(" --help)\n")


@pytest.mark.parametrize(
    "words", [("keys", "create", "--kind", "service"), ("users", "list"), ("projects", "put", "x")]
)
def test_an_org_that_is_not_there_is_not_found(holdfast, words):
    code, out, err = holdfast(*words, "--org", "org_nowhere")
    assert (code, out) == (4, "")
    assert err == "holdfast: there is no org 'org_nowhere' here (holdfast orgs list)\n"


async def test_a_password_is_read_from_a_pipe(holdfast_json, org, service):
    email, secret = f"ana@{org.id}.example", "a long enough phrase"
    words = ("users", "add", "ana", "--email", email, "--password", "--org", org.id)
    assert "link_token" not in holdfast_json(*words, stdin=f"{secret}\n")
    given = {"email": email, "password": secret}
    async with httpx.AsyncClient() as browser:
        reply = await browser.post(f"{service.url}/api/v1/auth/login", json=given)
    assert reply.status_code == 200


def test_doctor_finds_this_deployment_in_order(holdfast_json):
    findings = {finding["check"]: finding for finding in holdfast_json("doctor")}
    assert all(finding["ok"] for finding in findings.values()), findings
    assert set(findings) >= {
        "postgres",
        "extension vector",
        "schema",
        "role",
        "row-level security",
        "tenant isolation",
        "wall between orgs",
        "wall between users",
    }


def test_bench_measures_and_leaves_nothing_behind(holdfast_json):
    before = {each["org_id"] for each in holdfast_json("orgs", "list")}
    found = holdfast_json("bench", "--times", "2", HOLDFAST_EMBEDDER="none")
    assert [each["call"] for each in found] == ["remember", "recall", "context", "memories.list"]
    for each in found:
        assert each["times"] == 2
        assert 0 < each["p50_ms"] <= each["p95_ms"]
    left = [each["name"] for each in holdfast_json("orgs", "list") if each["org_id"] not in before]
    assert "bench: a measurement" not in left


def test_doctor_says_what_is_missing(holdfast):
    code, out, _ = holdfast(
        "doctor",
        HOLDFAST_DATABASE_URL="postgresql://x@127.0.0.1:1/x",
        HOLDFAST_REDIS_URL="redis://127.0.0.1:1",
    )
    assert code == 1
    assert "cannot be reached" in out


def test_migrate_has_nothing_left_to_do(holdfast_json):
    assert holdfast_json("migrate", "--dry-run") == {"pending": []}
    assert holdfast_json("migrate") == {"applied": []}
