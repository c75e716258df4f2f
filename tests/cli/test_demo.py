"""holdfast demo: an org to look around in, made through the API."""

import json
import os

from tests import forked


def run(org, service, *arguments):
    return forked.run(
        ["-m", "holdfast", "demo", "--json", *arguments],
        timeout=120,
        env={**os.environ, "HOLDFAST_URL": service.url, "HOLDFAST_API_KEY": org.key},
    )


async def test_it_fills_every_face_and_adds_nothing_twice(org, service, api):
    made = run(org, service)
    assert made.returncode == 0, made.stderr
    counts = json.loads(made.stdout)
    assert all(counts.values()), counts

    async def written():
        memories = (await api.get("/memories", params={"source": "demo", "limit": 100})).json()[
            "data"
        ]
        nodes = (await api.get("/memory-nodes", params={"limit": 100})).json()["data"]
        stores = (await api.get("/memory_stores")).json()["data"]
        return {m["key"] for m in memories}, {n["name"] for n in nodes}, len(stores)

    first = await written()
    assert len(first[0]) > 10
    assert first[2] == 1
    again = run(org, service)
    assert again.returncode == 0, again.stderr
    assert await written() == first
    replaced = await api.get(
        "/memories", params={"source": "demo", "include_superseded": True, "limit": 100}
    )
    assert any(m["superseded_by"] for m in replaced.json()["data"])


async def test_an_unknown_space_is_refused_with_the_known_ones(org, service):
    refused = run(org, service, "--space", "nowhere")
    assert refused.returncode != 0
    assert "assistant-04" in refused.stderr
