"""Calls that tests of memories share."""

from datetime import UTC, datetime, timedelta


def at(days: float = 0) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


async def save(api, key="tea", value="green", **fields):
    answer = await api.post("/memories", json={"key": key, "value": value, **fields})
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def ids(api, **params):
    answer = await api.get("/memories", params=params)
    assert answer.status_code == 200, answer.text
    return [row["id"] for row in answer.json()["data"]]
