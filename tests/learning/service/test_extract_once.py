"""`POST /memories/extract` under an Idempotency-Key: the extractor runs before the transaction, and not again for a replay."""

from dataclasses import replace

import httpx

from holdfast.app import make_app
from holdfast.deployment import Config
from holdfast.learning.extractor import ExtractionFailed, RulesExtractor

BODY = {"messages": [{"role": "user", "content": "Remember that I park on level 3."}]}


async def test_no_transaction_is_open_while_the_extractor_reads(org, service):
    app = make_app(Config(database_url=service.app_url, embedder="none", pool_size=4))
    open_while_reading, failures = [], [True]

    class Watched(RulesExtractor):
        async def extract(self, *args, **more):
            open_while_reading.append(app.state.db._open_tx.get() is not None)
            if failures:
                raise ExtractionFailed("the model cannot be reached")
            return await super().extract(*args, **more)

    headers = {"Authorization": f"Bearer {org.key}", "Holdfast-User": "ana", "Idempotency-Key": "k"}
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1/api/v1", headers=headers
        ) as api,
    ):
        app.state.learning = replace(app.state.learning, extractor=Watched())
        failed = await api.post("/memories/extract", json=BODY)
        assert (
            failed.status_code == 503
        )  # a failing model: nothing written, nothing kept under the key
        failures.clear()
        first = await api.post("/memories/extract", json=BODY)
        again = await api.post("/memories/extract", json=BODY)
        other = await api.post("/memories/extract", json={"messages": []})
        rows = await api.get("/memories")

    assert (first.status_code, first.json()["applied"]) == (200, 1)
    assert again.json() == first.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert other.json()["status"] in (409, 422)
    assert len(rows.json()["data"]) == 1
    assert open_while_reading == [False, False]
