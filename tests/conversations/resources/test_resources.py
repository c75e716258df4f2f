"""Memory resources: every rule, all errors at once, with lines."""

import copy
import json
from importlib.resources import files

import jsonschema
import pytest

from holdfast.conversations.resources.config import Resource
from holdfast.conversations.resources.rules import Capabilities, check
from holdfast.conversations.resources.yaml import read_yaml
from tests.conversations.conftest import Talk, resource

GOOD = resource("r", "postgres")
AROUND = Capabilities(redis=True, llm=True)


def change(**fields):
    changed = copy.deepcopy(GOOD)
    for name, value in fields.items():
        if value is None:
            changed.pop(name)
        else:
            changed[name] = value
    return changed


HYBRID = {"type": "hybrid_summary"}
REMOTE = {"provider": "openai", "model": "gpt-4o", "api_key_env": "OPENAI_API_KEY"}

WRONG = [
    ("resource", change(resource=None), "is required"),
    ("resource", change(resource="store"), "memory"),
    ("id", change(id=None), "is required"),
    ("id", change(id="a b"), "1–100 letters"),
    ("id", change(id="a" * 101), "1–100 letters"),
    ("version", change(version="1.2"), "semantic version"),
    ("version", change(version="01.2.3"), "semantic version"),
    ("type", change(type="magic"), "token_based"),
    ("type", change(type=None), "is required"),
    ("max_tokens", change(max_tokens=0), "greater than 0"),
    ("max_tokens", change(max_tokens=True), "integer"),
    ("max_messages", change(max_messages=-1), "greater than 0"),
    ("max_tokens", change(max_tokens=None), "token_based needs max_tokens, max_context_ratio or max_messages"),
    ("max_messages", change(type="message_count_based"), "message_count_based needs max_messages"),
    ("max_messages", change(type="buffer", max_tokens=None), "a buffer needs max_messages or max_tokens"),
    ("max_context_ratio", change(max_context_ratio=0.5), "needs token_provider.model"),
    ("max_context_ratio", change(max_context_ratio=0), "greater than 0"),
    ("max_context_ratio", change(max_context_ratio=1.1), "less than or equal to 1"),
    ("token_provider.model", change(max_context_ratio=0.5, token_provider={"model": "x-1"}), "known: claude-3"),
    ("token_allocation", change(token_allocation={"short_term": 0.5}), "add up to 1.0 (they add up to 0.5)"),
    ("token_allocation", change(token_allocation={"short_term": 0.998}), "add up to 1.0"),
    ("token_allocation.system", change(token_allocation={"system": 1.5}), "less than or equal to 1"),
    ("token_allocation.short_term", change(token_allocation={"short_term": -0.5}), "greater than or equal to 0"),
    ("token_allocation.user_defined.system", change(token_allocation={"user_defined": {"system": 1.0}}), "a share already"),
    ("token_allocation", change(type="message_count_based", max_messages=5, token_allocation={"short_term": 1}), "token_based only"),
    ("token_allocation", change(max_tokens=None, max_messages=5, token_allocation={"short_term": 1}), "there is none"),
    ("flushing", change(type="buffer", flushing={}), "leave flushing out"),
    ("flushing.type", change(flushing={"type": "random"}), "simple_fifo"),
    ("flushing.summarize_threshold", change(flushing={"summarize_threshold": 0}), "greater than 0"),
    ("flushing.summarize_threshold", change(flushing={"summarize_threshold": 1.01}), "less than or equal to 1"),
    ("flushing.summary_tokens", change(flushing={**HYBRID, "summary_tokens": 0}), "greater than 0"),
    ("flushing.summarize_oldest_percent", change(flushing={**HYBRID, "summarize_oldest_percent": 0}), "greater than 0"),
    ("flushing.summary_tokens", change(flushing={"summary_tokens": 5}), "hybrid_summary only"),
    ("flushing.fallback", change(flushing={"type": "lru", "fallback": "extractive"}), "hybrid_summary only"),
    ("flushing.fallback", change(flushing={**HYBRID, "fallback": "magic"}), "extractive"),
    ("persistence", change(persistence=None), "is required"),
    ("persistence.type", change(persistence={}), "is required"),
    ("persistence.type", change(persistence={"type": "sqlite"}), "postgres"),
    ("persistence.ttl", change(persistence={"type": "postgres", "ttl": "soon"}), "a duration such as"),
    ("persistence.ttl", change(persistence={"type": "postgres", "ttl": "0s"}), "longer than nothing"),
    ("persistence.circuit_breaker", change(persistence={"type": "in_memory", "circuit_breaker": {}}), "no effect in memory"),
    ("persistence.circuit_breaker.timeout", change(persistence={"type": "postgres", "circuit_breaker": {"enabled": False, "timeout": "1s"}}), "not enabled"),
    ("locking.append_ttl", change(persistence={"type": "in_memory"}, locking={"append_ttl": "30s"}), "no effect in memory"),
    ("locking.clear_ttl", change(persistence={"type": "in_memory"}, locking={"clear_ttl": "10s"}), "no effect in memory"),
    ("persistence.circuit_breaker.timeout", change(persistence={"type": "redis", "circuit_breaker": {"timeout": 5}}), "string"),
    ("persistence.circuit_breaker.max_failures", change(persistence={"type": "redis", "circuit_breaker": {"max_failures": 0}}), "greater than 0"),
    ("privacy_policy.redact_patterns.0", change(privacy_policy={"redact_patterns": ["("]}), "is not a pattern"),
    ("privacy_policy.redact_patterns.1", change(privacy_policy={"redact_patterns": ["a", "(?=x)"]}), "is not a pattern"),
    ("privacy_policy.redact_patterns.0", change(privacy_policy={"redact_patterns": ["a*"]}), "matches the empty text"),
    ("privacy_policy.default_redaction_string", change(privacy_policy={"default_redaction_string": "x"}), "no effect without redact_patterns"),
    ("locking.append_ttl", change(locking={"append_ttl": "x"}), "a duration such as"),
    ("locking.other", change(locking={"other": "1s"}), "there is no such field"),
    ("token_provider.provider", change(token_provider={"provider": "acme"}), "local"),
    ("token_provider.endpoint", change(token_provider={"endpoint": "https://x.example"}), "no effect with the local tokenizer"),
    ("token_provider.api_key_env", change(token_provider={"provider": "openai", "model": "gpt-4o"}), "is required"),
    ("token_provider.model", change(token_provider={"provider": "openai", "api_key_env": "A_API_KEY"}), "is required"),
    ("token_provider.api_key_env", change(token_provider={**REMOTE, "api_key_env": "sk-secret"}), "a key itself never stands here"),
    ("token_provider.api_key_env", change(token_provider={**REMOTE, "api_key_env": "HOLDFAST_LLM_API_KEY"}), "HOLDFAST_TOKEN_KEYS"),
    ("token_provider.endpoint", change(token_provider={**REMOTE, "endpoint": "https://x.example"}), "HOLDFAST_TOKEN_ENDPOINTS"),
    ("token_provider.fallback", change(token_provider={**REMOTE, "fallback": "x"}), "local"),
    ("token_provider.api_key", change(token_provider={**REMOTE, "api_key": "sk-1"}), "there is no such field"),
    ("default_key_template", change(default_key_template="{{x}}"), "{{.path.to.value}}"),
    ("default_key_template", change(default_key_template="a b"), "1–256"),
    ("colour", change(colour="red"), "there is no such field"),
    ("maxtokens", change(maxtokens=5), "there is no such field"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "data", "message"), WRONG, ids=[f"{n}-{w[0]}" for n, w in enumerate(WRONG)]
)
def test_each_rule_names_the_resource_the_field_and_what_would_be_right(field, data, message):
    found, errors = check(data, AROUND)
    assert found is None
    said = {error.field: error.message for error in errors}
    assert field in said, errors
    assert message in said[field]
    assert said[field].startswith("resource ")
    assert not any("sk-secret" in error.message or "x.example" in error.message for error in errors)


