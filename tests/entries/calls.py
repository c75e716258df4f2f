"""Calls of the entries of one agent, for tests."""

from urllib.parse import quote

AGENT = "/agents/bot"


def at(key: str) -> str:
    """A key in a path; dots too, since clients take `..` for a step up."""
    return f"{AGENT}/entries/{quote(key, safe='').replace('.', '%2E')}"


async def put(api, key, content="text", **fields):
    answer = await api.put(at(key), json={"content": content, **fields})
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def get(api, key, **params):
    return await api.get(at(key), params=params)


async def keys(api, **params):
    answer = await api.get(f"{AGENT}/entries", params=params)
    assert answer.status_code == 200, answer.text
    return [entry["key"] for entry in answer.json()["data"]]


async def start_run(api, **body):
    answer = await api.post(f"{AGENT}/runs", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["run_id"]
