"""hybrid_summary with a model behind a real endpoint: a service of its own, and a stub that speaks the protocol."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from tests.conftest import scratch, serving
from tests.conversations.conftest import Talk, resource
from tests.conversations.stub_llm import StubLlm, stub_llm
from tests.conversations.test_routes import said

HYBRID = {"type": "hybrid_summary", "summary_tokens": 40}


@pytest.fixture(scope="module")
def model() -> Iterator[StubLlm]:
    with stub_llm() as stub:
        yield stub


@pytest.fixture(scope="module")
def served(model: StubLlm, service) -> Iterator[dict[str, Any]]:
    folder, data_dir = scratch()
    with (
        folder,
        serving(
            data_dir,
            HOLDFAST_LLM="openai:stub-1",
            HOLDFAST_LLM_BASE_URL=model.url,
            HOLDFAST_LLM_API_KEY="sk-for-the-stub",
            HOLDFAST_REDIS_URL=service.redis_url,
            HOLDFAST_TOKEN_ENDPOINTS=json.dumps([model.url]),
            HOLDFAST_TOKEN_KEYS=json.dumps(["SOME_API_KEY", "UNSET_API_KEY"]),
            SOME_API_KEY="sk-to-count",
            OTHER_API_KEY="sk-not-to-be-sent",
        ) as (ready, _),
    ):
        yield ready


@pytest.fixture
async def api(served, model) -> AsyncIterator[httpx.AsyncClient]:
    model.status, model.reply = 200, "Ana has a dog called Rex."
    model.asked.clear()
    model.may_answer.set()
    async with httpx.AsyncClient(
        base_url=f"{served['url']}/api/v1",
        headers={"Authorization": f"Bearer {served['api_key']}"},
        timeout=30,
    ) as client:
        yield client


async def finished(api: httpx.AsyncClient, job_id: str, *statuses: str) -> dict[str, Any]:
    for _ in range(1200):
        job = (await api.get(f"/jobs/{job_id}")).json()
        if job["status"] in statuses or (job["error"] and "error" in statuses):
            return job
        await asyncio.sleep(0.05)
    raise AssertionError(f"the job stays {job['status']}")


def summaries(model: StubLlm) -> list[dict[str, Any]]:
    """The questions for a summary. Jobs that learn from what was flushed ask the same model, when they get to it."""
    prompt = "You keep the memory of a conversation"
    chats = [each for each in model.asked if "messages" in each]
    return [each for each in chats if str(each["messages"][0]["content"]).startswith(prompt)]


async def cancelled(api: httpx.AsyncClient, job_id: str) -> None:
    """Cancel a job that fails and is tried again, between two attempts, unless it has given up by then."""
    for _ in range(1200):
        if (await api.post(f"/jobs/{job_id}/cancel")).status_code == 200:
            return
        if (await api.get(f"/jobs/{job_id}")).json()["status"] == "failed":
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the job cannot be cancelled")


async def test_a_job_summarises_and_the_answer_does_not_wait_for_it(talk, api, model):
    it = await talk(type="message_count_based", max_messages=10, flushing=HYBRID)
    model.may_answer.clear()
    done = await it.append(said(8))
    assert done["flush"]["status"] == "scheduled"
    assert done["total_count"] == 8
    assert (await it.get("health"))["pending_flush"] is True
    more = await it.append(said(1, 8))
    assert more["flush"] is None  # one job is enough
    model.may_answer.set()
    job = await finished(api, done["flush"]["job_id"], "succeeded")
    assert job["tokens"] == 77
    messages = (await it.get("read"))["messages"]
    assert "Ana has a dog called Rex." in messages[0]["content"]
    assert (messages[0]["role"], messages[0]["tokens"] <= 40) == ("system", True)
    assert len(messages) == 9 - 3 + 1
    [asked] = summaries(model)
    assert (asked["model"], asked["key"]) == ("stub-1", "Bearer sk-for-the-stub")
    assert "message 0" in asked["messages"][1]["content"]
    assert (await it.get("health"))["pending_flush"] is False
    stats = await it.get("stats")
    assert stats["last_flush"]["summary_generated"] is True
    everything = await it.get("read", include_flushed=True, limit=100)
    assert {m["id"] for m in everything["messages"]} >= {f"m{n}" for n in range(9)}


async def test_recall_finds_what_the_model_wrote_for_the_session_s_user(api):
    ana = {"Holdfast-User": "ana"}
    it = Talk(api, "sessions", f"talk-{uuid.uuid4().hex[:8]}")
    url = "/conversations/sessions/append"
    body = {"key": it.key, "messages": said(10), "session_id": it.key}
    assert (await api.post(url, json=body, headers=ana)).status_code == 200
    url = "/conversations/sessions/flush"
    body = {"key": it.key, "strategy": "hybrid_summary", "force": True}
    asked = (await api.post(url, json=body, headers=ana)).json()
    async with httpx.AsyncClient(base_url=api.base_url, headers={**api.headers, **ana}) as of_ana:
        await finished(of_ana, asked["job_id"], "succeeded")
    query = {"query": "the dog called Rex", "kinds": ["summary"]}
    [one] = [
        each
        for each in (await api.post("/recall", json=query, headers=ana)).json()["data"]
        if each["object"]["key"] == it.key
    ]
    assert one["object"]["session_id"] == it.key
    owners = (await api.post("/recall", json=query)).json()["data"]
    assert it.key not in [each["object"]["key"] for each in owners]


async def test_the_earlier_summary_is_folded_in(talk, api, model):
    it = await talk(type="message_count_based", max_messages=10, flushing=HYBRID)
    first = await it.append(said(8))
    await finished(api, first["flush"]["job_id"], "succeeded")
    model.reply = "Everything so far."
    second = await it.append(said(3, 20))
    await finished(api, second["flush"]["job_id"], "succeeded")
    assert "Ana has a dog called Rex." in summaries(model)[-1]["messages"][1]["content"]
    messages = (await it.get("read"))["messages"]
    assert [m["id"] for m in messages if m["metadata"].get("summary")] == [messages[0]["id"]]
    assert "Everything so far." in messages[0]["content"]


async def test_a_long_reply_is_cut_to_its_tokens_and_redacted(talk, api, model):
    it = await talk(
        type="message_count_based",
        max_messages=4,
        flushing=HYBRID,
        privacy_policy={"redact_patterns": ["xyzzy"]},
    )
    model.reply = "xyzzy " + "word " * 500
    done = await it.append([*said(3), "xyzzy in a message"])
    await finished(api, done["flush"]["job_id"], "succeeded")
    [summary] = (await it.get("read", limit=1))["messages"]
    assert summary["tokens"] <= 40
    assert "[REDACTED]" in summary["content"]
    assert "xyzzy" not in json.dumps(model.asked)


async def test_when_the_model_fails_nothing_is_lost_and_it_shows(talk, api, model, served):
    it = await talk(type="message_count_based", max_messages=10, flushing=HYBRID)
    model.status = 500
    done = await it.append(said(8))
    job = await finished(api, done["flush"]["job_id"], "error")
    assert "status 500" in job["error"]
    assert len(await it.contents()) == 8
    stats = await it.get("stats")
    assert stats["last_error"]["code"] == "llm_failed"
    assert stats["last_flush"] is None
    assert (await it.get("health"))["healthy"] is False
    metrics = (await api.get(f"{served['url']}/metrics")).text
    assert "holdfast_llm_failures_total" in metrics
    assert 'outcome="failed",strategy="hybrid_summary"' in metrics
    # The hard limit waits for no model.
    over = await it.append(said(3, 8))
    assert (over["flush"]["actual_strategy"], over["total_count"]) == ("simple_fifo", 5)
    assert (await it.get("stats"))["last_error"] is None
    everything = await it.get("read", include_flushed=True, limit=100)
    assert [m["id"] for m in everything["messages"]] == [f"m{n}" for n in range(11)]


async def test_a_job_that_was_taken_back_is_not_waited_for(talk, api, model):
    it = await talk(type="message_count_based", max_messages=10, flushing=HYBRID)
    model.status = 500
    done = await it.append(said(8))
    job_id = done["flush"]["job_id"]
    await finished(api, job_id, "error")
    await cancelled(api, job_id)
    assert (await it.get("health"))["pending_flush"] is False
    model.status = 200
    again = await it.append(said(1, 8))
    assert again["flush"]["job_id"] != job_id
    await finished(api, again["flush"]["job_id"], "succeeded")


async def calls_of(api: httpx.AsyncClient, job_id: str) -> list[dict[str, Any]]:
    return (await api.get("/llm-calls", params={"job_id": job_id})).json()["data"]


async def test_every_call_is_in_the_ledger_without_a_word_of_it(talk, api, model):
    it = await talk(type="message_count_based", max_messages=10, flushing=HYBRID)
    model.status = 500
    done = await it.append(said(8))
    job_id = done["flush"]["job_id"]
    await finished(api, job_id, "error")
    model.status = 200
    await finished(api, job_id, "succeeded")
    last, *_, first = calls = await calls_of(api, job_id)
    assert {call["status"] for call in calls[1:]} == {"failed"}
    assert first["error"] == "the model answered with status 500"
    assert first["input_tokens"] > 0  # what was sent counts, though nothing was said of it
    assert first["output_tokens"] == 0
    assert (last["status"], last["error"], last["model"]) == ("succeeded", None, "stub-1")
    assert (last["kind"], last["job_id"]) == ("conversation_flush", job_id)
    assert last["input_tokens"] + last["output_tokens"] == 77
    assert last["started_at"] < last["finished_at"]
    assert "Rex" not in json.dumps(calls)
    metrics = (await api.get(str(api.base_url).replace("/api/v1/", "/metrics"))).text
    assert 'holdfast_llm_calls_total{kind="conversation_flush",outcome="succeeded"}' in metrics
    assert 'holdfast_llm_tokens_total{direction="output"}' in metrics


async def test_past_the_cap_no_model_is_asked_and_nothing_is_lost(talk, api, model):
    it = await talk(type="message_count_based", max_messages=10, flushing=HYBRID)
    extractive = await talk(
        type="message_count_based",
        max_messages=10,
        flushing={**HYBRID, "fallback": "extractive"},
    )
    assert (await api.patch("/org", json={"llm_tokens_per_day": 20})).status_code == 200
    try:
        done = await it.append(said(8))
        job_id = done["flush"]["job_id"]
        job = await finished(api, job_id, "error")
        assert "llm_tokens_per_day is 20" in job["error"]
        assert (summaries(model), await calls_of(api, job_id)) == ([], [])
        assert len(await it.contents()) == 8
        stats = await it.get("stats")
        assert stats["last_error"]["code"] == "llm_cap"
        assert "llm_tokens_per_day" in stats["last_error"]["message"]
        over = await it.append(said(3, 8))  # the hard limit waits for no model
        assert (over["flush"]["actual_strategy"], over["total_count"]) == ("simple_fifo", 5)
        assert len(await it.contents(include_flushed=True)) == 11
        other = await extractive.append(said(8))
        await finished(api, other["flush"]["job_id"], "succeeded")
        [summary] = (await extractive.get("read", limit=1))["messages"]
        assert summary["metadata"]["summary"]["by"] == "extractive"
        assert summaries(model) == []
        await cancelled(api, job_id)  # it would be tried again beside the next one
    finally:
        await api.patch("/org", json={"llm_tokens_per_day": None})
    again = await it.append(said(3, 20))
    await finished(api, again["flush"]["job_id"], "succeeded")
    assert len(summaries(model)) == 1


async def test_the_fallback_takes_over_from_a_model_that_fails(talk, api, model):
    flushing = {**HYBRID, "fallback": "extractive"}
    it = await talk(type="message_count_based", max_messages=10, flushing=flushing)
    model.status = 503
    done = await it.append(said(8))
    await finished(api, done["flush"]["job_id"], "succeeded")
    [summary] = (await it.get("read", limit=1))["messages"]
    assert summary["metadata"]["summary"]["by"] == "extractive"


async def test_a_flush_that_is_asked_for_is_scheduled_too(talk, api, model):
    it = await talk(type="message_count_based", max_messages=100)
    await it.append(said(10))
    dry = await it.call("flush", strategy="hybrid_summary", force=True, dry_run=True)
    assert (dry["would_flush"], dry["removed"], dry["message_count"]) == (True, 3, 8)
    assert summaries(model) == []
    asked = await it.call("flush", strategy="hybrid_summary", force=True)
    assert (asked["status"], asked["flushed"]) == ("scheduled", False)
    await finished(api, asked["job_id"], "succeeded")
    assert len(await it.contents()) == 8


async def test_a_list_that_changed_meanwhile_is_looked_at_again(talk, api, model):
    it = await talk(type="message_count_based", max_messages=10, flushing=HYBRID)
    model.may_answer.clear()
    done = await it.append(said(8))
    async with asyncio.timeout(60):
        while not summaries(model):
            await asyncio.sleep(0.05)
    await it.call("write", messages=said(2, 50))
    model.may_answer.set()
    job = await finished(api, done["flush"]["job_id"], "succeeded")
    assert job["result"] == {"flushed": False}
    assert await it.contents() == ["message 50", "message 51"]


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_a_provider_counts_where_its_key_is_set(api, model, provider):
    async def tokens(variable: str, **more: Any) -> tuple[int, dict[str, Any]]:
        name = f"c{uuid.uuid4().hex[:8]}"
        endpoint = model.url.removesuffix("/v1")
        given = {
            "provider": provider,
            "model": "gpt-4o",
            "api_key_env": variable,
            "endpoint": endpoint,
        }
        body = resource(name, token_provider={**given, **more})
        made = await api.put(f"/memory-resources/{name}", json=body)
        assert made.status_code == 201, made.text
        done = await Talk(api, name).append("hello")
        return done["token_count"], (await Talk(api, name).get("stats"))["tokenizer"]

    assert await tokens("SOME_API_KEY") == (11 + 3, {"encoding": provider, "fallback": False})
    counted = [each for each in model.asked if each["path"].endswith("tokens")]
    assert "sk-to-count" in counted[-1]["key"]
    assert await tokens("UNSET_API_KEY") == (1 + 3, {"encoding": "o200k_base", "fallback": True})
    estimated = await tokens("UNSET_API_KEY", fallback="estimate")
    assert estimated == (2 + 3, {"encoding": "estimate", "fallback": True})
    model.status = 500
    assert (await tokens("SOME_API_KEY"))[0] == 1 + 3


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"api_key_env": "OTHER_API_KEY"}, "token_provider.api_key_env"),
        ({"endpoint": "http://127.0.0.1:9"}, "token_provider.endpoint"),
        ({"endpoint": "http://localhost/v1"}, "token_provider.endpoint"),
        ({"endpoint": "https://api.openai.com.example"}, "token_provider.endpoint"),
        ({"endpoint": "http://api.openai.com"}, "token_provider.endpoint"),
    ],
)
async def test_only_listed_origins_are_asked_and_only_listed_keys_are_sent(api, wrong, field):
    provider = {"provider": "openai", "model": "gpt-4o", "api_key_env": "SOME_API_KEY", **wrong}
    name = f"c{uuid.uuid4().hex[:8]}"
    refused = await api.put(
        f"/memory-resources/{name}", json=resource(name, token_provider=provider)
    )
    assert refused.status_code == 422
    assert [error["field"] for error in refused.json()["errors"]] == [field]
    assert "sk-" not in refused.text
    assert "127.0.0.1" not in refused.text