RIGHT = [
    GOOD,
    change(max_tokens=None, max_messages=3),
    change(max_tokens=None, max_context_ratio=1, token_provider={"model": "gpt-4o"}),
    change(token_allocation={"short_term": 0.5, "system": 0.5009}),
    change(token_allocation={"short_term": 0.4, "system": 0.3, "long_term": 0.2, "user_defined": {"x": 0.1}}),
    change(flushing={**HYBRID, "summary_tokens": 5, "summarize_oldest_percent": 1, "fallback": "extractive"}),
    change(persistence={"type": "redis", "ttl": "1h30m", "circuit_breaker": {"timeout": "500ms"}}),
    change(version="1.2.3-rc.1+build", description="d"),
    change(privacy_policy={"redact_patterns": [r"\d{3}"], "default_redaction_string": "#"}),
    change(token_provider={**REMOTE, "endpoint": "https://api.openai.com", "settings": {"timeout": "2s"}}),
    change(default_key_template="a:{{ .b.c }}"),
    change(type="buffer"),
]  # fmt: skip


@pytest.mark.parametrize("data", RIGHT, ids=range(len(RIGHT)))
def test_what_is_right_is_taken_and_fits_the_schema(data):
    found, errors = check(data, AROUND)
    assert errors == []
    assert found is not None
    assert found.as_written() == data
    jsonschema.validate(
        data, json.loads((files("holdfast.conversations.resources") / "schema.json").read_text())
    )


