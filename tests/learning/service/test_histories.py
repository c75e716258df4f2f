"""Revert brings back exactly what was there: random histories of statements, edits and settlings."""

from typing import Any

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.bootstrap import create_org
from tests.learning.service.in_process import settle_here

SAID = (
    "My name is Teodora.",
    "I live in Porto.",
    "Actually, I live in Lisbon now.",
    "I hate coriander.",
    "I love coriander now.",
    "Remember that I park on level 3.",
    "Remember that I park on level 5 now, not on level 3.",
    "Remember that the standup is at 9:30.",
    "My niece is called Raya.",
    "Next time, ask me for the invoice number first.",
    "Forget I said that.",
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from(SAID)),
        st.just(("settle", "")),
        st.tuples(st.just("edit"), st.sampled_from(("core", "memory"))),
    ),
    min_size=3,
    max_size=8,
)


class History:
    """One user's session and memory, over HTTP."""

    def __init__(self, api: httpx.AsyncClient, db: Any, org_id: str) -> None:
        self.api, self.db, self.org_id = api, db, org_id
        self.number = 0

    async def get(self, path: str, **query: Any) -> Any:
        reply = await self.api.get(path, params=query)
        return reply.json() if reply.status_code == 200 else None

    async def say(self, text: str) -> None:
        self.number += 1
        message = {"id": f"m{self.number}", "role": "user", "content": text}
        body = {"messages": [message], "agent_id": "bot"}
        assert (await self.api.post("/sessions/s/messages", json=body)).status_code == 200

    async def edit(self, what: str) -> None:
        """As a person would."""
        self.number += 1
        if what == "core":
            block = await self.get("/memory/blocks/core")
            content = f"{block['content']}\n" if block and block["content"] else ""
            body = {
                "content": f"{content}A line by hand, {self.number}",
                "expected_updated_at": block["updated_at"] if block else None,
            }
            assert (await self.api.put("/memory/blocks/core", json=body)).status_code in (200, 201)
            return
        rows = (await self.get("/memories"))["data"]
        if rows:
            body = {"value": f"Changed by hand, {self.number}"}
            path = f"/memories/{rows[0]['id']}"
            assert (await self.api.patch(path, json=body)).status_code == 200

    async def settle(self) -> str:
        return await settle_here(self.db, self.org_id, "ana", "s")

    async def state(self) -> dict[str, Any]:
        """What memory holds, as people and agents see it."""
        blocks = (await self.get("/memory/blocks", scope="all"))["data"]
        nodes = (await self.get("/memory-nodes", limit=100))["data"]
        entries = (await self.get("/agents/bot/entries"))["data"]
        return {
            "blocks": sorted((b["scope"], b["block_type"], b["content"]) for b in blocks),
            "memories": sorted(
                (m["id"], m["value"], m["superseded_by"], m["valid_to"], len(m["sources"]))
                for m in (await self.get("/memories", limit=100))["data"]
            ),
            "nodes": sorted((n["name"], *sorted(i["content"] for i in n["items"])) for n in nodes),
            "entries": sorted((e["key"], e["content"]) for e in entries),
        }


@settings(
    max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(steps=STEPS, last=st.lists(st.sampled_from(SAID), min_size=1, max_size=4))
async def test_revert_brings_back_exactly_what_was_there(db, service, steps, last):
    org_id, key = await create_org(db, "history")
    headers = {"Authorization": f"Bearer {key}", "Holdfast-User": "ana"}
    async with httpx.AsyncClient(
        base_url=f"{service.url}/api/v1", headers=headers, timeout=60
    ) as api:
        history = History(api, db, org_id)
        await history.say("Hello.")
        for what, word in steps:
            await {"say": history.say, "edit": history.edit}.get(what, _settle(history))(word)
        await history.settle()
        before = await history.state()
        for text in last:
            await history.say(text)
        job_id = await history.settle()

        done = (await api.post(f"/jobs/{job_id}/revert")).json()

        assert done["kept"] == []
        assert await history.state() == before
        await history.edit("core")
        touched = await history.state()
        again = (await api.post(f"/jobs/{job_id}/revert")).json()
        assert again["reverted"] == []
        assert await history.state() == touched


def _settle(history: History) -> Any:
    async def settle(_: str) -> None:
        await history.settle()

    return settle
