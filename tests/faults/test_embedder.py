"""An embedder that is down, and one that is changed, with a service of their own."""

import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests import forked
from tests.conftest import serving
from tests.kernel.recall.hashing import HashingEmbedder


@pytest.fixture
def embedder():
    server = HashingEmbedder()
    yield server
    server.close()


def client_of(ready) -> httpx.Client:
    return httpx.Client(
        base_url=f"{ready['url']}/api/v1",
        headers={"Authorization": f"Bearer {ready['api_key']}"},
        timeout=30,
    )


def keys(api: httpx.Client, q: str, **fields) -> list[str]:
    reply = api.post("/memories/recall", json={"q": q, **fields})
    assert reply.status_code == 200, reply.text
    return [row["key"] for row in reply.json()["data"]]


def eventually(check) -> None:
    for _ in range(150):
        if check():
            return
        time.sleep(0.2)
    pytest.fail("it did not come to pass")


def test_a_write_succeeds_while_the_embedder_is_down_and_its_vector_follows(data_dir, embedder):
    embedder.down = True
    with (
        serving(data_dir, first_start=True, HOLDFAST_EMBEDDER=embedder.url) as (ready, _),
        client_of(ready) as api,
    ):
        saved = api.post("/memories", json={"key": "tea", "value": "Ana takes green tea"})
        assert saved.status_code == 201
        assert keys(api, "green tea") == ["tea"]  # by its words
        assert (
            api.post("/memories/recall", json={"q": "tea", "mode": "semantic"}).status_code == 503
        )
        why = {"q": "hot beverages", "explain": True, "ids": [saved.json()["id"]]}
        [miss] = api.post("/memories/recall", json=why).json()["misses"]
        assert miss["reason"] == "not_embedded"  # "no_match" would say that meaning was compared
        not_ready = httpx.get(f"{ready['url']}/readyz")
        assert not_ready.status_code == 503
        assert not_ready.json()["checks"]["embedder"] == "EmbedderUnavailable"
        embedder.down = False
        eventually(lambda: keys(api, "green tea", mode="semantic") == ["tea"])
        assert httpx.get(f"{ready['url']}/readyz").json()["checks"]["embedder"] == "ok"


def test_a_model_is_changed_while_the_service_runs(data_dir: Path, embedder):
    data = data_dir
    with serving(data) as (ready, _), client_of(ready) as api:
        for n in range(30):
            api.post("/memories", json={"key": f"k{n}", "value": f"note {n} on hot beverages"})
        assert len(keys(api, "warm drinks", mode="semantic")) == 5

        assert reembed(data, embedder)["embedded"] == 30
        # The running service follows: the new vectors know no synonyms, only words.
        assert keys(api, "warm drinks", mode="semantic") == []
        assert len(keys(api, "hot beverages", mode="semantic")) == 5
        api.post("/memories", json={"key": "new", "value": "a zebra"})
        assert keys(api, "a zebra", mode="semantic")[0] == "new"
        assert reembed(data, embedder)["embedded"] == 0


def test_a_model_is_changed_while_many_write_and_ask(data_dir: Path, embedder):
    """Every answer is whole: of one model or the other, read closely or not."""
    data, embedder.delay_s = data_dir, 0.01
    with serving(data) as (ready, _), client_of(ready) as api:
        notes = [{"key": f"k{n}", "value": f"note {n} on hot beverages"} for n in range(120)]
        api.post("/memories/batch", json={"memories": notes}).raise_for_status()
        changed = threading.Event()

        def write(first: int) -> list[str]:
            written = []
            with client_of(ready) as own:
                while not changed.is_set():
                    key = f"w{first}-{len(written)}"
                    body = {"key": key, "value": f"{key} is on hot beverages"}
                    own.post("/memories", json=body).raise_for_status()
                    assert keys(own, f"which one is {key}?", limit=10)[0] == key
                    assert len(keys(own, "hot beverages", limit=10)) == 10
                    written.append(key)
                    changed.wait(0.2)
            return written

        with ThreadPoolExecutor() as threads:
            writers = [threads.submit(write, number) for number in range(4)]
            try:
                assert reembed(data, embedder)["embedded"] >= 120
            finally:
                changed.set()
            written = [key for writer in writers for key in writer.result(60)]
        assert len(written) >= 4
        for key in written:  # none is left out, and none has tokens of the old model

            def parts(key: str = key) -> dict:
                asked = {"q": f"{key} is on hot beverages", "limit": 1, "explain": True}
                [row] = api.post("/memories/recall", json=asked).json()["data"]
                assert row["key"] == key
                return row["explain"]["parts"]

            # What was written as the models changed, and embedded by the old one, a job embeds.
            eventually(lambda: "semantic" in parts())
            assert "close_reading" not in parts()


def test_a_change_of_models_that_was_cut_short_goes_on_where_it_was(data_dir: Path, embedder):
    data = data_dir
    with serving(data) as (ready, _), client_of(ready) as api:
        for n in range(30):
            api.post("/memories", json={"key": f"k{n}", "value": f"note {n} on hot beverages"})
        embedder.delay_s = 0.1
        with forked.popen(**reembedding(data, embedder)) as cut_short:
            eventually(lambda: embedder.asked >= 10)
            cut_short.kill()
        embedder.delay_s = 0.0
        assert len(keys(api, "warm drinks", mode="semantic")) == 5  # the old model still serves

        assert 0 < reembed(data, embedder)["embedded"] <= 21
        assert len(keys(api, "hot beverages", mode="semantic")) == 5
        assert reembed(data, embedder)["embedded"] == 0


def reembedding(data: Path, embedder) -> dict:
    """The command, as a process takes it."""
    return {
        "args": ["-m", "holdfast", "reembed", "--embedder", embedder.url, "--json"],
        "env": {**os.environ, "HOLDFAST_DATA_DIR": str(data)},
    }


def reembed(data: Path, embedder) -> dict:
    done = forked.run(**reembedding(data, embedder), timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
