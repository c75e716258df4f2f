"""Calls that tests of the graph share."""

from datetime import UTC, datetime, timedelta


def at(days=0.0):
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


async def make(api, name, **fields):
    answer = await api.post("/memory-nodes", json={"name": name, **fields})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def relate(api, a, b, relation="knows", **fields):
    answer = await api.post(
        "/memory-nodes/edges", json={"from": a["id"], "to": b["id"], "relation": relation, **fields}
    )
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def around(api, node, **params):
    answer = await api.get(f"/memory-nodes/{node['id']}/neighbors", params=params)
    assert answer.status_code == 200, answer.text
    graph = answer.json()
    return [n["name"] for n in graph["nodes"]], graph["edges"]
