"""Extracting and rehearsing under an Idempotency-Key: the extractor runs before the transaction, and not again for a replay."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from holdfast.app import make_app
from holdfast.deployment import Config
from holdfast.learning import service as service_of_learning
from holdfast.learning.extractor import ExtractionFailed, RulesExtractor
from tests.learning.service.in_process import settle_here

BODY = {"messages": [{"role": "user", "content": "Remember that I park on level 3."}]}


PATH = "/sessions/s-1/settle"
REHEARSAL = {"dry_run": True}


@dataclass
class Watch:
    """An app of its own, and whether a transaction was open each time its extractor read."""

    api: httpx.AsyncClient
    open_while_reading: list[bool] = field(default_factory=list)
    fails: bool = False


@asynccontextmanager
async def watched(org: Any, service: Any) -> AsyncIterator[Watch]:
    app = make_app(Config(database_url=service.app_url, embedder="none", pool_size=4))
    headers = {"Authorization": f"Bearer {org.key}", "Holdfast-User": "ana"}
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1/api/v1", headers=headers
        ) as api,
    ):
        made = Watch(api)

        class Watched(RulesExtractor):
            async def extract(self, *args, **more):
                made.open_while_reading.append(app.state.db._open_tx.get() is not None)
                if made.fails:
                    raise ExtractionFailed("the model cannot be reached")
                return await super().extract(*args, **more)

        app.state.learning = replace(app.state.learning, extractor=Watched(reads_held=True))
        yield made


async def test_no_transaction_is_open_while_the_extractor_reads(org, service):
    async with watched(org, service) as watch:
        watch.api.headers["Idempotency-Key"] = "k"
        watch.fails = True
        failed = await watch.api.post("/memories/extract", json=BODY)
        assert (
            failed.status_code == 503
        )  # a failing model: nothing written, nothing kept under the key
        watch.fails = False
        first = await watch.api.post("/memories/extract", json=BODY)
        again = await watch.api.post("/memories/extract", json=BODY)
        other = await watch.api.post("/memories/extract", json={"messages": []})
        rows = await watch.api.get("/memories")

        assert (first.status_code, first.json()["applied"]) == (200, 1)
        assert again.json() == first.json()
        assert again.headers["Idempotency-Replayed"] == "true"
        assert other.json()["status"] in (409, 422)
        assert len(rows.json()["data"]) == 1
        assert watch.open_while_reading == [False, False]


async def test_no_transaction_is_open_while_the_extractor_reads_for_a_rehearsal(org, service):
    async with watched(org, service) as watch:
        said = await watch.api.post("/sessions/s-1/messages", json=BODY)
        assert said.status_code == 200, said.text
        watch.api.headers["Idempotency-Key"] = "k"
        watch.fails = True
        assert (await watch.api.post(PATH, json=REHEARSAL)).status_code == 503
        watch.fails = False
        first = await watch.api.post(PATH, json=REHEARSAL)
        again = await watch.api.post(PATH, json=REHEARSAL)

        assert [each["content"] for each in first.json()["proposals"]] == [
            "The user parks on level 3."
        ]
        assert again.json() == first.json()
        assert again.headers["Idempotency-Replayed"] == "true"
        assert watch.open_while_reading == [False, False]
        assert (await watch.api.get("/memories")).json()["data"] == []
        for number, body in enumerate(({"dry_run": "yes"}, {"dry": True})):
            watch.api.headers["Idempotency-Key"] = f"bad-{number}"
            assert (await watch.api.post(PATH, json=body)).status_code == 422
        watch.api.headers["Idempotency-Key"] = "unknown"
        missing = await watch.api.post("/sessions/nobody/settle", json=REHEARSAL)
        assert missing.status_code == 404
        watch.api.headers["Idempotency-Key"] = "job"
        settled = await watch.api.post(PATH)  # without a body: a job, which reads in its own time
        assert settled.status_code == 202
        assert watch.open_while_reading == [False, False]


async def test_a_rehearsal_reads_again_where_a_job_learned_from_the_messages_meanwhile(
    org, service, db, monkeypatch
):
    async with watched(org, service) as watch:
        await watch.api.post("/sessions/s-1/messages", json=BODY)
        read, calls = service_of_learning.read_session_ahead, []

        async def read_then_settle(*args):
            found = await read(*args)
            calls.append(await settle_here(db, org.id, "ana", "s-1"))
            return found

        monkeypatch.setattr(service_of_learning, "read_session_ahead", read_then_settle)
        reply = await watch.api.post(PATH, json=REHEARSAL, headers={"Idempotency-Key": "k"})

        assert (reply.status_code, reply.json(), len(calls)) == (200, {"proposals": []}, 1)