def test_what_this_deployment_lacks_is_said():
    _, errors = check(
        resource("r", "redis", type="token_based", max_tokens=5, flushing=HYBRID), Capabilities()
    )
    assert [e.field for e in errors] == ["flushing.type", "persistence.type"]
    assert "HOLDFAST_LLM" in errors[0].message
    assert "HOLDFAST_REDIS_URL" in errors[1].message


def test_the_window_of_the_model_bounds_the_tokens():
    both, _ = check(
        change(max_tokens=200_000, max_context_ratio=0.5, token_provider={"model": "gpt-4o-mini"}),
        AROUND,
    )
    assert both.budget.max_tokens == 64_000
    smaller, _ = check(
        change(max_tokens=1_000, max_context_ratio=0.5, token_provider={"model": "gpt-4o"}), AROUND
    )
    assert smaller.budget.max_tokens == 1_000


def test_the_schema_in_the_package_is_the_one_of_the_forms():
    kept = json.loads((files("holdfast.conversations.resources") / "schema.json").read_text())
    assert kept == Resource.model_json_schema()


FILE = """\
resource: memory
id: first
type: token_based
persistence: {type: postgres}
---
# the second one
resource: memory
id: second
type: token_based
maxTokens: -1
flushing:
  type: simple_fifo
  summary_tokens: 9
persistence:
  type: postgres
  ttl: soon
colour: red
"""


async def test_all_errors_of_a_file_come_at_once_with_their_lines(api):
    answer = await api.post(
        "/memory-resources/validate", content=FILE, headers={"content-type": "application/yaml"}
    )
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["valid"] is False
    assert {(e["field"], e["line"]) for e in found["errors"]} == {
        ("max_tokens", 1),
        ("max_tokens", 10),
        ("flushing.summary_tokens", 13),
        ("persistence.ttl", 16),
        ("colour", 17),
    }
    assert "'second'" in found["errors"][-1]["message"]
    as_field = await api.post("/memory-resources/validate", json={"yaml": FILE})
    assert as_field.json() == found


@pytest.mark.parametrize("text", ["a: [", "a: 1\na: 2", "- x", "", "!!python/object:os.system {}"])
async def test_what_is_no_resource_at_all_is_invalid(api, text):
    answer = await api.post("/memory-resources/validate", json={"yaml": text})
    assert answer.status_code == 200, answer.text
    assert answer.json()["valid"] is False
    assert answer.json()["errors"]


def test_a_field_that_is_not_there_has_the_line_of_what_would_hold_it():
    [document] = read_yaml("id: x\npersistence:\n  ttl: 1h\n")
    assert document.line("persistence.type") == 2


async def test_put_get_list_and_delete(api):
    url = "/memory-resources/mine"
    made = await api.put(url, json=resource("mine", description="first"))
    assert (made.status_code, made.headers["etag"]) == (201, '"1"')
    assert made.json()["revision"] == 1
    changed = await api.put(url, json=resource("mine", description="second", version="1.0.0"))
    assert (changed.status_code, changed.json()["revision"]) == (200, 2)
    assert changed.json()["updated_at"] > made.json()["updated_at"]
    stale = await api.put(url, json=resource("mine"), headers={"If-Match": '"1"'})
    assert stale.status_code == 412
    got = await api.get(url)
    assert got.json()["description"] == "second"
    assert got.json()["version"] == "1.0.0"
    assert got.headers["etag"] == '"2"'
    listed = (await api.get("/memory-resources")).json()
    assert [each["id"] for each in listed["data"]] == ["mine", "sessions"]
    assert (await api.delete(url, headers={"If-Match": '"1"'})).status_code == 412
    assert (await api.delete(url)).status_code == 204
    assert (await api.get(url)).status_code == 404
    assert (await api.delete(url)).status_code == 404
    again = await api.put(url, json=resource("mine"))
    assert again.status_code == 201
    assert again.json()["revision"] > 2  # a revision is never given twice


