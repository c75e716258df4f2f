"""Revert brings back exactly what was there: random histories of statements, edits and settlings."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from holdfast.bootstrap import create_org
from tests.learning.service.in_process import consolidate_here, settle_here
from tests.memories.calls import save as save_memory
from tests.memories.calls import save_for_a_moment

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


# What a consolidation finds: for each flaw the memories that make it.
FLAWS: dict[str, tuple[dict[str, Any], ...]] = {
    "duplicate": ({"value": "The car is on level 3."}, {"value": "On level 3 is the car."}),
    "contradiction": ({"value": "I live in Porto."}, {"value": "I live in Lisbon."}),
    "expired": ({"value": "The voucher is at home."},),
}
# A job that writes one object of every kind, and the part of the state that a person changes of it.
LEARNED = (
    "I can't stand olives.",
    "Remember that the spare key hangs in the shed.",
    "Next time, ask me for the order number first.",
    "My cousin is called Ines.",
)
TOUCHED = {"core": "blocks", "memory": "memories", "entry": "entries", "node": "nodes"}
EXAMPLES = settings(
    max_examples=4,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
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

    async def touch(self, what: str) -> tuple[str, str]:
        """Change by hand what the last job wrote of this kind; the kind and id that revert must keep."""
        if what == "core":
            await self.edit("core")
            return "block", (await self.get("/memory/blocks/core"))["id"]
        if what == "memory":
            rows = (await self.get("/memories", limit=100))["data"]
            row = next(each for each in rows if "spare key" in each["value"])
            await self._changed("PATCH", f"/memories/{row['id']}", value="It is by hand")
            return "memory", row["id"]
        if what == "entry":
            rows = (await self.get("/agents/bot/entries"))["data"]
            row = next(each for each in rows if "order number" in each["content"])
            path = f"/agents/bot/entries/{row['key']}"
            await self._changed("PUT", path, content="Now by hand", scope=row["scope"])
            return "entry", row["id"]
        nodes = (await self.get("/memory-nodes", limit=100))["data"]
        node = next(each for each in nodes if each["name"] == "Ines")
        await self._changed("POST", f"/memory-nodes/{node['id']}/items", content="by hand")
        return "node", node["id"]

    async def _changed(self, method: str, path: str, **body: Any) -> None:
        reply = await self.api.request(method, path, json=body)
        assert reply.status_code in (200, 201), reply.text

    async def revert(self, job_id: str) -> Any:
        return (await self.api.post(f"/jobs/{job_id}/revert")).json()

    async def settle(self) -> str:
        return await settle_here(self.db, self.org_id, "ana", "s")

    async def state(self, *, with_expired: bool = False) -> dict[str, Any]:
        """What memory holds, as people and agents see it; `with_expired`: also what recall does not find any more."""
        past = {"include_expired": True} if with_expired else {}
        blocks = (await self.get("/memory/blocks", scope="all"))["data"]
        nodes = (await self.get("/memory-nodes", limit=100))["data"]
        entries = (await self.get("/agents/bot/entries"))["data"]
        return {
            "blocks": sorted((b["scope"], b["block_type"], b["content"]) for b in blocks),
            "memories": sorted(
                (m["id"], m["value"], m["superseded_by"], m["valid_to"], len(m["sources"]))
                for m in (await self.get("/memories", limit=100, **past))["data"]
            ),
            "nodes": sorted((n["name"], *sorted(i["content"] for i in n["items"])) for n in nodes),
            "entries": sorted((e["key"], e["content"]) for e in entries),
        }


@asynccontextmanager
async def new_history(db: Any, service: Any) -> AsyncIterator[History]:
    """A user in an org of its own."""
    org_id, key = await create_org(db, "history")
    headers = {"Authorization": f"Bearer {key}", "Holdfast-User": "ana"}
    async with httpx.AsyncClient(
        base_url=f"{service.url}/api/v1", headers=headers, timeout=60
    ) as api:
        yield History(api, db, org_id)


@EXAMPLES
@given(steps=STEPS, last=st.lists(st.sampled_from(SAID), min_size=1, max_size=4))
async def test_revert_brings_back_exactly_what_was_there(db, service, steps, last):
    async with new_history(db, service) as history:
        await history.say("Hello.")
        for what, word in steps:
            await {"say": history.say, "edit": history.edit}.get(what, _settle(history))(word)
        await history.settle()
        before = await history.state()
        for text in last:
            await history.say(text)
        job_id = await history.settle()

        done = await history.revert(job_id)

        assert done["kept"] == []
        assert await history.state() == before
        await history.edit("core")
        touched = await history.state()
        again = await history.revert(job_id)
        assert again["reverted"] == []
        assert await history.state() == touched


@EXAMPLES
@given(
    flaws=st.lists(st.sampled_from(sorted(FLAWS)), min_size=1, max_size=3, unique=True),
    said=st.lists(st.sampled_from(SAID), max_size=2),
)
async def test_revert_of_a_consolidation_brings_back_exactly_what_was_there(
    db, service, flaws, said
):
    async with new_history(db, service) as history:
        await history.say("We decided on 3 May to use Postgres.")
        for text in said:
            await history.say(text)
        await history.settle()
        for flaw in flaws:
            for number, row in enumerate(FLAWS[flaw]):
                save = save_for_a_moment if flaw == "expired" else save_memory
                await save(history.api, f"{flaw}-{number}", category="fact", **row)
        before = await history.state(with_expired=True)
        job_id = await consolidate_here(db, history.org_id, "ana")
        assert await history.state(with_expired=True) != before

        done = await history.revert(job_id)

        assert done["kept"] == []
        assert len(done["reverted"]) >= len(flaws)
        assert await history.state(with_expired=True) == before


@EXAMPLES
@given(
    earlier=st.lists(st.sampled_from(SAID), max_size=3),
    touched=st.lists(st.sampled_from(sorted(TOUCHED)), min_size=1, max_size=4, unique=True),
)
async def test_revert_keeps_what_a_person_changed_since_and_says_so(db, service, earlier, touched):
    async with new_history(db, service) as history:
        for text in ("Hello.", *earlier):
            await history.say(text)
        await history.settle()
        before = await history.state()
        for text in LEARNED:
            await history.say(text)
        job_id = await history.settle()
        kept = {await history.touch(what) for what in touched}
        changed = await history.state()

        done = await history.revert(job_id)

        assert {(each["kind"], each["id"]) for each in done["kept"]} >= kept
        assert all(each["reason"] for each in done["kept"])
        assert not kept & {(each["kind"], each["id"]) for each in done["reverted"]}
        now = await history.state()
        for what, part in TOUCHED.items():
            if what in touched:  # what the person wrote stands
                assert str(now[part]).count("by hand") == str(changed[part]).count("by hand") > 0
            else:
                assert now[part] == before[part]


def _settle(history: History) -> Any:
    async def settle(_: str) -> None:
        await history.settle()

    return settle
