"""Calls that tests of memories share."""

import asyncio
from datetime import UTC, datetime, timedelta


def at(days: float = 0) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


async def save(api, key="tea", value="green", **fields):
    answer = await api.post("/memories", json={"key": key, "value": value, **fields})
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def save_for_a_moment(api, key="tea", value="green", **fields):
    """A memory that has expired since it was saved. No call may ask for a time that is over, so a machine that was too slow
    for a short moment is given a longer one."""
    for seconds in (0.3, 3, 30):
        until = datetime.now(UTC) + timedelta(seconds=seconds)
        body = {"key": key, "value": value, "expires_at": until.isoformat(), **fields}
        answer = await api.post("/memories", json=body)
        if (
            answer.status_code == 201
            and datetime.fromisoformat(answer.json()["updated_at"]) < until
        ):
            break
    assert answer.status_code == 201, answer.text
    while datetime.now(UTC) <= until:
        await asyncio.sleep(0.05)
    return answer.json()


async def ids(api, **params):
    answer = await api.get("/memories", params=params)
    assert answer.status_code == 200, answer.text
    return [row["id"] for row in answer.json()["data"]]
