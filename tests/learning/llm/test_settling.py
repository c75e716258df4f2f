"""A service with a language model: settling by it, and what a failing model leaves behind."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.conftest import scratch, serving
from tests.conversations.stub_llm import StubLlm
from tests.learning.llm.conftest import answer, fact, held

KEY = "sk-" + "proj-abcdefghijklmnop1234"


@pytest.fixture(scope="module")
def served(model: StubLlm) -> Iterator[dict[str, Any]]:
    folder, data_dir = scratch()
    with (
        folder,
        serving(
            data_dir,
            HOLDFAST_LLM="openai:stub-1",
            HOLDFAST_LLM_BASE_URL=model.url,
            HOLDFAST_LLM_API_KEY="sk-for-the-stub",
        ) as (ready, _),
    ):
        yield ready


async def test_a_session_is_settled_by_the_model_once_its_answer_is_sound(served, model):
    """Malformed, then refused: the job says so, nothing is written. Then a good answer: the retried job applies it, once."""
    async with httpx.AsyncClient(
        base_url=f"{served['url']}/api/v1",
        headers={"Authorization": f"Bearer {served['api_key']}"},
        timeout=30,
    ) as api:
        assert (await api.patch("/org", json={"redact_patterns": ["ACC-\\d+"]})).status_code == 200
        said = f"I park on level 3. My key is {KEY} and my account ACC-4711."
        await api.post("/sessions/s1/messages", json={"messages": said})
        model.reply = "I would rather not."

        extracted = await api.post("/memories/extract", json={"messages": said})
        assert extracted.status_code == 503
        job_id = (await api.post("/sessions/s1/settle")).json()["job_id"]
        job = await until(api, job_id, lambda job: job["error"])
        assert "cannot be used" in job["error"]
        assert (await api.get("/proposals")).json()["data"] == []
        assert (await api.get("/memories")).json()["data"] == []

        model.reply = answer(fact("I park on level 3"))
        await api.post(f"/jobs/{job_id}/retry")
        job = await until(api, job_id, lambda job: job["status"] == "succeeded")
        assert job["tokens"] >= 77
        [proposal] = (await api.get("/proposals")).json()["data"]
        assert (proposal["extractor"], proposal["status"]) == ("llm", "applied")
        assert proposal["sources"][0]["quote"] == "I park on level 3"
        [call] = [
            each
            for each in (await api.get("/llm-calls")).json()["data"]
            if each["job_id"] == job_id
        ][:1]
        assert (call["kind"], call["model"]) == ("extract", "stub-1")
        assert (await api.post("/sessions/s1/settle")).json()["status"] == "nothing_new"

        await api.post(
            "/memories", json={"key": "car", "value": f"The car, ACC-4711, has key {KEY}."}
        )
        model.reply_to = lambda asked: answer(
            fact(
                "my spot is 5 now, not near the car",
                text="The user's spot is number 5.",
                replaces=[held(asked)["The user parks on level 3."]],
            )
        )
        said = {"messages": "level 3 is closed, my spot is 5 now, not near the car"}
        once = {"Idempotency-Key": "spot"}
        moved = (await api.post("/memories/extract", json=said, headers=once)).json()
        assert (await api.post("/memories/extract", json=said, headers=once)).json() == moved
        model.reply_to = None
        assert (moved["applied"], moved["proposals"][0]["action"]) == (1, "supersede")
        assert "The car, [REDACTED], has key [secret]." in held(model.asked[-1])
        values = {each["value"] for each in (await api.get("/memories")).json()["data"]}
        assert "The user parks on level 3." not in values
        sent = str(model.asked)
        assert KEY not in sent
        assert "ACC-4711" not in sent


async def until(api: httpx.AsyncClient, job_id: str, holds: Any) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            job: dict[str, Any] = (await api.get(f"/jobs/{job_id}")).json()
            if holds(job):
                return job
            await asyncio.sleep(0.05)