async def test_put_says_everything_that_is_wrong_and_changes_nothing(api):
    refused = await api.put("/memory-resources/bad", json={"id": "bad", "colour": 1, "type": "x"})
    assert refused.status_code == 422
    body = refused.json()
    assert (body["code"], body["valid"]) == ("invalid", False)
    assert {e["field"] for e in body["errors"]} == {"resource", "persistence", "colour", "type"}
    assert (await api.get("/memory-resources/bad")).status_code == 404
    other = await api.put("/memory-resources/other", json=resource("mine"))
    assert other.status_code == 422


async def test_camel_case_and_yaml_are_read_too(api):
    camel = {"resource": "memory", "id": "camel", "type": "token_based", "maxTokens": 5,
             "persistence": {"type": "postgres", "circuitBreaker": {"maxFailures": 2}}}  # fmt: skip
    made = await api.put("/memory-resources/camel", json=camel)
    assert made.status_code == 201, made.text
    assert made.json()["persistence"]["circuit_breaker"] == {"max_failures": 2}
    text = (
        "resource: memory\nid: y\ntype: buffer\nmax_messages: 2\npersistence: {type: in_memory}\n"
    )
    made = await api.put(
        "/memory-resources/y", content=text, headers={"content-type": "application/yaml"}
    )
    assert made.status_code == 201, made.text


async def test_the_built_in_resource_is_there_and_stays(api):
    built_in = (await api.get("/memory-resources/sessions")).json()
    assert (built_in["type"], built_in["persistence"]) == (
        "token_based",
        {"type": "postgres", "ttl": "30d"},
    )
    assert (await api.delete("/memory-resources/sessions?force=true")).status_code == 409
    assert (
        await api.put("/memory-resources/sessions", json=resource("sessions"))
    ).status_code == 409
    await Talk(api, "sessions", "s").append("hello")
    assert await Talk(api, "sessions", "s").contents() == ["hello"]


async def test_one_with_instances_is_deleted_by_force_only(talk):
    it = await talk()
    await it.append("x")
    url = f"/memory-resources/{it.resource_id}"
    refused = await it.api.delete(url)
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert await it.contents() == ["x"]
    assert (await it.api.delete(url, params={"force": True})).status_code == 204
    body = (await it.api.get("/memory-resources/sessions")).json()
    assert body["id"] == "sessions"
    await it.get("read", status=404)


async def test_every_instance_that_goes_with_its_resource_leaves_a_revision(
    talk, org, owner_connection
):
    it = await talk()
    for key in ("one", "two", "three"):
        await Talk(it.api, it.resource_id, key).append([f"of {key}", "and more"])
    url = f"/memory-resources/{it.resource_id}"
    stale = await it.api.delete(url, params={"force": True}, headers={"If-Match": '"9"'})
    assert stale.status_code == 412
    assert await Talk(it.api, it.resource_id, "one").contents() == ["of one", "and more"]
    request = {"x-request-id": "the-end"}
    gone = await it.api.delete(url, params={"force": True}, headers=request)
    assert gone.status_code == 204
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    told = owner_connection.execute(
        "SELECT kind, label, version, state ->> 'message_count', content FROM revisions"
        " WHERE org_id = %s AND action = 'deleted' AND request_id = 'the-end' ORDER BY kind, label",
        [org.id],
    ).fetchall()
    assert [row[:4] for row in told] == [
        ("conversation", "one", 2, "2"),
        ("conversation", "three", 2, "2"),
        ("conversation", "two", 2, "2"),
        ("memory_resource", None, 2, None),
    ]
    contents = [message["content"] for message in json.loads(told[1][4])]
    assert contents == ["of three", "and more"]


async def test_messages_do_not_move_between_backends(talk, backend):
    it = await talk()
    url, other = (
        f"/memory-resources/{it.resource_id}",
        "in_memory" if backend == "postgres" else "postgres",
    )
    assert (await it.api.put(url, json=resource(it.resource_id, other))).status_code == 200
    assert (await it.api.put(url, json=resource(it.resource_id, backend))).status_code == 200
    await it.append("x")
    assert (await it.api.put(url, json=resource(it.resource_id, other))).status_code == 409


async def test_changing_resources_is_for_those_who_look_after_the_org(org):
    user = org.client(await org.mint("user", user_id="ana"))
    refused = await user.put("/memory-resources/x", json=resource("x"))
    assert (refused.status_code, refused.json()["code"]) == (403, "MEM-001")
    assert (await user.delete("/memory-resources/x")).status_code == 403
    assert (await user.get("/memory-resources")).status_code == 200


async def test_the_schema_is_served(api):
    schema = (await api.get("/memory-resources/schema")).json()
    assert schema["properties"]["persistence"]
    jsonschema.Draft202012Validator.check_schema(schema)
